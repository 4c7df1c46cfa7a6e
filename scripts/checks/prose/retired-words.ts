/** Words that docs/glossary.md retired in every sense that they had here, as parts of names and in prose. */
const WORDS = /^(?:desk|lane|ticket)s?$/i;
/** Places and things of the world keep their names: a caller asks for the front desk, a receipt may be a ticket. */
const OF_THE_WORLD =
  /\b(?:front|help|reception|service|right|sales)[ -]desks?\b|\b(?:train|bus|parking|flight|boarding) tickets?\b|\bticket (?:queue|de caisse)\b|\|ticket\b/gi;
/** Calls are no lines; what other lines are (of text, of an invoice) no test can tell. */
const CALL_LINES = /\b(?:Phone|Room|Call|Server|Client)Lines?\b|\b(?:phone|room|call)Lines?\b/g;

/** The parts of a name: `closeCallDesk`, `call-desk` and `CALL_DESK` all have `desk`. */
function partsOf(name: string): string[] {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
}

/** Retired words in the names that a source uses and in its prose, one entry for each place. */
export function retiredWordsIn(text: string): string[] {
  const names = text.replaceAll(OF_THE_WORLD, '').match(/[A-Za-z][\w-]*/g) ?? [];
  const words = names.filter((name) => partsOf(name).some((part) => WORDS.test(part)));
  return [...words, ...(text.match(CALL_LINES) ?? [])];
}

/** The retired words in a file's path. */
export function retiredWordsInPath(file: string): string[] {
  return file
    .split('/')
    .filter((name) => partsOf(name.replace(/\..*$/, '')).some((part) => WORDS.test(part)));
}

/** False when a source has none of the words, which is faster to say than where they are. */
export const mayHaveRetiredWords = (source: string): boolean =>
  /desk|lane|ticket|(?:phone|room|call|server|client)lines?/i.test(source);
