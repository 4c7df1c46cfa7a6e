import { plainWords } from '../../dialogue/spoken/word-normalisation.server.ts';
import type { InterruptionPhrases } from './conversation-rules.server.ts';

/** Words that show listening and do not ask for the turn (docs/contracts/voice.md §6). */
const ACKNOWLEDGEMENTS = new Set(
  [
    'uh huh um umm mm mmm hm hmm mhm mmhm uhhuh uh-huh aha ah oh okay ok yeah yep yes yup right',
    'sure good great fine cool nice exactly indeed correct true well i see got it alright er erm',
  ].flatMap((words) => words.split(' ')),
);
/** Phrases that take the turn at once, whatever the other rules say. */
const ALWAYS_INTERRUPTS =
  /^(?:please )?(?:stop|wait|hold on|hang on|no|nope|excuse me|shut up|be quiet|enough|pause|cancel|sorry but|one moment|just a (?:moment|second|minute))\b/;

/** What a text means for the assistant's turn. */
export type Weight = 'nothing' | 'acknowledgement' | 'words' | 'stop';

/** Weighs whether what was recognised asks for the turn. */
export function weigh(
  text: string,
  { acknowledgements, interruptions }: InterruptionPhrases = { acknowledgements: [], interruptions: [] },
): { readonly weight: Weight; readonly words: number } {
  const words = plainWords(text);
  if (words.length === 0) return { weight: 'nothing', words: 0 };
  const plain = words.join(' ');
  if (acknowledgements.includes(plain)) return { weight: 'acknowledgement', words: words.length };
  if (ALWAYS_INTERRUPTS.test(plain) || hasEndPhrase(text, interruptions))
    return { weight: 'stop', words: words.length };
  const telling = words.filter((word) => !ACKNOWLEDGEMENTS.has(word));
  return { weight: telling.length === 0 ? 'acknowledgement' : 'words', words: words.length };
}

/** Whether a sentence of the assistant has one of the phrases that end the call. */
export function hasEndPhrase(sentence: string, phrases: readonly string[]): boolean {
  const text = ` ${plainWords(sentence).join(' ')} `;
  return phrases.some((phrase) => text.includes(` ${phrase} `));
}
