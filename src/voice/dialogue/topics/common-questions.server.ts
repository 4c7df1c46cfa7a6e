import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import type { Embed } from '../knowledge/fact-search.server.ts';
import { coreOf } from '../likeness/core-words.server.ts';
import { product } from '../likeness/meaning-model.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';

const FILE = path.join(PROJECT_ROOT, 'src', 'voice', 'dialogue', 'topics', 'common-questions.txt');
/** How many of the ways of asking that are nearest in meaning count beside the nearest one. */
const NEAREST = 3;

/** Blocks of the file: a question that the topics answer, and other ways of asking it. */
const WAYS: readonly (readonly string[])[] = readFileSync(FILE, 'utf8')
  .replace(/^#.*\n/gm, '')
  .trim()
  .split(/\n{2,}/)
  .map((block) => block.split('\n'));

/** All the questions, as they are asked back. */
export const COMMON_QUESTIONS: readonly string[] = WAYS.map(([question = '']) => question);

/** The core words of every way of asking, so that their vectors can be made before the first question. */
export const COMMON_WAYS: readonly string[] = WAYS.flat().map((way) => coreOf(normaliseWords(way)));

/** A question that the agency's topics answer, and how much the caller's words mean the same. */
export interface LikeQuestion {
  readonly question: string;
  /** -1 to 1: the nearest way of asking, and the mean of the nearest three, in equal parts. */
  readonly likeness: number;
}

/**
 * The questions, most alike first; none where there are no vectors, or they come too late.
 *
 * @param words as `normaliseWords` leaves them
 */
export async function likeQuestions(words: string, embed: Embed | undefined): Promise<LikeQuestion[]> {
  const [asked, ...ways] = (await embed?.([coreOf(words), ...COMMON_WAYS]).catch(() => [])) ?? [];
  if (asked === undefined) return [];
  let at = 0;
  return WAYS.map((own) => {
    const from = at;
    at += own.length;
    const likenesses = ways
      .slice(from, at)
      .map((way) => product(asked, way))
      .sort((one, other) => other - one)
      .slice(0, NEAREST);
    const mean = likenesses.reduce((sum, one) => sum + one, 0) / Math.max(1, likenesses.length);
    return { question: own[0] ?? '', likeness: ((likenesses[0] ?? 0) + mean) / 2 };
  }).sort((one, other) => other.likeness - one.likeness);
}
