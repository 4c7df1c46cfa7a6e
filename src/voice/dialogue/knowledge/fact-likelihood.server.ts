import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { digestOf } from '../likeness/packed-vectors.server.ts';
import { chancesOf, readTrained, type TrainedWeights } from '../likeness/trained-weights.server.ts';
import { SUBJECT_QUESTIONS, SUBJECT_STATEMENTS } from './subject-examples.server.ts';

/** Where what was learned of questions and facts is. */
export const FACT_WEIGHTS_FILE = path.join(
  PROJECT_ROOT,
  'src',
  'voice',
  'dialogue',
  'knowledge',
  'fact-likelihood.weights',
);
/** What it must have been made of: subjects are among what a likelihood comes from. */
export const FACT_DIGEST = digestOf([SUBJECT_QUESTIONS.digest, SUBJECT_STATEMENTS.digest]);

let learned: TrainedWeights | null = null;

/** What was learned; read at the first question. @throws Error where it is of other examples */
export function factWeights(): TrainedWeights {
  learned ??= readTrained(FACT_WEIGHTS_FILE, FACT_DIGEST);
  return learned;
}

/** How likely a fact answers a question, 0 to 1. @param weights others than those in force, while they are learned */
export function likelihoodOf(features: readonly number[], weights = factWeights().weights): number {
  const [likely = 0] = chancesOf([features, features.map(() => 0)], weights);
  return likely;
}
