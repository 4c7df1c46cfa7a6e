const TAB = 9;
const NEW_LINE = 10;

/**
 * Opens a lexicon of lines `word TAB phonemes`, sorted by bytes.
 *
 * @returns the phonemes of a word in small letters; undefined for an unknown one
 */
export function openLexicon(bytes: Buffer): (word: string) => string | undefined {
  return (word) => {
    const wanted = Buffer.from(word);
    let [low, high] = [0, bytes.length];
    while (low < high) {
      const start = startOfLine(bytes, (low + high) >> 1, low);
      const end = bytes.indexOf(NEW_LINE, start);
      const tab = bytes.indexOf(TAB, start);
      if (tab < 0 || end < 0) return undefined;
      const order = Buffer.compare(wanted, bytes.subarray(start, tab));
      if (order === 0) return bytes.toString('utf8', tab + 1, end);
      [low, high] = order < 0 ? [low, start] : [end + 1, high];
    }
    return undefined;
  };
}

function startOfLine(bytes: Buffer, middle: number, low: number): number {
  let at = middle;
  while (at > low && bytes[at - 1] !== NEW_LINE) at--;
  return at;
}
