import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One line that a caller says, and what the answer must contain. */
export interface SpokenLine {
  /** As it is said; `<500>` is a pause of 500 milliseconds. */
  readonly say: string;
  /** For each entry, the answer must contain all words of one of the alternatives. */
  readonly answers: readonly (readonly (readonly string[])[])[];
  readonly never: readonly string[];
}

/** What a caller wants, in one or more lines. */
export interface SpokenRequest {
  /** The section of the file that contains it. */
  readonly section: string;
  readonly lines: readonly SpokenLine[];
  /** The action that the call must have led to, e.g. `enquiry`, with its values; null for none. */
  readonly action: { readonly name: string; readonly values: ReadonlyMap<string, string> } | null;
}

/** Which half of the set: rules may be tuned on `dev`, never on `held-out`. */
export type RequestPart = 'dev' | 'held-out';

/**
 * Reads one half of the set. Empty lines separate requests:
 *
 *     # section
 *     > what the caller says        a line of its own for each turn
 *     < £49 & month | a pound       the answer has all of one alternative (case and marks do not count)
 *     ! free                        the answer does not have it
 *     = enquiry name=Ann_Wood       what was done in the end; `_` is a space
 */
export function readRequests(part: RequestPart): SpokenRequest[] {
  return parseRequests(readFileSync(path.join(import.meta.dirname, '..', `requests.${part}.txt`), 'utf8'));
}

/** @throws Error naming a line that cannot be read */
export function parseRequests(text: string): SpokenRequest[] {
  const requests: SpokenRequest[] = [];
  let section = '';
  for (const block of text.split(/\n\s*\n/)) {
    const lines = block
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    section =
      lines
        .findLast((line) => line.startsWith('#'))
        ?.slice(1)
        .trim() ?? section;
    const request = parseRequest(lines.filter((line) => !line.startsWith('#')));
    if (request.lines.length > 0) requests.push({ section, ...request });
  }
  return requests;
}

function parseRequest(given: readonly string[]): Omit<SpokenRequest, 'section'> {
  const lines: { say: string; answers: string[][][]; never: string[] }[] = [];
  let action: SpokenRequest['action'] = null;
  for (const line of given) {
    const rest = line.slice(1).trim();
    const last = lines.at(-1);
    if (line.startsWith('>')) lines.push({ say: rest, answers: [], never: [] });
    else if (line.startsWith('=')) action = actionOf(rest);
    else if (line.startsWith('<') && last) last.answers.push(alternatives(rest));
    else if (line.startsWith('!') && last) last.never.push(rest);
    else throw new Error(`This line of a request means nothing: ${line}`);
  }
  return { lines, action };
}

function alternatives(rest: string): string[][] {
  return rest.split('|').map((way) => way.split('&').map((words) => words.trim()));
}

function actionOf(rest: string): SpokenRequest['action'] {
  const [name = '', ...pairs] = rest.split(' ');
  const values = pairs.map((pair): [string, string] => {
    const cut = pair.indexOf('=');
    return [pair.slice(0, cut), pair.slice(cut + 1).replaceAll('_', ' ')];
  });
  return { name, values: new Map(values) };
}

/** Whether an answer contains everything that it must, and nothing that it must not. */
export function isAnswered({ answers, never }: SpokenLine, answer: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ');
  const said = plain(answer);
  return (
    answers.every((ways) => ways.some((way) => way.every((words) => said.includes(plain(words))))) &&
    never.every((words) => !said.includes(plain(words)))
  );
}
