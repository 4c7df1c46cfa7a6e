import type { Settings } from '../kernel/config/settings.ts';

/** How the operator starts this program: through npm in a clone, by its name in a release. */
export const PROGRAM = process.env.npm_lifecycle_event === 'northline' ? 'npm run northline --' : 'northline';

/** The text that a command printed, and its exit code. */
export interface Outcome {
  readonly text: string;
  /** 0: done, and all is well. 1: done, and the text says what is wrong. */
  readonly exitCode: 0 | 1;
}

/** One command of the operator: `northline NAME WORDS…`. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** One line for each form: the words after the name, two spaces, and what the form does. */
  readonly usage: readonly string[];
  /**
   * Runs the command.
   *
   * @param words the words after the command's name
   * @throws UsageError when the words fit no form; Error with a sentence for the operator
   */
  run(settings: Settings, words: readonly string[]): Promise<Outcome | string>;
}

/** The words of a command fit none of its forms. */
export class UsageError extends Error {}
