import { type AgencyCall, isDone } from './agency.ts';
import { isAnswered, type SpokenLine, type SpokenRequest } from './request-file.ts';

/** What came of one line: what was understood of it, and what was answered. */
export interface AskedLine {
  readonly said: string;
  readonly heard: string;
  readonly confidence: number;
  readonly answer: string;
}

/** What came of one request. */
export interface AskedRequest {
  readonly request: SpokenRequest;
  readonly lines: readonly AskedLine[];
  readonly succeeded: boolean;
}

/** How a line reaches the assistant: spoken or typed. */
export type Say = (line: string) => Promise<AskedLine>;

/** A caller repeats what was not understood, and corrects what is said back wrong, no oftener than this. */
const MOST_TRIES = 3;
const ASKED_AGAIN =
  /did not (get|understand)|still do not understand|say (it|your name|the \w+) again|^Sorry/;

/**
 * Puts a request to the assistant as a caller who knows what he wants: he says his lines, repeats one
 * that was not understood, and says no where it was said back wrong.
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
    // Of a task only what was done in the end counts.
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
