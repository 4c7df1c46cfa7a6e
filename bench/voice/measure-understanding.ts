import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Embed } from '../../src/voice/dialogue/knowledge/fact-search.server.ts';
import type { DialogueManager } from '../../src/voice/engines/engines.server.ts';
import { type AgencyCall, openAgency, openPrompt } from './support/agency.ts';
import { isAnswered, parseRequests, type RequestPart, type SpokenLine } from './support/request-file.ts';

/**
 * The assistants to which paraphrases are put; the agency answers from its catalogue, the others from a
 * prompt. `hotel` and `vet` had no part in any fit, while the held-out lines of the three before them are
 * from assistants that had (decision 0300). The three after them have only lines that were looked at (decision 0700),
 * and the last seven only lines that nobody has looked at (decisions 0854 and 0860).
 */
export const ASSISTANTS = [
  'agency',
  'clinic',
  'restaurant',
  'plumber',
  'hotel',
  'vet',
  'storage',
  'driving',
  'cattery',
  'groomer',
  'bicycle',
  'climbing',
  'watersports',
  'tailor',
  'bakery-school',
  'lost-property',
] as const;

/** The result for the paraphrases of one assistant. */
export interface Understanding {
  right: number;
  /** Right in the second turn, after it asked which of up to three things was meant. */
  rightAfterAskingBack: number;
  /** It said that it does not know, or asked back in vain, whether or not an answer exists. */
  notKnown: number;
  wrong: number;
  readonly faults: string[];
}

/** Where the assistants and the requests to them are. */
export const FOLDER = path.join(import.meta.dirname, 'assistants');
/** The ways in which the agency's assistant and the others say that they do not know. */
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
  // Some assistants have only held-out lines, because nothing was tuned on them.
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

/** Whether an answer is the expected one; `not known` accepts any honest no. */
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
