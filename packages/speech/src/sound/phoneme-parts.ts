/** Longest part, in phonemes; the plan of a longer one is worse, and takes longer to be heard. */
const MOST = 150;
/** A part shorter than this sounds chopped. */
const LEAST = 30;

/** Cuts phonemes into sentences, and long sentences after a comma or, without one, between two words. */
export function splitPhonemes(phonemes: string): string[] {
  return (phonemes.match(/[^.!?]+[.!?]*/g) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence))
    .flatMap(splitLong);
}

function splitLong(sentence: string): string[] {
  if (sentence.length <= MOST) return [sentence];
  const head = sentence.slice(0, MOST);
  const mark = Math.max(...[...head.matchAll(/[,;:] /g)].map(({ index }) => index + 1), 0);
  const cut = mark >= LEAST ? mark : head.lastIndexOf(' ') >= LEAST ? head.lastIndexOf(' ') : MOST;
  const first = sentence.slice(0, cut).trim();
  const rest = sentence.slice(cut).trim();
  // The last consonant needs a mark after it.
  return [/[,;:.!?]$/.test(first) ? first : `${first},`, ...(rest === '' ? [] : splitLong(rest))];
}
