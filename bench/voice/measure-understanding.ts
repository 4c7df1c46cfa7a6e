import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Embed } from '../../src/voice/dialogue/knowledge/fact-search.server.ts';
import type { DialogueManager } from '../../src/voice/engines/engines.server.ts';
import { type AgencyCall, openAgency, openPrompt } from './support/agency.ts';
import { isAnswered, parseRequests, type RequestPart, type SpokenLine } from './support/request-file.ts';

/** The assistants that paraphrases are put to; the agency's answers from its catalogue, the others from a prompt. `hotel` and `vet`
 * had no part in the fit of which the held-out lines of the three before them are a part (decision 0300). */
export const ASSISTANTS = ['agency', 'clinic', 'restaurant', 'plumber', 'hotel', 'vet'] as const;

/** What came of the paraphrases of one assistant. */
export interface Understanding {
  right: number;
  /** Right in the second turn: it asked which of up to three things was meant. */
  rightAfterAskingBack: number;
  /** It said that it does not know, or asked back in vain, where there is an answer or is none. */
  notKnown: number;
  wrong: number;
  readonly faults: string[];
}

/** Where the assistants and what is said to them are. */
export const FOLDER = path.join(import.meta.dirname, 'assistants');
/** An honest no, as the agency's and the others say it. */
export const HONEST =
  /don't have that here|cannot help with that|did not understand|still do not understand|did not get that|can tell you about our services|cannot put you through/;
export const ASKED_BACK = /^Do you mean /;

/** Puts every paraphrase to a new dialogue, typed, so that recognition has no part in it. */
export async function measureUnderstanding(
  assistant: (typeof ASSISTANTS)[number],
  part: RequestPart,
  embed: Embed | null,
): Promise<Understanding> {
  const sum: Understanding = { right: 0, rightAfterAskingBack: 0, notKnown: 0, wrong: 0, faults: [] };
  const file = path.join(FOLDER, `${assistant}.${part}.txt`);
  // Some assistants are there to be asked only what nothing was tuned on.
  for (const { lines } of existsSync(file) ? parseRequests(readFileSync(file, 'utf8')) : []) {
    const [line] = lines;
    if (line === undefined) continue;
    const answer = await ask(openAssistant(assistant, embed).dialogue, line.say);
    const came = isRight(line, answer) ? 'right' : await otherwise(assistant, line, answer, embed);
    sum[came]++;
    if (came !== 'right') sum.faults.push(`${came}: ${line.say} → ${answer}`);
  }
  return sum;
}

async function otherwise(
  assistant: (typeof ASSISTANTS)[number],
  line: SpokenLine,
  answer: string,
  embed: Embed | null,
): Promise<'rightAfterAskingBack' | 'notKnown' | 'wrong'> {
  if (!ASKED_BACK.test(answer)) return HONEST.test(answer) ? 'notKnown' : 'wrong';
  for (const which of ['first', 'second', 'third']) {
    const dialogue = openAssistant(assistant, embed).dialogue;
    await ask(dialogue, line.say);
    if (isRight(line, await ask(dialogue, `the ${which} one`))) return 'rightAfterAskingBack';
  }
  return 'notKnown';
}

/** Whether an answer is what was to be heard; `not known` is any honest no. */
export function isRight(line: SpokenLine, answer: string): boolean {
  const honest = line.answers.flat().some((ways) => ways[0] === 'not known') && HONEST.test(answer);
  return honest || isAnswered(line, answer);
}

/** Begins a call with one of the assistants. */
export function openAssistant(assistant: (typeof ASSISTANTS)[number], embed: Embed | null): AgencyCall {
  if (assistant === 'agency') return openAgency(embed ?? undefined);
  return openPrompt(readFileSync(path.join(FOLDER, `${assistant}.prompt.txt`), 'utf8'), embed);
}

async function ask(dialogue: DialogueManager, text: string): Promise<string> {
  const said: string[] = [];
  const turn = { text, typed: true, confidence: 1 };
  for await (const step of dialogue.reply(turn, [], new AbortController().signal))
    if (step.kind === 'sentence') said.push(step.text);
  return said.join(' ');
}
