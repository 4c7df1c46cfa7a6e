import { checkedFiles, namesAndCopy, passagesOf, readSource } from './passages.ts';
import { patternsIn } from './prose-patterns.ts';
import { retiredWordsIn, retiredWordsInPath } from './retired-words.ts';

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

/** Every sentence with a refused pattern, in comments, documents and copy. */
export function findPatterns(): Place[] {
  return checkedFiles().flatMap((file) =>
    passagesOf(file, readSource(file)).flatMap(({ line, text }) =>
      patternsIn(text).map(({ pattern, sentence }) => ({
        area: areaOf(file),
        pattern,
        at: `${file}:${line}`,
        text: sentence,
      })),
    ),
  );
}

/** Every place of a word that the glossary retired: names of files, identifiers, comments and copy. */
export function findRetiredWords(): Place[] {
  return checkedFiles()
    .filter((file) => file !== 'docs/glossary.md')
    .flatMap((file) =>
      [...retiredWordsInPath(file), ...retiredWordsIn(namesAndCopy(file, readSource(file)))].map((text) => ({
        area: areaOf(file),
        pattern: 'retired word',
        at: file,
        text,
      })),
    );
}

/** How often each area has something, all areas without any left out. */
export function countByArea(places: readonly Place[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { area } of places) counts[area] = (counts[area] ?? 0) + 1;
  return counts;
}
