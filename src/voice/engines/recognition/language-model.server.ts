/**
 * Builds a trigram model in the ARPA format from sentences: absolute discounting with back-off (Ney, Essen
 * and Kneser 1994), the lower orders counted by continuations (Kneser and Ney 1995).
 */

const DISCOUNT = 0.75;
const START = '<s>';
const END = '</s>';

type Counts = Map<string, number>;

/** What follows one history: how often any word did, and how often each word. */
interface Followers {
  total: number;
  readonly words: Counts;
}

/**
 * Builds the model.
 *
 * @param sentences each as its words, without sentence marks
 * @returns the ARPA text; logarithms to base 10
 */
export function buildLanguageModel(sentences: readonly (readonly string[])[]): string {
  const trigrams: Counts = new Map();
  const startBigrams: Counts = new Map();
  for (const words of sentences) {
    const marked = [START, ...words, END];
    count(startBigrams, `${START} ${marked[1]}`);
    for (let at = 2; at < marked.length; at++) count(trigrams, marked.slice(at - 2, at + 1).join(' '));
  }
  // A lower order counts in how many places a word was seen, not how often.
  const bigrams = new Map(startBigrams);
  for (const key of trigrams.keys()) count(bigrams, key.slice(key.indexOf(' ') + 1));
  const unigrams: Counts = new Map([[START, 0]]);
  for (const key of bigrams.keys()) count(unigrams, key.slice(key.indexOf(' ') + 1));
  return toArpa(unigrams, bigrams, trigrams);
}

function count(counts: Counts, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function toArpa(unigrams: Counts, bigrams: Counts, trigrams: Counts): string {
  const total = [...unigrams.values()].reduce((sum, n) => sum + n, 0);
  const one = new Map([...unigrams].map(([word, n]) => [word, n / total]));
  const two = estimate(bigrams, (word) => one.get(word) ?? 0);
  const three = estimate(trigrams, (word, history) => {
    const shorter = history.slice(history.indexOf(' ') + 1);
    return (
      two.probability.get(`${shorter} ${word}`) ?? (two.backOff.get(shorter) ?? 1) * (one.get(word) ?? 0)
    );
  });
  const lines = ['\\data\\', `ngram 1=${one.size}`, `ngram 2=${bigrams.size}`, `ngram 3=${trigrams.size}`];
  lines.push('', '\\1-grams:');
  for (const [word, p] of one) {
    lines.push(`${word === START ? '-99' : log(p)} ${word} ${log(two.backOff.get(word) ?? 1)}`);
  }
  lines.push('', '\\2-grams:');
  for (const [key, p] of two.probability) lines.push(`${log(p)} ${key} ${log(three.backOff.get(key) ?? 1)}`);
  lines.push('', '\\3-grams:');
  for (const [key, p] of three.probability) lines.push(`${log(p)} ${key}`);
  lines.push('', '\\end\\', '');
  return lines.join('\n');
}

/** Discounted, interpolated probabilities of one order, and what each history leaves for the lower order. */
function estimate(
  counts: Counts,
  lower: (word: string, history: string) => number,
): { probability: Counts; backOff: Counts } {
  const histories = new Map<string, Followers>();
  for (const [key, n] of counts) {
    const cut = key.lastIndexOf(' ');
    const history = key.slice(0, cut);
    const followers = histories.get(history) ?? { total: 0, words: new Map() };
    followers.total += n;
    followers.words.set(key.slice(cut + 1), n);
    histories.set(history, followers);
  }
  const probability: Counts = new Map();
  const backOff: Counts = new Map();
  for (const [history, { total, words }] of histories) {
    const left = (DISCOUNT * words.size) / total;
    backOff.set(history, left);
    for (const [word, n] of words) {
      probability.set(`${history} ${word}`, Math.max(n - DISCOUNT, 0) / total + left * lower(word, history));
    }
  }
  return { probability, backOff };
}

function log(p: number): string {
  return Math.log10(Math.max(p, 1e-9)).toFixed(4);
}
