const LONGEST = 400;
const DONE = 'That is done.';
const NOTHING = 'I found nothing.';
/** Most entries of a list that are read out; people do not keep more in mind. */
const MOST_ENTRIES = 5;
/** Names of fields that only wrap a result, or that nobody says. */
const WRAPS = /^(results?|data|value|answer|message|text|items|content|response|output|body)$/i;
const UNSAID =
  /^(_.*|id|uuid|.*(_id|Id|Uuid|_uuid)|ok|success|status_?code|code|type|object|timestamp|createdAt|updatedAt|created_at|updated_at|href|url)$/;
const NAMES = /^(name|title|label|product|item|description)$/i;

/**
 * Says the result of a tool as a person would: the fields of an object one after another, the entries of a
 * list with their number; ids, codes and addresses of machines are left out.
 *
 * @example sayResult({ stock: 'forty two boxes' }) // 'Stock: forty two boxes.'
 */
export function sayResult(result: unknown): string {
  const said = sentences(parsed(result));
  return said.length <= LONGEST ? said : `${said.slice(0, said.lastIndexOf(' ', LONGEST))} …`;
}

/** Servers often send JSON as a text. */
function parsed(result: unknown): unknown {
  if (typeof result !== 'string' || !/^\s*[[{]/.test(result)) return result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

function sentences(result: unknown): string {
  if (Array.isArray(result)) return sayList(result);
  if (typeof result === 'object' && result !== null) {
    const fields = fieldsOf(result);
    const [only] = fields;
    if (only !== undefined && fields.length === 1 && WRAPS.test(only[0])) return sentences(parsed(only[1]));
    return fields.length === 0 ? DONE : fields.map(([name, value]) => sayField(name, value)).join(' ');
  }
  if (typeof result === 'boolean') return result ? 'Yes.' : 'No.';
  const text = result === null || result === undefined ? '' : String(result).trim();
  return text === '' ? DONE : sentence(text);
}

const fieldsOf = (object: object): [string, unknown][] =>
  Object.entries(object).filter(
    ([name, value]) => !UNSAID.test(name) && value !== null && value !== undefined && value !== '',
  );

function sayField(name: string, value: unknown): string {
  const label = capital(spokenName(name));
  if (typeof value === 'boolean') return sentence(`${label}: ${value ? 'yes' : 'no'}`);
  return sentence(
    WRAPS.test(name) && typeof value !== 'object' ? String(value) : `${label}: ${brief(value)}`,
  );
}

function sayList(list: readonly unknown[]): string {
  if (list.length === 0) return NOTHING;
  const entries = list.slice(0, MOST_ENTRIES).map(brief);
  const more = list.length - entries.length;
  const said = more > 0 ? `${entries.join('; ')}; and ${more} more` : listAnd(entries);
  return sentence(list.length === 1 ? said : `I found ${list.length}: ${said}`);
}

/** A value within a sentence: `Blue kite, price 9`. */
function brief(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : listAnd(value.slice(0, MOST_ENTRIES).map(brief));
  if (typeof value !== 'object' || value === null)
    return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value).trim();
  return fieldsOf(value)
    .map(([name, own]) => (NAMES.test(name) ? brief(own) : `${spokenName(name)} ${brief(own)}`))
    .join(', ');
}

/** `deliveryDate` and `delivery_date` are said as `delivery date`. */
const spokenName = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();

const listAnd = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join('; ')} and ${parts.at(-1)}`;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
