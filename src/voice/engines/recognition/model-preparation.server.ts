import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../config/project-root.ts';
import { buildLanguageModel } from './build-language-model.server.ts';
import { drawSentences, parseGrammar, seededDraw } from './expand-phrases.server.ts';
import type { RecogniserFiles } from './find-recogniser.server.ts';
import { pronounceWord } from './pronounce-word.server.ts';

/** What the assistant knows and a caller may therefore say. */
export interface SpokenKnowledge {
  /** Names of plans, one word each as it is said, e.g. `pro`. */
  readonly plans: readonly string[];
  /** Services as they are said, e.g. `lead generation`. */
  readonly services: readonly string[];
  /** Whole sentences: questions that it can answer, its own prompt. */
  readonly sentences: readonly string[];
}

/** The files that a recogniser's process is started with. */
export interface PreparedModels {
  readonly ownModel: string;
  readonly dictionary: string;
}

const FOLDER = path.join(PROJECT_ROOT, 'src', 'features', 'voice', 'recognition');
/** More change the model no further (measured on 50 sentences in 4 voices). */
const SENTENCES = 60_000;
/** Each sentence of the assistant's own counts as often as a dozen drawn ones. */
const OWN_WEIGHT = 12;
const MOST_OWN_SENTENCES = 2000;
const MOST_WORDS_OF_SENTENCE = 40;

/**
 * Writes the language model and the dictionary for an assistant, once for the same knowledge.
 *
 * @param folder where they are kept
 */
export async function prepareModels(
  files: RecogniserFiles,
  knowledge: SpokenKnowledge,
  folder: string,
): Promise<PreparedModels> {
  const sources = await readSources();
  const key = createHash('sha256')
    .update(JSON.stringify([sources, knowledge]))
    .digest('hex')
    .slice(0, 16);
  const prepared = {
    ownModel: path.join(folder, `${key}.lm`),
    dictionary: path.join(folder, `${key}.dict`),
  };
  if (existsSync(prepared.ownModel) && existsSync(prepared.dictionary)) return prepared;
  await mkdir(folder, { recursive: true });
  const sentences = sentencesOf(sources, knowledge);
  const full = await readFile(path.join(files.models, 'cmudict-en-us.dict'), 'utf8');
  const dictionary = dictionaryFor(new Set([...sources.common, ...sentences.flat()]), full);
  await writeWhole(prepared.dictionary, dictionary);
  await writeWhole(prepared.ownModel, buildLanguageModel(sentences));
  return prepared;
}

/** Whole or not at all: another process may be preparing the same. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text);
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
  return { phrases, common: wordsOf(common), first: wordsOf(first), last: wordsOf(last) };
}

function sentencesOf(sources: Sources, knowledge: SpokenKnowledge): string[][] {
  const grammar = parseGrammar(sources.phrases);
  const classes = new Map<string, readonly string[]>([
    ...grammar.classes,
    ['first', sources.first],
    ['last', sources.last],
    ['plan', knowledge.plans.map((name) => wordsOf(name).join(' '))],
    ['service', knowledge.services.map((name) => wordsOf(name).join(' '))],
  ]);
  const drawn = drawSentences(grammar.phrases, classes, SENTENCES, seededDraw(1));
  const own = knowledge.sentences
    .slice(0, MOST_OWN_SENTENCES)
    .map((sentence) => wordsOf(sentence).slice(0, MOST_WORDS_OF_SENTENCE))
    .filter((words) => words.length > 0)
    .flatMap((words) => Array<string[]>(OWN_WEIGHT).fill(words));
  return [...drawn, ...own];
}

/** The lines of the full dictionary for these words, and made-up ones for words that it lacks. */
function dictionaryFor(words: ReadonlySet<string>, full: string): string {
  const found = new Set<string>();
  const lines = full.split('\n').filter((line) => {
    const word = line.slice(0, line.search(/[( ]/));
    if (!words.has(word)) return false;
    found.add(word);
    return true;
  });
  for (const word of words) {
    const sounds = found.has(word) ? '' : pronounceWord(word);
    if (sounds !== '') lines.push(`${word} ${sounds}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Words as the recogniser knows them: lower case, British endings as its dictionary has them. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[a-z']+/g) ?? []).map((word) =>
    word.replace(/^'+|'+$/g, '').replace(/^(anal|organ|real|recogn|customi?|apolog)ys/, '$1yz'),
  );
}
