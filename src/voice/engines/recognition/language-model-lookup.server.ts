/** A trigram model as `buildLanguageModel` writes it, which weighs one word at a time. */
export interface LanguageModel {
  /**
   * How much likelier a word is when a caller of this assistant says it than when anybody does.
   *
   * @param before the last word and the one before that; `<s>` where the sentence begins
   * @returns natural logarithm of one plus the ratio: 0 for words that the model does not expect here
   */
  weigh(word: string, before: readonly [last: string, second: string]): number;
}

/** Where a sentence begins and ends. */
export const SENTENCE_START = '<s>';
export const SENTENCE_END = '</s>';

/** Four in five words of a caller are taken to come from this model, one from English at large. */
const EXPECTED_TO_GENERAL = 4;
/** The words that make up about half of all that is said in English. */
const EVERYDAY = new Set(
  [
    'the be to of and a in that have i it for not on with he as you do at this but his by from they we say her she or',
    'an will my one all would there their what so up out if about who get which go me when make can like time no just',
    'him know take into your good some could them see other than then now only its also after use how our well way want',
    "is are was were been has had did does am i'm it's don't",
  ].flatMap((words) => words.split(' ')),
);
/**
 * Probability in English at large of one of these words, and of any other: a name must not win just by being
 * rare.
 */
const GENERAL = {
  everyday: 0.5 / EVERYDAY.size,
  other: 0.5 / 10_000,
  end: 0.1,
} as const;

/**
 * Reads a model in the ARPA format.
 *
 * @param arpa logarithms to base 10
 * @throws Error when it has no single words
 */
export function readLanguageModel(arpa: string): LanguageModel {
  const probability = new Map<string, number>();
  const backOff = new Map<string, number>();
  for (const line of arpa.split('\n')) {
    const entry = /^(-?[\d.]+) (.*?)(?: (-?[\d.]+))?$/.exec(line);
    if (!entry?.[1] || !entry[2]) continue;
    probability.set(entry[2], 10 ** Number(entry[1]));
    if (entry[3] !== undefined) backOff.set(entry[2], 10 ** Number(entry[3]));
  }
  if (!probability.has(SENTENCE_END)) throw new Error('The language model has no words.');

  function generally(word: string): number {
    if (word === SENTENCE_END) return GENERAL.end;
    return EVERYDAY.has(word) ? GENERAL.everyday : GENERAL.other;
  }

  /** Back-off (Katz 1987): where a history was never seen, a shorter one gives the probability. */
  function own(word: string, [last, second]: readonly [string, string]): number {
    const three = probability.get(`${second} ${last} ${word}`);
    if (three !== undefined) return three;
    const two = probability.get(`${last} ${word}`) ?? (backOff.get(last) ?? 1) * (probability.get(word) ?? 0);
    return (backOff.get(`${second} ${last}`) ?? 1) * two;
  }

  return {
    weigh: (word, before) => Math.log1p((EXPECTED_TO_GENERAL * own(word, before)) / generally(word)),
  };
}
