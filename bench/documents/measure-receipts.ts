import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { receiptTruth } from './field-corpora.ts';
import { printScores, type Scores, score } from './measure-fields.ts';
import { readPicture } from './read-picture.ts';

/** Photographs and scans of till receipts, each with its correct fields (SROIE). */
const CORPUS = path.join(PROJECT_ROOT, '..', 'shared', 'corpus', 'receipts');

interface Truth {
  readonly total?: string;
  readonly date?: string;
  readonly company?: string;
}

const bare = (text: string): string => text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Whether a field's correct value is in the text, ignoring spaces. */
const PRESENT: Readonly<Record<keyof Truth, (value: string, text: string) => boolean>> = {
  total: (value, text) => {
    const figure = value.replace(/[^\d.,]/g, '').replaceAll('.', '[.]');
    const joined = text.replace(/(\d)\s*([.,])\s*(\d\d)\b/g, '$1$2$3');
    return new RegExp(`(?<!\\d)${figure}(?!\\d)`).test(joined);
  },
  date: (value, text) =>
    text.toUpperCase().replace(/\s+/g, '').includes(value.toUpperCase().replace(/\s+/g, '')),
  company: (value, text) => bare(text).includes(bare(value)),
};

/** Reads every receipt of the corpus and prints how many correct values are in the text. */
export async function measureReceipts(folder: string): Promise<void> {
  if (!existsSync(CORPUS)) {
    console.log(`Receipts: skipped, ${path.relative(PROJECT_ROOT, CORPUS)} is absent.`);
    return;
  }
  const counts = { total: [0, 0], date: [0, 0], company: [0, 0] } as Record<keyof Truth, [number, number]>;
  const [words, seconds, missing]: [number[], number[], string[]] = [[], [], []];
  const scores: Scores = new Map();
  let lost = 0;
  for (const name of globSync('*.key.json', { cwd: CORPUS }).sort()) {
    const id = name.replace('.key.json', '');
    const truth = JSON.parse(readFileSync(path.join(CORPUS, name), 'utf8')) as Truth;
    const picture = readFileSync(path.join(CORPUS, `${id}.img.jpg`));
    const { reply, text, cpuSeconds } = await readPicture(folder, `${id}.jpg`, picture);
    if (reply.outcome === 'read') score(scores, reply.report, { truth: receiptTruth(id) });
    if (reply.outcome !== 'read') lost += 1;
    seconds.push(cpuSeconds);
    words.push(wordShare(path.join(CORPUS, `${id}.box.csv`), text));
    for (const [field, isPresent] of Object.entries(PRESENT) as [keyof Truth, (typeof PRESENT)['total']][]) {
      const value = truth[field];
      if (value === undefined || value === '') continue;
      counts[field][1] += 1;
      if (isPresent(value, text)) counts[field][0] += 1;
      else missing.push(`${id} ${field} ${value}`);
    }
  }
  const shares = Object.entries(counts).map(([field, [found, of]]) => `${field} ${found}/${of}`);
  console.log(`Receipts, ${words.length}: ${shares.join(', ')} present in the text; not read: ${lost}`);
  console.log(`  words found without spaces: ${mean(words).toFixed(3)}`);
  console.log(
    `  processor time a file: mean ${mean(seconds).toFixed(1)} s, most ${Math.max(...seconds).toFixed(1)} s`,
  );
  printScores('Fields of receipts by their pictures', scores);
  if (missing.length > 0) console.log(`  missing: ${missing.join('; ')}`);
}

/** Share of the correct words that are in the text, ignoring spaces. */
function wordShare(boxes: string, text: string): number {
  const truth = readFileSync(boxes, 'utf8')
    .split(/\r?\n/)
    .flatMap((line) => line.split(',').slice(8).join(',').split(/\s+/))
    .map(bare)
    .filter((word) => word.length > 1);
  const flat = bare(text);
  return truth.filter((word) => flat.includes(word)).length / Math.max(1, truth.length);
}

/** The mean of the figures; 0 for an empty list. */
export function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / Math.max(1, figures.length);
}
