/**
 * The word of `words` with the smallest edit distance (insertions, deletions,
 * substitutions) to `word`, or undefined when none is within `limit`.
 */
export function nearestWord(word: string, words: readonly string[], limit: number): string | undefined {
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of words) {
    // Each additional letter costs one insertion, so most words need no table.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The word of `words` that somebody probably meant by `word`: at most a third of its letters may differ. */
export function nearestName(word: string, words: readonly string[]): string | undefined {
  return nearestWord(word, words, Math.ceil(word.length / 3));
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
