import { gunzipSync } from 'node:zlib';
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import { spokenText } from '../text/spoken-text.ts';
import { readKnownNames } from '../words/known-names.ts';
import { openLexicon } from '../words/lexicon.ts';
import { markPronunciations, type Pronunciations } from '../words/own-pronunciations.ts';
import { textPhonemes, type WordSources } from '../words/word-phonemes.ts';
import { type ModelRuntime, openRuntime } from './model-runtime.ts';
import { splitPhonemes } from './phoneme-parts.ts';
import {
  CROSS_FADE,
  crossFaded,
  EdgeSilence,
  fixedNoise,
  levelled,
  SAMPLES_PER_SECOND,
} from './sound-shaping.ts';
import type { VoiceData, VoiceManifest } from './voice-folder.ts';

/** How a text is said. */
export interface SpeechOptions {
  /** 1 is the voice's own speed, 2 is twice as fast; beyond 0.7 to 1.4 it stays there. */
  readonly speed?: number | undefined;
  readonly pronunciations?: Pronunciations | undefined;
}

/** A text that is being said, piece by piece. */
export interface Utterance {
  /**
   * Makes the next piece, -1 to 1, 24,000 samples a second, mono: the first one is short, so that it is heard
   * soon. Undefined at the end.
   *
   * @throws Error when a model fails
   */
  next(): Promise<Float32Array | undefined>;
}

/** A voice whose models are loaded. One call at a time. */
export interface Voice {
  readonly manifest: VoiceManifest;
  readonly runtime: ModelRuntime;
  /** What is said of a text, in the voice's phonemes; empty where there is nothing to say. */
  phonemes(text: string, pronunciations?: Pronunciations): Promise<string>;
  utter(text: string, options?: SpeechOptions): Utterance;
}

interface Symbols {
  readonly tokens: Readonly<Record<string, number>>;
  readonly letters: Readonly<Record<string, string>>;
  readonly spelling: readonly string[];
}

/** Samples of one frame. */
const HOP = 300;
/** Frames of one unit of a token's length. */
const FRAMES_PER_UNIT = 2;
/** Frames of the first piece of an utterance, and of later ones. */
const FIRST_FRAMES = 20;
const LATER_FRAMES = 64;
/** Frames that a piece is given before and after itself; more change nothing that can be heard. */
const LEFT = 20;
const RIGHT = 12;
/** The first sound begins up to this many frames before the plan's silence ends; quiet ones are dropped later. */
const LEAD = 12;
/** Seconds of noise; a longer sentence uses it again. */
const NOISE_SECONDS = 4;
/** Silence after a sentence and after a part of one, seconds. */
const BREATH = 0.18;
const COMMA = 0.06;
const SLOWEST = 0.7;
const FASTEST = 1.4;
const MOST_SPELLED = 5000;

/** @param runtime the one to use; without it the native one, where there is one */
export async function openVoice(data: VoiceData, runtime?: ModelRuntime): Promise<Voice> {
  const lexicon = openLexicon(gunzipSync(data.files['lexicon.tsv.gz']));
  // The voice must not hold the files' bytes, so nothing below names `data`.
  return voiceOf(await loadModels(data, runtime), lexicon, data.manifest);
}

async function loadModels(data: VoiceData, runtime: ModelRuntime | undefined): Promise<Models> {
  const { name, onnx, options } = await openRuntime(runtime);
  // The arena would keep the memory of the longest sentence for good.
  const sparing = name === 'onnxruntime-node' ? { ...options, enableCpuMemArena: false } : options;
  const load = (bytes: Buffer): Promise<InferenceSession> => onnx.InferenceSession.create(bytes, sparing);
  return {
    runtime: name,
    plan: await load(data.files['plan.onnx']),
    sound: await load(data.files['sound.onnx']),
    spelling: await load(data.files['spelling.onnx']),
    symbols: JSON.parse(data.files['symbols.json'].toString('utf8')) as Symbols,
    noise: fixedNoise(NOISE_SECONDS * SAMPLES_PER_SECOND),
    level: data.manifest.level,
    floats: (values, dims) => new onnx.Tensor('float32', values, dims),
    integers: (values) => new onnx.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]),
  };
}

function voiceOf(models: Models, lexicon: WordSources['lexicon'], manifest: VoiceManifest): Voice {
  const sources = {
    lexicon,
    names: readKnownNames(),
    letters: models.symbols.letters,
    spell: spellerOf(models),
  };
  const phonemes = (text: string, pronunciations?: Pronunciations): Promise<string> => {
    const marked = markPronunciations(text, pronunciations);
    return textPhonemes(spokenText(marked.text), { ...sources, own: marked.own });
  };
  return {
    manifest,
    runtime: models.runtime,
    phonemes,
    utter(text, { speed = 1, pronunciations } = {}) {
      const pieces = piecesOf(models, () => phonemes(text, pronunciations), speed);
      return { next: async () => (await pieces.next()).value };
    },
  };
}

interface Models {
  readonly runtime: ModelRuntime;
  readonly plan: InferenceSession;
  readonly sound: InferenceSession;
  readonly spelling: InferenceSession;
  readonly symbols: Symbols;
  readonly noise: Float32Array;
  readonly level: number;
  floats(values: Float32Array, dims: readonly number[]): Tensor;
  integers(values: readonly number[]): Tensor;
}

