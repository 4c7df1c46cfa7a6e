/** How similar two words must be to stand for each other, 0 to 1. */
const ALIKE = 0.42;
const MOST_ALIKE = 4;

/** The trigrams of a word with its beginning and its end marked, like those of `pg_trgm`. */
function trigramsOf(word: string): Set<string> {
  const padded = `  ${word} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

/** Parts of a word, of which a similar word has at least one. The database searches for them without any extension. */
export function partsOf(word: string): string[] {
  if (word.length <= 3) return [word];
  return Array.from({ length: word.length - 2 }, (_, at) => word.slice(at, at + 3));
}

/** The words most similar to `word`, best first; words that begin with it count as similar. */
export function mostAlike(word: string, candidates: readonly string[]): string[] {
  const own = trigramsOf(word);
  return candidates
    .map((candidate) => ({ candidate, likeness: likeness(word, own, candidate) }))
    .filter((each) => each.likeness >= ALIKE)
    .sort((a, b) => b.likeness - a.likeness || a.candidate.length - b.candidate.length)
    .slice(0, MOST_ALIKE)
    .map(({ candidate }) => candidate);
}

function likeness(word: string, own: ReadonlySet<string>, candidate: string): number {
  if (candidate === word) return 2;
  if (candidate.startsWith(word)) return 1;
  const others = trigramsOf(candidate);
  const shared = own.intersection(others).size;
  return (2 * shared) / (own.size + others.size);
}
