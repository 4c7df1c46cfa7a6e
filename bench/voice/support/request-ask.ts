import { type AgencyCall, isDone } from './agency.ts';
import { isAnswered, type SpokenLine, type SpokenRequest } from './request-file.ts';

/** The result for one line: what was understood, and the answer. */
export interface AskedLine {
  readonly said: string;
  readonly heard: string;
  readonly confidence: number;
  readonly answer: string;
}

/** The result for one request. */
export interface AskedRequest {
  readonly request: SpokenRequest;
  readonly lines: readonly AskedLine[];
  readonly succeeded: boolean;
}

/** How a line reaches the assistant: spoken or typed. */
export type Say = (line: string) => Promise<AskedLine>;

/** How often a caller repeats what was not understood, or corrects what was repeated wrongly. */
const MOST_TRIES = 3;
const ASKED_AGAIN =
  /did not (get|understand)|still do not understand|say (it|your name|the \w+) again|^Sorry/;

/**
 * Puts a request to the assistant like a caller who knows what they want: says each line, repeats one that
 * was not understood, and says no when the assistant repeats it wrongly.
 */
export async function askRequest(
  request: SpokenRequest,
  say: Say,
  call: AgencyCall,
  hungUp: () => boolean,
): Promise<AskedRequest> {
  const lines: AskedLine[] = [];
  let right = true;
  for (const line of request.lines) {
    const answered = await sayUntilRight(line, request.lines.length > 1, say, lines);
    // For a task only the final result counts.
    if (!answered && request.action === null) right = false;
  }
  return { request, lines, succeeded: right && isDone(request.action, call, hungUp()) };
}

async function sayUntilRight(
  line: SpokenLine,
  many: boolean,
  say: Say,
  lines: AskedLine[],
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const asked = await say(line.say);
    lines.push(asked);
    const right = isAnswered(line, asked.answer);
    if (!many || tries === MOST_TRIES) return right;
    if (right && (line.answers.length > 0 || !ASKED_AGAIN.test(asked.answer))) return true;
    if (asked.answer.includes('Is that right?') && line.answers.length > 0) lines.push(await say('No.'));
  }
}
