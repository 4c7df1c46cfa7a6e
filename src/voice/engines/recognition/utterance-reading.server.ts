import type { Recognised } from '../engines.server.ts';
import { type Reading, type SearchResult, searchBeam } from './beam-search.server.ts';
import { LEAST_SAMPLES, type MoonshineModel } from './moonshine-model.server.ts';
import { textOf } from './moonshine-pieces.server.ts';
import { separateSpelling } from './spoken-words.server.ts';
import type { WordBias } from './word-bias.server.ts';

/** How an utterance is read. */
export interface ReadingOptions {
  readonly bias: WordBias;
  /** Hypotheses that are followed at once; see `READING_WIDTH`. */
  readonly width: number;
  /** Whether the search may go on; called before each step. */
  readonly goOn?: () => Promise<boolean>;
}

/** Width of the beam search: a whole utterance is worth the effort, a partial text is read greedily. */
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
  const sound = await model.encode(levelled(pcm));
  const found = await searchBeam(model, sound, pcm.length / RATE, options);
  return found && recognisedOf(found);
}

/**
 * The loudest fifth of an utterance, in pieces of 20 ms, counts as its speech; the rest is pauses and breath.
 */
const PIECE = 320;
const SPEECH_SHARE = 0.2;
/** Root mean square that faint speech is raised to; 1 is full scale. Louder speech is left as it came. */
const TARGET = 0.21;
/** Largest sample after raising; 1 is full scale. */
const PEAK = 0.98;
/** Largest factor: sound that would need more is not speech meant for the microphone. */
const MOST_GAIN = 16;

/**
 * Brings a quiet utterance up to the loudness that the model reads well. A browser that sends one voice as
 * two channels halves it; 'On Monday at ten.' was then recognised as 'On Monday, September.' or 'On Monday
 * afternoon.'
 *
 * @param pcm 16-bit samples
 * @returns samples from -1 to 1
 */
export function levelled(pcm: Int16Array): Float32Array {
  const gain = gainOf(pcm) / FULL_SCALE;
  return Float32Array.from(pcm, (sample) => sample * gain);
}

function gainOf(pcm: Int16Array): number {
  const energies: number[] = [];
  let peak = 0;
  for (let at = 0; at < pcm.length; at += PIECE) {
    let energy = 0;
    const piece = pcm.subarray(at, at + PIECE);
    for (const sample of piece) {
      energy += sample * sample;
      peak = Math.max(peak, Math.abs(sample));
    }
    energies.push(energy / piece.length);
  }
  const loudest = energies
    .sort((one, other) => other - one)
    .slice(0, Math.max(1, Math.ceil(energies.length * SPEECH_SHARE)));
  const level = Math.sqrt(loudest.reduce((sum, energy) => sum + energy, 0) / loudest.length);
  if (level === 0) return 1;
  return Math.max(1, Math.min(MOST_GAIN, (TARGET * FULL_SCALE) / level, (PEAK * FULL_SCALE) / peak));
}

/** Whether no fiftieth of a second is louder than a whisper: the model would invent words for it. */
function isSilent(pcm: Int16Array): boolean {
  for (let at = 0; at < pcm.length; at += QUIET.samples) {
    const part = pcm.subarray(at, at + QUIET.samples);
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / part.length;
    if (power > QUIET.level ** 2) return false;
  }
  return true;
}
/** Root mean square of about -60 dBFS. */
const QUIET = { samples: 320, level: 30 } as const;

function recognisedOf({ readings }: SearchResult): Recognised {
  const [best, second] = readings;
  if (!best || best.pieces.length === 0) return NOTHING;
  const text = separateSpelling(textOf(best.pieces));
  return text === '' ? NOTHING : { text, confidence: confidenceOf(best, second) };
}

/**
 * How likely it is that two words in three are right: a logistic fit on the dev requests in three voices,
 * clean, by telephone and in noise. It uses a piece's mean score of sound and of bias, and how far the second
 * best reading is behind.
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
