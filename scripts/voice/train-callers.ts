import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Embed } from '../../src/voice/dialogue/knowledge/fact-search.server.ts';
import { coreOf } from '../../src/voice/dialogue/likeness/core-words.server.ts';
import { packNumbers } from '../../src/voice/dialogue/likeness/packed-vectors.server.ts';
import { chancesOf, trainedText } from '../../src/voice/dialogue/likeness/trained-weights.server.ts';
import { normaliseWords } from '../../src/voice/dialogue/spoken/word-normalisation.server.ts';
import {
  CALLER_EXAMPLES,
  CALLER_LIKENESS,
  examplesDigest,
  exampleVectors,
  VECTORS_FILE,
  WEIGHTS_FILE,
} from '../../src/voice/dialogue/topics/caller-examples.server.ts';
import { weighedTopic } from '../../src/voice/dialogue/topics/meant-topic.server.ts';
import {
  answersByChance,
  chanceFeatures,
  type LikelyAnswer,
} from '../../src/voice/dialogue/topics/question-chances.server.ts';
import { answerTopic, type TopicAnswer } from '../../src/voice/dialogue/topics/topic-answer.server.ts';
import { type Choice, fitChoices } from './least-squares.ts';
import { foldsOf, learnLabels } from './train-labels.ts';

/** The knowledge of any agency: only topics count here. */
const KNOWN = { brand: 'The agency', contactEmail: 'hello@example.com', hours: 'on weekdays', sentences: [] };
/** Chances from which an answer could be given; the result for each is printed. */
const BARS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/**
 * The chosen one, by the dev lines of bench/voice: below it, more wrong answers would be added than right
 * ones. The examples cannot decide it, because many of them say little by themselves, so that at any chance
 * many of them get a wrong answer.
 */
const TOLD = 0.5;
const MOST_ASKED = 3;
const TIMED = 200;

interface Unseen extends Choice {
  readonly words: string;
}

/**
 * Learns from what callers of the agency say, writes the result, and prints how it does on unseen examples.
 */
export async function trainCallers(embed: Embed): Promise<void> {
  const digest = examplesDigest();
  if (!isMadeOf(digest)) {
    const given = await embed(CALLER_EXAMPLES.map(({ words }) => coreOf(words)));
    writeFileSync(VECTORS_FILE, `${[digest, ...given.map((one) => packNumbers(one))].join('\n')}\n`);
  }
  const vectors = exampleVectors();
  const labels = CALLER_EXAMPLES.map(({ label }) => CALLER_LIKENESS.labels.indexOf(label));
  const learned = learnLabels({ vectors, labels, count: CALLER_LIKENESS.labels.length });
  console.log(
    `callers: ${vectors.length} examples, ${percent(learned.right)} by meaning alone (ridge ${learned.ridge})`,
  );

  const answers = CALLER_LIKENESS.labels.map((label) =>
    label === null ? null : answerTopic(normaliseWords(label), KNOWN, null),
  );
  const folds = foldsOf(labels);
  const unseen = CALLER_EXAMPLES.flatMap(({ label, words }, at): Unseen[] => {
    if (label !== null && words === normaliseWords(label)) return [];
    const { stands, ruled } = weighedTopic(words, KNOWN, null);
    if (stands) return [];
    const compared = CALLER_LIKENESS.compare(
      words,
      vectors[at] ?? null,
      (other) => folds[other] === folds[at],
    );
    const features = compared.map((one, place) =>
      chanceFeatures(
        { ...one, score: learned.unseen[at]?.[place] ?? 0 },
        answers[place]?.topic ?? null,
        ruled,
      ),
    );
    return [{ words, features, right: labels[at] ?? 0 }];
  });
  console.log(`  ${timed(vectors).toFixed(2)} ms to compare a turn with them`);
  const weights = fitChoices(unseen);
  printBars(unseen, weights, answers);
  writeFileSync(WEIGHTS_FILE, trainedText(digest, { rows: learned.rows, weights, told: TOLD }));
}

/** Whether the vectors exist already: reading some thousand sentences takes the model minutes. */
const isMadeOf = (digest: string): boolean =>
  existsSync(VECTORS_FILE) && readFileSync(VECTORS_FILE, 'utf8').startsWith(`${digest}\n`);

/** Milliseconds of one comparison, averaged over many. */
function timed(vectors: readonly Float32Array[]): number {
  const some = CALLER_EXAMPLES.slice(0, TIMED);
  const begun = performance.now();
  for (const [at, { words }] of some.entries()) CALLER_LIKENESS.compare(words, vectors[at] ?? null);
  return (performance.now() - begun) / some.length;
}

/** Prints the results for different chances from which answers are given. */
function printBars(
  unseen: readonly Unseen[],
  weights: readonly number[],
  answers: readonly (TopicAnswer | null)[],
): void {
  const candidates = answers.map((answer, at) => ({ answer, label: CALLER_LIKENESS.labels[at] ?? null }));
  const ranked = unseen.map(({ features, right }) => ({
    likely: answersByChance(candidates, chancesOf(features, weights)),
    right: keyOf(answers[right] ?? null),
  }));
  const share = (outcomes: readonly Outcome[], of: Outcome): number =>
    outcomes.filter((one) => one === of).length / Math.max(1, outcomes.length);
  for (const bar of BARS) {
    const outcomes = ranked.map(({ likely, right }) => outcomeOf(likely, right, bar));
    const shares = OUTCOMES.map((one) => `${one} ${percent(share(outcomes, one))}`);
    console.log(`  told from ${bar}: ${shares.join(', ')}`);
  }
  console.log(`  weights ${weights.map((one) => one.toFixed(2)).join(' ')}, told from ${TOLD}`);
}

const OUTCOMES = ['right', 'asked back', 'not known', 'wrong'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The result when the likeliest answers are given from a chance on. */
function outcomeOf(likely: readonly LikelyAnswer[], right: string, bar: number): Outcome {
  const [best] = likely;
  if (best === undefined) return 'not known';
  if (best.chance >= bar) {
    if (keyOf(best.answer) === right) return 'right';
    return best.answer === null ? 'not known' : 'wrong';
  }
  const asked = likely.slice(0, MOST_ASKED).some(({ answer }) => keyOf(answer) === right);
  return asked ? 'asked back' : 'not known';
}

/** Answers with the same words count as one. */
const keyOf = (answer: TopicAnswer | null): string =>
  answer === null ? '' : `${answer.topic}: ${answer.sentence}`;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
