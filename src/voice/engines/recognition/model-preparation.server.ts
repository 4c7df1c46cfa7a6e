import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { buildLanguageModel } from './language-model.server.ts';
import { drawSentences, parseGrammar, seededDraw } from './phrase-expansion.server.ts';
import { spokenWords } from './spoken-words.server.ts';

/** The assistant's knowledge, as far as callers may speak about it. */
export interface SpokenKnowledge {
  /** Names of plans, one word each as it is said, e.g. `pro`. */
  readonly plans: readonly string[];
  /** Services as they are said, e.g. `lead generation`. */
  readonly services: readonly string[];
  /** Whole sentences: questions that it can answer, and its own prompt. */
  readonly sentences: readonly string[];
}

/** What the recogniser of a call loads. */
export interface PreparedModels {
  /** The file of the language model. */
  readonly ownModel: string;
  /** Names and terms that only this assistant's callers say, lower case. */
  readonly phrases: readonly string[];
}

const FOLDER = path.join(PROJECT_ROOT, 'src', 'voice', 'engines', 'recognition');
/** More sentences do not change the model any further (measured on 50 sentences in 4 voices). */
const SENTENCES = 60_000;
/** Each sentence of the assistant's own counts as much as a dozen drawn ones. */
const OWN_WEIGHT = 12;
const MOST_OWN_SENTENCES = 2000;
const MOST_WORDS_OF_SENTENCE = 40;
/** Shorter uncommon words are often misspellings. */
const LEAST_LETTERS = 4;
const MOST_PHRASES = 2000;

/**
 * Writes the language model for an assistant; the same knowledge is written once.
 *
 * @param folder where the models are kept
 */
export async function prepareModels(knowledge: SpokenKnowledge, folder: string): Promise<PreparedModels> {
  const sources = await readSources();
  const key = createHash('sha256')
    .update(JSON.stringify([sources, knowledge]))
    .digest('hex')
    .slice(0, 16);
  const prepared = {
    ownModel: path.join(folder, `${key}.lm`),
    phrases: phrasesOf(sources, knowledge),
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The words of an assistant's prompt and files are in it; earlier versions made the folder for everybody to read.
  await chmod(folder, 0o700);
  if (existsSync(prepared.ownModel)) return prepared;
  await writeWhole(prepared.ownModel, buildLanguageModel(sentencesOf(sources, knowledge)));
  return prepared;
}

/** Plans, services, mail providers, and the assistant's own words that are not common English. */
function phrasesOf({ phrases, common }: Sources, knowledge: SpokenKnowledge): string[] {
  const usual = new Set(common);
  const own = knowledge.sentences
    .slice(0, MOST_OWN_SENTENCES)
    .flatMap(spokenWords)
    .filter((word) => word.length >= LEAST_LETTERS && !usual.has(word));
  const named = [...knowledge.plans.flatMap((plan) => [plan, `${plan} plan`]), ...knowledge.services];
  const mail = parseGrammar(phrases).classes.get('mail') ?? [];
  return [...new Set([...named.map((name) => spokenWords(name).join(' ')), ...mail, ...own])].slice(
    0,
    MOST_PHRASES,
  );
}

/** Writes the whole file or nothing: another process may be preparing the same one. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
}

interface Sources {
  readonly phrases: string;
  readonly common: readonly string[];
  readonly first: readonly string[];
  readonly last: readonly string[];
}

async function readSources(): Promise<Sources> {
  const [phrases = '', common = '', first = '', last = ''] = await Promise.all(
    ['caller-phrases.txt', 'common-words.txt', 'first-names.txt', 'last-names.txt'].map((name) =>
      readFile(path.join(FOLDER, name), 'utf8'),
    ),
  );
  return { phrases, common: spokenWords(common), first: spokenWords(first), last: spokenWords(last) };
}

function sentencesOf(sources: Sources, knowledge: SpokenKnowledge): string[][] {
  const grammar = parseGrammar(sources.phrases);
  const classes = new Map<string, readonly string[]>([
    ...grammar.classes,
    ['first', sources.first],
    ['last', sources.last],
    ['plan', knowledge.plans.map((name) => spokenWords(name).join(' '))],
    ['service', knowledge.services.map((name) => spokenWords(name).join(' '))],
  ]);
  const drawn = drawSentences(grammar.phrases, classes, SENTENCES, seededDraw(1));
  const own = knowledge.sentences
    .slice(0, MOST_OWN_SENTENCES)
    .map((sentence) => spokenWords(sentence).slice(0, MOST_WORDS_OF_SENTENCE))
    .filter((words) => words.length > 0)
    .flatMap((words) => Array<string[]>(OWN_WEIGHT).fill(words));
  return [...drawn, ...own];
}
