import type { Report } from '../../packages/document-reader/src/contract/report.contract.ts';
import {
  asJpeg,
  type Damage,
  damage,
  drawPage,
  type ScanLayout,
} from '../../packages/document-reader/src/samples/make-scans.fixture.ts';
import type { ScanLanguage } from '../../packages/document-reader/src/samples/scan-texts.fixture.ts';
import { mean } from './measure-receipts.ts';
import { type Reading, readPicture } from './read-picture.ts';

const DAMAGES: readonly Damage[] = [
  'clean',
  'noise',
  'skew',
  'quarter',
  'half',
  'three-quarters',
  'small',
  'pale',
  'shadow',
  'perspective',
];
const LANGUAGES: readonly ScanLanguage[] = ['en', 'de', 'fr'];
const LAYOUTS: readonly ScanLayout[] = ['letter', 'invoice', 'columns'];
const TURNS: Partial<Record<Damage, number>> = { quarter: 90, half: 180, 'three-quarters': 270 };
/** A page of which a smaller share of the words is read, without a warning, counts as silently lost. */
const LOST = 0.8;

/**
 * Generates pages from a seed on, reads them, and prints the share of words found, the directions recognised
 * and the pages lost.
 */
export async function measurePages(folder: string, seed: number): Promise<void> {
  const [recalls, seconds]: [number[], number[]] = [[], []];
  const byDamage = new Map<Damage, number[]>();
  let [upright, silent, number] = [0, 0, 0];
  for (const how of DAMAGES) {
    for (const language of LANGUAGES) {
      const layout = LAYOUTS[number % LAYOUTS.length] as ScanLayout;
      const scan = damage(drawPage(language, layout, seed + number), how, seed + number);
      const name = `${language}-${layout}-${how}.jpg`;
      const reading = await readPicture(folder, name, asJpeg(scan.canvas));
      const recall = recallOf(scan.words, reading.text);
      const turned = reportOf(reading)?.coverage.pagesOcr?.[0]?.turned;
      if (turned === (TURNS[how] ?? 0)) upright += 1;
      if (recall < LOST && isSilent(reading)) silent += 1;
      recalls.push(recall);
      seconds.push(reading.cpuSeconds);
      byDamage.set(how, [...(byDamage.get(how) ?? []), recall]);
      console.log(`  ${name.padEnd(32)} words ${recall.toFixed(3)}  ${reading.cpuSeconds.toFixed(1)} s`);
      number += 1;
    }
  }
  for (const [how, values] of byDamage) console.log(`  ${how.padEnd(16)} ${mean(values).toFixed(3)}`);
  console.log(
    `Pages, ${number}: word recall ${mean(recalls).toFixed(3)}, least ${Math.min(...recalls).toFixed(3)}`,
  );
  console.log(`  direction right ${upright}/${number}; lost in silence ${silent}`);
  console.log(
    `  processor time a file: mean ${mean(seconds).toFixed(1)} s, most ${Math.max(...seconds).toFixed(1)} s`,
  );
}

function reportOf({ reply }: Reading): Report | undefined {
  return reply.outcome === 'read' ? reply.report : undefined;
}

/** Whether the report of a page has no warning about missing text. */
function isSilent(reading: Reading): boolean {
  const report = reportOf(reading);
  return (
    report !== undefined &&
    report.status === 'complete' &&
    !report.warnings.some(({ code }) => code === 'ocr_unclear')
  );
}

/**
 * Share of the printed words that were read, counted as often as they were printed, without punctuation at
 * their edges.
 */
function recallOf(words: readonly string[], text: string): number {
  const bare = (word: string): string =>
    word
      .normalize('NFKC')
      .replace(/[’‘]/g, "'")
      .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  const read = new Map<string, number>();
  for (const word of text.split(/\s+/).map(bare)) read.set(word, (read.get(word) ?? 0) + 1);
  const wanted = words.map(bare).filter((word) => word !== '');
  let found = 0;
  for (const word of wanted) {
    const left = read.get(word) ?? 0;
    if (left === 0) continue;
    found += 1;
    read.set(word, left - 1);
  }
  return found / Math.max(1, wanted.length);
}
