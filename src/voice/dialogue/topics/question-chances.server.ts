import type { LikeQuestion } from './caller-examples.server.ts';
import type { TopicAnswer } from './topic-answer.server.ts';

/** Cues of this weight fit any question. */
const PLAIN = 3;
/** Greater weights than this count no more. */
const MOST = 6;
/** The rules' topic for what the agency has nothing to do with. */
export const OFF_TOPIC = 'off-topic';

/**
 * The features for the chance that a question is meant: its examples, and whether the rules found its topic.
 * `scripts/voice/train-understanding.ts` learned their weights, for use with vectors of meaning.
 *
 * @param topic of the question's answer; null for what the agency has nothing to do with
 * @param ruled the topic that the rules found
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

/** A possible answer. */
export interface LikelyAnswer {
  /** Null where the agency has nothing to do with the question. */
  readonly answer: TopicAnswer | null;
  /** The likeliest question that it answers. */
  readonly label: string | null;
  readonly chance: number;
}

/**
 * The chances of answers, likeliest first; questions with the same answer are added up.
 *
 * @param chances those of the candidates, in their order
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