/** Letters to phonemes; the words that came last are kept. */
function spellerOf({ spelling, symbols, integers }: Models): (word: string) => Promise<string> {
  const kept = new Map<string, string>();
  return async (word) => {
    const known = kept.get(word);
    if (known !== undefined) return known;
    const letters = [...word]
      .map((sign) => (sign === "'" ? 27 : sign.charCodeAt(0) - 96))
      .filter((n) => n > 0 && n < 28);
    if (letters.length === 0) return '';
    const { phonemes } = await spelling.run({ letters: integers(letters) });
    const places = Array.from(phonemes?.data as BigInt64Array, Number);
    const said = places
      .filter((place, at) => place !== 0 && place !== places[at - 1])
      .map((place) => symbols.spelling[place] ?? '')
      .join('');
    kept.set(word, said);
    if (kept.size > MOST_SPELLED) kept.delete(kept.keys().next().value ?? '');
    return said;
  };
}

async function* piecesOf(
  models: Models,
  phonemes: () => Promise<string>,
  speed: number,
): AsyncGenerator<Float32Array, undefined> {
  let first = true;
  const parts = splitPhonemes(await phonemes());
  for (const [at, part] of parts.entries()) {
    for await (const piece of partPieces(models, part, speed, first)) {
      if (piece.length === 0) continue;
      yield piece;
      first = false;
    }
    if (at + 1 < parts.length)
      yield new Float32Array(Math.round((/[.!?]$/.test(part) ? BREATH : COMMA) * SAMPLES_PER_SECOND));
  }
  return undefined;
}

/** What the plan says of one part of a text. */
interface Planned {
  readonly features: Float32Array;
  readonly width: number;
  readonly pitch: Float32Array;
  /** Cycles of the pitch before each frame. */
  readonly cycles: Float64Array;
  /** The frames that are heard: those of the silence at both ends are left out. */
  readonly from: number;
  readonly to: number;
}

async function* partPieces(
  models: Models,
  part: string,
  speed: number,
  opens: boolean,
): AsyncGenerator<Float32Array> {
  const planned = await planPart(models, part, speed);
  const hold = new EdgeSilence();
  let tail: Float32Array | undefined;
  for (
    let at = planned.from, size = opens ? FIRST_FRAMES : LATER_FRAMES;
    at < planned.to;
    size = LATER_FRAMES
  ) {
    const end = Math.min(planned.to, at + size);
    const made = await makePiece(models, planned, at, end);
    const samples = (end - at) * HOP;
    const piece = crossFaded(tail, made.slice(0, samples));
    tail = made.slice(samples, samples + CROSS_FADE);
    yield levelled(hold.push(piece), models.level);
    at = end;
  }
  yield levelled(hold.end(), models.level);
}

async function planPart(
  { plan, symbols, integers, floats }: Models,
  part: string,
  speed: number,
): Promise<Planned> {
  const tokens = [...part].map((sign) => symbols.tokens[sign]).filter((token) => token !== undefined);
  const paced = Math.min(FASTEST, Math.max(SLOWEST, speed));
  const made = await plan.run({
    tokens: integers([0, ...tokens, 0]),
    speed: floats(Float32Array.of(paced), [1]),
  });
  const pitch = made.f0?.data as Float32Array;
  const units = made.units?.data as Float32Array;
  const frames = pitch.length;
  const cycles = new Float64Array(frames + 1);
  for (let frame = 0; frame < frames; frame++)
    cycles[frame + 1] = (cycles[frame] ?? 0) + ((pitch[frame] ?? 0) * HOP) / SAMPLES_PER_SECOND;
  const silence = (unit: number | undefined): number => Math.round((unit ?? 0) * FRAMES_PER_UNIT);
  return {
    features: made.features?.data as Float32Array,
    width: made.features?.dims[2] ?? 0,
    pitch,
    cycles,
    from: Math.max(0, silence(units[0]) - LEAD),
    to: Math.max(1, Math.min(frames, frames - silence(units.at(-1)) + LEAD)),
  };
}

/** The samples of the frames from `from` to `to`, and some after them for the cross-fade. */
async function makePiece(
  { sound, noise, floats }: Models,
  { features, width, pitch, cycles }: Planned,
  from: number,
  to: number,
): Promise<Float32Array> {
  const [low, high] = [Math.max(0, from - LEFT), Math.min(pitch.length, to + RIGHT)];
  const frames = high - low;
  const { audio } = await sound.run({
    features: floats(features.slice(low * width, high * width), [1, frames, width]),
    f0: floats(pitch.slice(low, high), [1, frames]),
    start: floats(Float32Array.of((cycles[low] ?? 0) % 1), [1]),
    noise: floats(noiseFrom(noise, low * HOP, frames * HOP), [1, frames * HOP]),
  });
  if (audio === undefined) throw new Error('The model sound.onnx gives no audio.');
  return (audio.data as Float32Array).slice((from - low) * HOP);
}

/** Noise of a stretch of time; it is the same for the same place, whatever the pieces are. */
function noiseFrom(noise: Float32Array, start: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, at) => noise[(start + at) % noise.length] ?? 0);
}
