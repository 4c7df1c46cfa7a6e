import type { Recognised } from '../engines.server.ts';
import { type Reading, type SearchResult, searchBeam } from './beam-search.server.ts';
import { LEAST_SAMPLES, type MoonshineModel } from './moonshine-model.server.ts';
import { textOf } from './moonshine-pieces.server.ts';
import { separateSpelling } from './spoken-words.server.ts';
import type { WordBias } from './word-bias.server.ts';

/** What an utterance is read with. */
export interface ReadingOptions {
  readonly bias: WordBias;
  /** Readings followed at once; see `READING_WIDTH`. */
  readonly width: number;
  /** Whether to go on; asked before each step of the search. */
  readonly goOn?: () => Promise<boolean>;
}

/** A whole utterance is worth a search; a partial text is read as it comes. */
export const READING_WIDTH = { whole: 4, partial: 1 } as const;

const RATE = 16_000;
const FULL_SCALE = 32_768;
const NOTHING: Recognised = { text: '', confidence: 0 };

/**
 * Reads the sound of one utterance.
 *
 * @param pcm 16 000 samples a second
 * @returns null when it was given up before its end
 */
export async function readUtterance(
  model: MoonshineModel,
  pcm: Int16Array,
  options: ReadingOptions,
): Promise<Recognised | null> {
  if (pcm.length < LEAST_SAMPLES || isSilent(pcm)) return NOTHING;
  const sound = await model.encode(Float32Array.from(pcm, (sample) => sample / FULL_SCALE));
  const found = await searchBeam(model, sound, pcm.length / RATE, options);
  return found && recognisedOf(found);
}

/** Whether no fiftieth of a second is louder than a whisper is: the model would make words of it. */
function isSilent(pcm: Int16Array): boolean {
  for (let at = 0; at < pcm.length; at += QUIET.samples) {
    const part = pcm.subarray(at, at + QUIET.samples);
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / part.length;
    if (power > QUIET.level ** 2) return false;
  }
  return true;
}
/** Root mean square of some -60 dBFS. */
const QUIET = { samples: 320, level: 30 } as const;

function recognisedOf({ readings }: SearchResult): Recognised {
  const [best, second] = readings;
  if (!best || best.pieces.length === 0) return NOTHING;
  const text = separateSpelling(textOf(best.pieces));
  return text === '' ? NOTHING : { text, confidence: confidenceOf(best, second) };
}

/**
 * How likely two words in three are right: a logistic fit on the dev requests in three voices, clean,
 * by telephone and in noise. What is fitted is the mean of a piece in sound and in bias, and how far
 * the next best reading is behind.
 */
function confidenceOf(best: Reading, second: Reading | undefined): number {
  const pieces = best.pieces.length + 1;
  const behind = second ? best.sound + best.bias - second.sound - second.bias : FIT.farthest;
  const score =
    FIT.base +
    (FIT.sound * best.sound + FIT.bias * best.bias) / pieces +
    FIT.behind * Math.min(FIT.farthest, behind);
  return 1 / (1 + Math.exp(-score));
}
const FIT = { base: -0.3, sound: 5.8, bias: 5.1, behind: 0.9, farthest: 6 } as const;
