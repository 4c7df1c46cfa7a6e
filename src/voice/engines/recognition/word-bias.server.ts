import type { ExpectedWords } from '../engines.server.ts';
import { type LanguageModel, SENTENCE_END, SENTENCE_START } from './language-model-lookup.server.ts';
import { spokenWords } from './spoken-words.server.ts';

/** How strongly the expected words steer the search (natural logarithms); chosen on the dev requests. */
export interface BiasWeights {
  /** Factor of the language model's weights. */
  readonly model: number;
  /** Cost of each word, against a preference for many short ones. */
  readonly word: number;
  /** Gain for each letter of a phrase that the assistant knows. */
  readonly phraseLetter: number;
  /**
   * Gain for each digit where a number was asked for, and for each letter or sign where something is spelt.
   */
  readonly digit: number;
  readonly letter: number;
}

export const BIAS_WEIGHTS: BiasWeights = {
  model: 0.3,
  word: 0.3,
  phraseLetter: 0.35,
  digit: 1,
  letter: 1,
};

/** A text that grows piece by piece, with the bias that it has been given so far. */
export interface BiasedText {
  readonly text: string;
  readonly bias: number;
  readonly last: string;
  readonly second: string;
  /** Index in `text` of the word that is not complete yet. */
  readonly wordAt: number;
  /** The beginning of a known phrase that the text may be in, and the bias that was lent for it. */
  readonly phrase: string;
  readonly lent: number;
}

/** Favours what the assistant's callers are likely to say. */
export interface WordBias {
  readonly start: BiasedText;
  /** @param piece as in `PIECE_TEXTS` */
  extend(before: BiasedText, piece: string): BiasedText;
  /** The whole bias of a text that ends here. */
  end(text: BiasedText): number;
}

/** Stands for no phrase, until the next word begins. */
const NO_PHRASE = '\n';
const DIGIT_WORDS = new Set(
  'zero oh o nought one two three four five six seven eight nine double triple plus'.split(' '),
);
/** `a` and `i` are left out: they are words as well, and names do not need the extra gain. */
const LETTER_WORDS =
  /^(?:[b-hj-z]|dot|at|dash|hyphen|underscore|double|gmail|outlook|hotmail|yahoo|icloud|com|co|uk)$/;

/**
 * @param phrases names and terms of the assistant, lower case
 * @param expected what the caller was asked for
 */
export function createWordBias(
  model: LanguageModel,
  phrases: readonly string[],
  expected?: ExpectedWords,
  weights: BiasWeights = BIAS_WEIGHTS,
): WordBias {
  /** Every beginning of a phrase, with whether a whole phrase ends there. */
  const beginnings = new Map<string, boolean>();
  for (const phrase of phrases) {
    for (let length = 1; length < phrase.length; length++)
      if (!beginnings.has(phrase.slice(0, length))) beginnings.set(phrase.slice(0, length), false);
    beginnings.set(phrase, true);
  }

  function complete(text: BiasedText): BiasedText {
    let { bias, last, second } = text;
    for (const word of spokenWords(text.text.slice(text.wordAt))) {
      bias += weights.model * model.weigh(word, [last, second]) - weights.word;
      if (expected === 'digits' && DIGIT_WORDS.has(word)) bias += weights.digit;
      if (expected === 'letters' && LETTER_WORDS.test(word)) bias += weights.letter;
      [last, second] = [word, last];
    }
    return { ...text, bias, last, second, wordAt: text.text.length };
  }

  /**
   * Each letter of a phrase is lent a gain, which is taken back if the text leaves the phrase before its end.
   */
  function follow(text: BiasedText, piece: string): BiasedText {
    let { phrase, lent, bias } = text;
    for (const letter of piece.toLowerCase()) {
      if (beginnings.get(phrase) === true && !/[a-z]/.test(letter)) lent = 0;
      const longer = phrase + letter;
      if (beginnings.has(longer)) {
        phrase = longer;
        lent += weights.phraseLetter;
        bias += weights.phraseLetter;
        continue;
      }
      bias -= lent;
      lent = 0;
      phrase = letter === ' ' ? '' : NO_PHRASE;
    }
    return { ...text, phrase, lent, bias };
  }

  return {
    start: {
      text: '',
      bias: 0,
      last: SENTENCE_START,
      second: SENTENCE_START,
      wordAt: 0,
      phrase: '',
      lent: 0,
    },
    extend(before, piece) {
      const done = piece.startsWith(' ') ? complete(before) : before;
      const followed = follow(done, done.text === '' ? piece.trimStart() : piece);
      return { ...followed, text: done.text + piece };
    },
    end(text) {
      const { bias, last, second, lent, phrase } = complete(text);
      const back = beginnings.get(phrase) === true ? 0 : lent;
      return bias - back + weights.model * model.weigh(SENTENCE_END, [last, second]);
    },
  };
}
