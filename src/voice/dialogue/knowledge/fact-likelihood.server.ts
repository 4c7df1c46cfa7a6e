import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { digestOf } from '../likeness/packed-vectors.server.ts';
import { chancesOf, readTrained, type TrainedWeights } from '../likeness/trained-weights.server.ts';
import { SUBJECT_QUESTIONS, SUBJECT_STATEMENTS } from './subject-examples.server.ts';

/** The file of weights that were learned from questions and facts. */
export const FACT_WEIGHTS_FILE = path.join(
  PROJECT_ROOT,
  'src',
  'voice',
  'dialogue',
  'knowledge',
  'fact-likelihood.weights',
);
/** The digest that the file has to state: a likelihood depends on the examples of subjects. */
export const FACT_DIGEST = digestOf([SUBJECT_QUESTIONS.digest, SUBJECT_STATEMENTS.digest]);

let learned: TrainedWeights | null = null;

/**
 * The learned weights, read at the first question. @throws Error where they were learned from other examples
 */
export function factWeights(): TrainedWeights {
  learned ??= readTrained(FACT_WEIGHTS_FILE, FACT_DIGEST);
  return learned;
}

/**
 * How likely a fact answers a question, 0 to 1. @param weights other than those in force, while new ones are
 * learned
 */
export function likelihoodOf(features: readonly number[], weights = factWeights().weights): number {
  const [likely = 0] = chancesOf([features, features.map(() => 0)], weights);
  return likely;
}
