import { plainWords } from '../../dialogue/spoken/word-normalisation.server.ts';
import type { ExpectedWords } from '../../engines/engines.server.ts';
import type { ConversationRules, EndpointPauses } from './conversation-rules.server.ts';

/** Matches a sentence that asks for a number, and one that asks for something that callers spell. */
const ASKS_DIGITS =
  /\bdigits?\b|\b(?:what|which|have|give|say|tell|repeat|confirm|enter|take)\b.*\b(?:number|post ?code|zip code)\b/i;
const ASKS_LETTERS =
  /\b(?:spell|letter by letter|say the address)\b|\b(?:what|which|have|give|say|tell|repeat|take)\b.*\be-?mail\b/i;

/** What a caller is likely to read out in answer to `asked`, if anything. */
export function expectedWords(asked: string): ExpectedWords | undefined {
  if (ASKS_LETTERS.test(asked)) return 'letters';
  return ASKS_DIGITS.test(asked) ? 'digits' : undefined;
}

/** Milliseconds of silence that end a turn (docs/contracts/voice.md §6). */
const ENDPOINT = { complete: 300, open: 700, unfinished: 1500 } as const;
/** Words that a sentence does not end with. */
const UNFINISHED =
  /(?:^|\s)(?:and|or|but|so|because|with|for|to|from|of|the|a|an|my|your|our|is|are|at|on|in|by|that|which|who|if|when|about|um|uh|er|erm|like|please could you|i|i'd like|i want|it's)$/;
/** The middle of a number, a spelling or an address: the caller is looking up the next piece. */
const COUNTING =
  /(?:^|\s)(?:\d+|zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple|[a-z]|dot|underscore)$/;
const WHOLE_NUMBER = 10;

/** The pause that ends a turn, for what the caller said in answer to the assistant's last sentence. */
export function pauseAfter(
  partial: string,
  lastSaid: string,
  { endpointRules: own, pauses }: Pick<ConversationRules, 'endpointRules' | 'pauses'>,
): number {
  return own.find((rule) => rule.matches(partial, lastSaid))?.ms ?? endpointDelayMs(partial, pauses);
}

/** How long a caller may pause after `partial` before the turn is over. */
export function endpointDelayMs(partial: string, pauses?: EndpointPauses): number {
  const words = plainWords(partial);
  const text = words.join(' ');
  if (text === '') return ENDPOINT.open;
  if (pauses !== undefined) {
    if (/[.!?]\s*$/.test(partial)) return pauses.punctuation;
    return COUNTING.test(text) ? pauses.number : pauses.noPunctuation;
  }
  if (/[.!?]\s*$/.test(partial)) return ENDPOINT.complete;
  if (UNFINISHED.test(text)) return ENDPOINT.unfinished;
  const counted = words.filter((word) => COUNTING.test(word)).length;
  if (COUNTING.test(text) && words.length > 1 && counted < WHOLE_NUMBER && counted > 1)
    return ENDPOINT.unfinished;
  return ENDPOINT.complete;
}
