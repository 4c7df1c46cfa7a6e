/** Where a match stands in the text. */
export interface Surroundings {
  /** The text before the match. */
  readonly before: string;
  /** The text after the match. */
  readonly after: string;
}

/** One way to read a piece of text. */
export interface ReadingRule {
  /** Sticky: it is tried where a word, a number or a sign begins. */
  readonly pattern: RegExp;
  /** Words for the match, letters to spell as single capitals; undefined where the rule does not fit. */
  readonly say: (match: RegExpExecArray, around: Surroundings) => string | undefined;
}

/** A rule from the source of its pattern; `flags` besides `y`. */
export function rule(source: string, say: ReadingRule['say'], flags = ''): ReadingRule {
  return { pattern: new RegExp(source, `y${flags}`), say };
}

/** The letters of a text as single capitals, which are read by their names. */
export function spelledLetters(text: string): string {
  return [...text.toUpperCase()].filter((letter) => letter >= 'A' && letter <= 'Z').join(' ');
}

/** Words before a single letter that names one of several. */
export const OPTION: RegExp =
  /\b(?:option|plan|grade|letter|vitamin|section|group|class|team|block|unit|flat|type|part|exhibit|size|platform|gate|building|level|hepatitis|category|button|key)s? $/i;
