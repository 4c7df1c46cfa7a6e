/** Shorter sentences are made in less time than a part saves. */
const SHORT = 60;
/** A first part shorter than this sounds chopped. */
const LEAST = 20;

/**
 * Cuts a long sentence after a comma, colon or full stop near its beginning, so that its first words
 * are heard while the rest is made.
 *
 * @returns one or two parts, never empty ones
 */
export function splitSentence(sentence: string): string[] {
  const text = sentence.trim();
  if (text === '') return [];
  if (text.length <= SHORT) return [text];
  const cut = text.slice(LEAST).search(/[,;:.!?]\s/);
  if (cut < 0) return [text];
  const end = LEAST + cut + 1;
  return [text.slice(0, end), text.slice(end).trim()].filter((part) => part !== '');
}
