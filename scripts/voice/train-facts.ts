import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { partOf } from '../../bench/voice/measure-spoken-lines.ts';
import { FOLDER } from '../../bench/voice/measure-understanding.ts';
import {
  isAnswered,
  parseRequests,
  type SpokenLine,
  type SpokenRequest,
} from '../../bench/voice/support/request-file.ts';
import { barOf } from '../../src/voice/dialogue/knowledge/fact-bar.server.ts';
import {
  FACT_DIGEST,
  FACT_WEIGHTS_FILE,
  likelihoodOf,
} from '../../src/voice/dialogue/knowledge/fact-likelihood.server.ts';
import {
  type ComparedFact,
  type Embed,
  FactSearch,
} from '../../src/voice/dialogue/knowledge/fact-search.server.ts';
import { readPrompt } from '../../src/voice/dialogue/knowledge/prompt-reading.server.ts';
import { type Question, readQuestion } from '../../src/voice/dialogue/knowledge/question-reading.server.ts';
import { trainedText } from '../../src/voice/dialogue/likeness/trained-weights.server.ts';
import { normaliseWords } from '../../src/voice/dialogue/spoken/word-normalisation.server.ts';
import { type Choice, fitChoices } from './least-squares.ts';

/** `hotel` and `vet` have no dev lines, because nothing is tuned on them. */
const ASSISTANTS = ['clinic', 'restaurant', 'plumber'];
/** Facts for each question from which we learn. */
const MOST_FACTS = 8;
const MOST_WRONG = 0.04;
const BARS = [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7];

interface Asked {
  readonly assistant: string;
  readonly line: SpokenLine;
  readonly question: Question;
  readonly found: readonly ComparedFact[];
  readonly search: FactSearch;
}

/**
 * Learns from the dev lines how likely facts answer questions, and writes the result; prints how it does on
 * an unseen assistant.
 */
export async function trainFacts(embed: Embed): Promise<void> {
  const asked = (await Promise.all(ASSISTANTS.map((one) => ask(one, embed)))).flat();
  const unseen = ASSISTANTS.flatMap((assistant) => {
    const weights = fitChoices(choicesOf(asked.filter((one) => one.assistant !== assistant)));
    return asked.filter((one) => one.assistant === assistant).map((one) => ({ one, weights }));
  });
  const tried = BARS.map((bar) => {
    const outcomes = unseen.map(({ one, weights }) => outcomeOf(one, weights, bar));
    const share = (of: Outcome): number =>
      outcomes.filter((outcome) => outcome === of).length / Math.max(1, outcomes.length);
    console.log(`  told from ${bar}: ${OUTCOMES.map((of) => `${of} ${share(of).toFixed(3)}`).join(', ')}`);
    return { bar, wrong: share('wrong') };
  });
  const told = tried.find(({ wrong }) => wrong <= MOST_WRONG)?.bar ?? BARS.at(-1) ?? 1;
  const weights = fitChoices(choicesOf(asked));
  console.log(
    `facts: ${asked.length} questions, told from ${told}; weights ${weights.map((one) => one.toFixed(2)).join(' ')}`,
  );
  writeFileSync(FACT_WEIGHTS_FILE, trainedText(FACT_DIGEST, { rows: [], weights, told }));
}

/** The questions in an assistant's dev lines that facts answer, or that have no answer. */
async function ask(assistant: string, embed: Embed): Promise<Asked[]> {
  const reading = readPrompt(readFileSync(path.join(FOLDER, `${assistant}.prompt.txt`), 'utf8'));
  const search = new FactSearch(reading.facts, embed);
  const asked: Asked[] = [];
  for (const line of devLines(assistant)) {
    const question = readQuestion(normaliseWords(line.say));
    const found = await search.compare(question);
    const none = line.answers.flat().some(([way]) => way === 'not known');
    if (none || found.some(({ fact }) => isAnswered(line, fact.text)))
      asked.push({ assistant, line, question, found, search });
  }
  return asked;
}

/** Single questions with one answer; no line of the held-out halves. */
function devLines(assistant: string): SpokenLine[] {
  const requests = ['dev', 'spoken'].flatMap((part): SpokenRequest[] => {
    const file = path.join(FOLDER, `${assistant}.${part}.txt`);
    const all = existsSync(file) ? parseRequests(readFileSync(file, 'utf8')) : [];
    return part === 'dev' ? all : all.filter((one) => partOf(one) === 'dev');
  });
  return requests.flatMap(({ lines: [line, ...more], action }) =>
    line !== undefined && more.length === 0 && action === null && line.answers.length === 1 ? [line] : [],
  );
}

/** Each fact either is the answer or is not. */
const choicesOf = (asked: readonly Asked[]): Choice[] =>
  asked.flatMap(({ line, found }) =>
    found.slice(0, MOST_FACTS).map(
      ({ fact, features }): Choice => ({
        features: [features, features.map(() => 0)],
        right: isAnswered(line, fact.text) ? 0 : 1,
      }),
    ),
  );

const OUTCOMES = ['right', 'not told', 'wrong'] as const;
type Outcome = (typeof OUTCOMES)[number];

function outcomeOf(
  { line, question, found, search }: Asked,
  weights: readonly number[],
  bar: number,
): Outcome {
  const likely = found
    .map((one) => ({ ...one, likely: likelihoodOf(one.features, weights) }))
    .sort((one, other) => other.likely - one.likely);
  const [best, second] = likely;
  if (best === undefined) return 'not told';
  const least = barOf({ question, best, second }, (term) => search.knows(term), bar);
  if (best.likely < least) return 'not told';
  return isAnswered(line, best.fact.text) ? 'right' : 'wrong';
}
