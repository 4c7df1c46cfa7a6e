import { RE2JS } from 're2js';

/** A pause that ends a turn, for texts that match. */
export interface EndpointRule {
  readonly ms: number;
  /** @param asked the assistant's last words */
  matches(said: string, asked: string): boolean;
}

type Given = Readonly<Record<string, unknown>>;
const MOST_SECONDS = 15;

/**
 * Reads an assistant's `customEndpointingRules`: `customer` looks at what the caller is saying, `assistant`
 * at the assistant's last words, `both` at both. Expressions are run by RE2, whose time grows linearly with
 * the text, so that a rule cannot hold calls up. Rules that cannot be read were refused when the assistant
 * was stored.
 */
export function endpointRules(given: unknown): readonly EndpointRule[] {
  return (Array.isArray(given) ? (given as Given[]) : []).flatMap((rule) => {
    const read = readEndpointRule(rule);
    return typeof read === 'string' ? [] : [read];
  });
}

/** One rule, or the reason why it cannot be used. */
export function readEndpointRule(rule: Given): EndpointRule | string {
  const { type, timeoutSeconds: seconds } = rule;
  if (typeof seconds !== 'number' || seconds < 0 || seconds > MOST_SECONDS)
    return `timeoutSeconds: must be a number from 0 to ${MOST_SECONDS}`;
  const ms = seconds * 1000;
  try {
    if (type === 'customer') {
      const said = expression(rule.regex, rule.regexOptions);
      return { ms, matches: (text) => said(text) };
    }
    if (type === 'assistant') {
      const asked = expression(rule.regex, rule.regexOptions);
      return { ms, matches: (_, text) => asked(text) };
    }
    if (type !== 'both') return 'type: must be assistant, customer or both';
    const said = expression(rule.customerRegex, rule.customerRegexOptions);
    const asked = expression(rule.assistantRegex, rule.assistantRegexOptions);
    return { ms, matches: (one, other) => said(one) && asked(other) };
  } catch (error) {
    return `regex: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const LONGEST = 1000;
const FLAGS: Readonly<Record<string, number>> = {
  'ignore-case': RE2JS.CASE_INSENSITIVE,
  'multi-line': RE2JS.MULTILINE,
  'dot-all': RE2JS.DOTALL,
};

/** @throws Error where RE2 cannot read the text as an expression */
function expression(text: unknown, options: unknown): (looked: string) => boolean {
  if (typeof text !== 'string' || text === '' || text.length > LONGEST)
    throw new Error(`must be a text of 1 to ${LONGEST} characters`);
  const flags = (Array.isArray(options) ? (options as Given[]) : [])
    .filter(({ enabled }) => enabled !== false)
    .reduce((all, { type }) => all | (FLAGS[String(type)] ?? 0), 0);
  const compiled = RE2JS.compile(text, flags);
  return (looked) => compiled.matcher(looked).find();
}
