import { checkedFiles, namesAndCopy, passagesOf, readSource } from './passages.ts';
import { patternsIn } from './prose-patterns.ts';
import { mayHaveRetiredWords, retiredWordsIn, retiredWordsInPath } from './retired-words.ts';

/** One place that is to be rewritten. */
export interface Place {
  /** `src/voice`, `packages/call`, `tests`, `docs/decisions` …; `.` for the root's documents. */
  readonly area: string;
  /** Name of a pattern, or `retired word`. */
  readonly pattern: string;
  /** With its line where it has one. */
  readonly at: string;
  readonly text: string;
}

/** The area that a file belongs to. */
export function areaOf(file: string): string {
  const [top = '', next = ''] = file.split('/');
  if (top === file) return '.';
  if (top === 'src' && file.split('/').length === 2) return 'src';
  return top === 'src' || top === 'packages' || next === 'decisions' ? `${top}/${next}` : top;
}

/**
 * Every sentence with a refused pattern, in comments, documents and copy, and every word that the glossary retired, in
 * names of files, identifiers, comments and copy.
 */
export function findPlaces(): { patterns: Place[]; retired: Place[] } {
  const patterns: Place[] = [];
  const retired: Place[] = [];
  for (const file of checkedFiles()) {
    const source = readSource(file);
    const area = areaOf(file);
    for (const { line, text } of passagesOf(file, source))
      for (const { pattern, sentence } of patternsIn(text))
        patterns.push({ area, pattern, at: `${file}:${line}`, text: sentence });
    if (file === 'docs/glossary.md') continue;
    const words = mayHaveRetiredWords(source) ? retiredWordsIn(namesAndCopy(file, source)) : [];
    for (const text of [...retiredWordsInPath(file), ...words])
      retired.push({ area, pattern: 'retired word', at: file, text });
  }
  return { patterns, retired };
}

/** How often each area has something, all areas without any left out. */
export function countByArea(places: readonly Place[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { area } of places) counts[area] = (counts[area] ?? 0) + 1;
  return counts;
}
