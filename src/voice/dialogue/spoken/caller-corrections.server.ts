/**
 * Words that take back what was said before them. A single `no` or `sorry` does not: it may be meant as such.
 */
const TAKES_BACK =
  / (?:(?:(?:no|oh|sorry|wait|hang on|hold on|well|actually|oops) ){1,4}(?:i (?:mean|meant|said) |make (?:it|that) |rather )|(?:(?:no|oh|sorry|wait|hang on|hold on|actually|oops) ){2,4}|(?:i meant|i mean|scratch that|make that|or rather|no not that) )/g;

/** What a caller said first, and what should replace it. */
export interface Correction {
  readonly said: string;
  readonly meant: string;
}

/**
 * The correction that a caller makes within one turn.
 *
 * @param words as `normaliseWords` leaves them
 * @returns null where nothing is taken back
 * @example takenBack('the basic plan no sorry the pro plan') // said 'the basic plan', meant 'the pro plan'
 */
export function takenBack(words: string): Correction | null {
  const last = [...words.matchAll(TAKES_BACK)].at(-1);
  if (last === undefined) return null;
  const said = words.slice(0, last.index).trim();
  const meant = words.slice(last.index + last[0].length).trim();
  return said === '' || meant === '' ? null : { said, meant };
}
