import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Embed } from '../../src/voice/dialogue/knowledge/fact-search.server.ts';
import {
  ASKED_BACK,
  type ASSISTANTS,
  FOLDER,
  HONEST,
  isRight,
  openAssistant,
  type Understanding,
} from './measure-understanding.ts';
import { type AgencyCall, isDone } from './support/agency.ts';
import { parseRequests, type RequestPart, type SpokenRequest } from './support/request-file.ts';

/**
 * The assistants to which callers speak as people do on a phone: fragments, corrections, two requests,
 * several turns.
 */
export const SPOKEN_TO = ['agency', 'clinic', 'restaurant', 'plumber'] as const;

type Outcome = Exclude<keyof Understanding, 'faults'>;
type Assistant = (typeof ASSISTANTS)[number];
const MOST_QUESTIONS = 8;

/** The half that contains a request: chosen by a hash of its lines, so that nobody picked it. */
export function partOf({ lines }: SpokenRequest): RequestPart {
  const digest = createHash('sha256').update(lines.map(({ say }) => say).join('|'));
  return (digest.digest()[0] ?? 0) % 2 === 0 ? 'dev' : 'held-out';
}

/** Puts each request of `<assistant>.spoken.txt` to a new call, recognised without a mistake. */
export async function measureSpokenLines(
  assistant: Assistant,
  part: RequestPart,
  embed: Embed | null,
): Promise<Understanding> {
  const sum: Understanding = { right: 0, rightAfterAskingBack: 0, notKnown: 0, wrong: 0, faults: [] };
  const text = readFileSync(path.join(FOLDER, `${assistant}.spoken.txt`), 'utf8');
  for (const request of parseRequests(text).filter((one) => partOf(one) === part)) {
    const { came, heard } = await converse(assistant, request, embed);
    sum[came]++;
    const said = request.lines.map(({ say }) => say).join(' / ');
    if (came !== 'right') sum.faults.push(`${came}: ${said} → ${heard.join(' / ')}`);
  }
  return sum;
}

async function converse(
  assistant: Assistant,
  request: SpokenRequest,
  embed: Embed | null,
): Promise<{ came: Outcome; heard: string[] }> {
  for (const choice of [null, 'the first one', 'the second one', 'the third one', 'none of those']) {
    const call = openAssistant(assistant, embed);
    const { failed, askedBack, heard } = await speak(call, request, choice);
    if (failed === null) return { came: choice === null ? 'right' : 'rightAfterAskingBack', heard };
    if (askedBack && choice === null) continue;
    if (!askedBack || choice === 'none of those') return { came: failed, heard };
  }
  throw new Error('Each way through ends above.');
}

/**
 * @param choice what a caller picks when asked which of several things they mean; null: the call ends with
 * that question
 */
async function speak(
  call: AgencyCall,
  request: SpokenRequest,
  choice: string | null,
): Promise<{ failed: 'notKnown' | 'wrong' | null; askedBack: boolean; heard: string[] }> {
  const heard: string[] = [];
  let askedBack = false;
  for (const line of request.lines) {
    heard.push(await say(call, line.say));
    if (!isRight(line, heard.at(-1) ?? '') && ASKED_BACK.test(heard.at(-1) ?? '')) {
      askedBack = true;
      if (choice === null) return { failed: 'notKnown', askedBack, heard };
      heard.push(await say(call, choice));
    }
    const answer = heard.at(-1) ?? '';
    if (!isRight(line, answer) && line.answers.length > 0)
      return { failed: HONEST.test(answer) || askedBack ? 'notKnown' : 'wrong', askedBack, heard };
  }
  if (request.action === null) return { failed: null, askedBack, heard };
  await answerQuestions(call, request.action.values, heard);
  if (isDone(request.action, call, false)) return { failed: null, askedBack, heard };
  // An announced action that was not carried out in the end is no lie; one carried out with other words is.
  const done = call.enquiries.length + call.bookings.length > 0;
  heard.push(JSON.stringify([...call.enquiries, ...call.bookings]));
  return { failed: done ? 'wrong' : 'notKnown', askedBack, heard };
}

/** The caller goes on answering questions until the task is done. */
async function answerQuestions(
  call: AgencyCall,
  values: ReadonlyMap<string, string>,
  heard: string[],
): Promise<void> {
  for (let asked = 0; asked < MOST_QUESTIONS; asked++) {
    const question = heard.at(-1) ?? '';
    const reply = /Is that right\?|May I send it\?|all right\?$/.test(question)
      ? 'Yes.'
      : /e-mail address/.test(question)
        ? (values.get('email') ?? 'No, I have none.')
        : /phone number|the number again/.test(question)
          ? values.get('phone')
          : /name/.test(question)
            ? values.get('name')
            : undefined;
    if (reply === undefined || call.enquiries.length + call.bookings.length > 0) return;
    heard.push(await say(call, reply));
  }
}

async function say({ dialogue }: AgencyCall, text: string): Promise<string> {
  const said: string[] = [];
  const turn = { text, typed: false, confidence: 1 };
  for await (const step of dialogue.reply(turn, [], new AbortController().signal))
    if (step.kind === 'sentence') said.push(step.text);
  return said.join(' ');
}
