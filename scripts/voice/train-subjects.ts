import { writeFileSync } from 'node:fs';
import type { Embed } from '../../src/voice/dialogue/knowledge/fact-search.server.ts';
import {
  SUBJECT_QUESTIONS,
  SUBJECT_STATEMENTS,
  type SubjectExamples,
  subjectFeatures,
} from '../../src/voice/dialogue/knowledge/subject-examples.server.ts';
import { coreOf } from '../../src/voice/dialogue/likeness/core-words.server.ts';
import { chancesOf, trainedText } from '../../src/voice/dialogue/likeness/trained-weights.server.ts';
import { type Choice, fitChoices } from './least-squares.ts';
import { foldsOf, learnLabels } from './train-labels.ts';

/**
 * Learns the subjects of questions and of statements, writes the result, and prints how it does on unseen
 * examples.
 */
export async function trainSubjects(embed: Embed): Promise<void> {
  await train('questions', SUBJECT_QUESTIONS, (words) => coreOf(words), embed);
  await train('statements', SUBJECT_STATEMENTS, (words) => words, embed);
}

async function train(
  name: string,
  { examples, likeness, file, digest }: SubjectExamples,
  textOf: (words: string) => string,
  embed: Embed,
): Promise<void> {
  const vectors = await embed(examples.map(({ words }) => textOf(words)));
  const labels = examples.map(({ label }) => likeness.labels.indexOf(label));
  const learned = learnLabels({ vectors, labels, count: likeness.labels.length });
  const folds = foldsOf(labels);
  const choices = examples.map(({ words }, at): Choice => {
    const compared = likeness.compare(words, null, (other) => folds[other] === folds[at]);
    const features = compared.map((one, place) =>
      subjectFeatures(one.words, learned.unseen[at]?.[place] ?? 0, one.label),
    );
    return { features, right: labels[at] ?? 0 };
  });
  const weights = fitChoices(choices);
  const right = choices.filter((one) => {
    const chances = chancesOf(one.features, weights);
    return chances.indexOf(Math.max(...chances)) === one.right;
  }).length;
  console.log(
    `${name}: ${examples.length} examples, ${learned.right.toFixed(3)} by meaning (ridge ${learned.ridge}), ${(right / examples.length).toFixed(3)} with words; weights ${weights.map((one) => one.toFixed(2)).join(' ')}`,
  );
  writeFileSync(file, trainedText(digest, { rows: learned.rows, weights, told: 0 }));
}
