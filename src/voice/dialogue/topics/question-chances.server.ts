import type { LikeQuestion } from './caller-examples.server.ts';
import type { TopicAnswer } from './topic-answer.server.ts';

/** Cues of this weight are any question's. */
const PLAIN = 3;
/** More than this adds nothing. */
const MOST = 6;
/** The rules' topic of what the agency has nothing to do with. */
export const OFF_TOPIC = 'off-topic';

/**
 * What says how likely a question is meant: its examples, and whether the rules found its topic. Where the meaning of the words is
 * known, `scripts/voice/train-understanding.ts` learned the weight of each.
 *
 * @param topic of the question's answer; null for what the agency has nothing to do with
 * @param ruled what the rules made of the words
 */
export function chanceFeatures(
  { nearest, near, words, score }: LikeQuestion,
  topic: string | null,
  ruled: Pick<TopicAnswer, 'topic' | 'weight'> | null,
): number[] {
  const agrees = ruled !== null && ruled.topic === (topic ?? OFF_TOPIC);
  const cues = Math.min(MOST, Math.max(0, (ruled?.weight ?? 0) - PLAIN)) / MOST;
  const none = topic === null;
  return [
    nearest,
    near,
    words,
    score ?? 0,
    agrees ? 1 : 0,
    agrees ? cues : 0,
    none ? 1 : 0,
    none && ruled === null ? 1 : 0,
  ];
}

/** An answer that may be wanted. */
export interface LikelyAnswer {
  /** Null: the agency has nothing to do with it. */
  readonly answer: TopicAnswer | null;
  /** The likeliest question that it answers. */
  readonly label: string | null;
  readonly chance: number;
}

/**
 * The chances of answers, the likeliest first: questions that are answered with the same words are one.
 *
 * @param chances of the candidates, in their order
 */
export function answersByChance(
  candidates: readonly (Pick<LikeQuestion, 'label'> & { readonly answer: TopicAnswer | null })[],
  chances: readonly number[],
): LikelyAnswer[] {
  const sums = new Map<
    string,
    { answer: TopicAnswer | null; label: string | null; most: number; sum: number }
  >();
  for (const [at, { label, answer }] of candidates.entries()) {
    const chance = chances[at] ?? 0;
    const key = answer === null ? '' : `${answer.topic}: ${answer.sentence}`;
    const known = sums.get(key);
    if (known === undefined) sums.set(key, { answer, label, most: chance, sum: chance });
    else {
      known.sum += chance;
      if (chance > known.most) Object.assign(known, { label, most: chance });
    }
  }
  return [...sums.values()]
    .map(({ answer, label, sum }) => ({ answer, label, chance: sum }))
    .sort((one, other) => other.chance - one.chance);
}
