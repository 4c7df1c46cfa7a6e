import koffi from 'koffi';
import type { Recognised } from '../engines.server.ts';
import { NoiseReduction } from './reduce-noise.server.ts';
import { widenSound } from './widen-sound.server.ts';

type Pointer = unknown;

/** What a decoder is opened with: folders as `RecogniserFiles`, files as `PreparedModels`. */
export interface DecoderFiles {
  readonly libraries: string;
  readonly models: string;
  readonly ownModel: string;
  readonly dictionary: string;
}

/** One PocketSphinx decoder; every call returns when its work is done. */
export interface Decoder {
  /** Opens an utterance; one that is open is given up. */
  begin(): void;
  /** Sound of the open utterance. @returns what is understood so far where that has changed, else null */
  hear(pcm: Int16Array): string | null;
  end(): Recognised;
  /** Forgets the caller's voice and line: the next utterance is that of a new call. */
  forget(): void;
}

/** How much of the general model of English is mixed into our own (measured: 0.1 to 0.3 do the same). */
const GENERAL_SHARE = 0.2;
/** A partial is asked for after this much new sound. */
const PARTIAL_SAMPLES = 3200;
/** Sound of the room before the first and after the last word, samples. */
const ROOM_SAMPLES = 3200;
/** Frames of 10 ms. */
const FRAME_SAMPLES = 160;
/** Where `feat_t` of sphinxbase 5prealpha keeps the cepstral mean, and how many coefficients that has. */
const MEAN_OFFSET = 88;
const COEFFICIENTS = 13;

/** Bounds that keep recognition several times faster than speech on a shared core (contract voice §4.3). */
const TUNED: Readonly<Record<string, string>> = {
  '-maxhmmpf': '3000',
  '-maxwpf': '20',
  // Where speech begins and ends is known already, and better: its own detector drops words in noise.
  '-remove_silence': 'no',
  '-logfn': '/dev/null',
};

/**
 * Opens a decoder in this process. A fault in the native library ends the process: calls are therefore
 * recognised in processes of their own (`recogniser-process`).
 *
 * @param changed options of the library that differ from ours, for measuring
 * @throws Error when the libraries or models cannot be opened
 */
export function openDecoder(files: DecoderFiles, changed: Readonly<Record<string, string>> = {}): Decoder {
  const sphinx = koffi.load(`${files.libraries}libpocketsphinx.so.3`);
  const base = koffi.load(`${files.libraries}libsphinxbase.so.3`);
  const startUtterance = sphinx.func('int ps_start_utt(void*)');
  const processRaw = sphinx.func('int ps_process_raw(void*, int16_t*, size_t, int, int)');
  const endUtterance = sphinx.func('int ps_end_utt(void*)');
  const hypothesis = sphinx.func('str ps_get_hyp(void*, _Out_ int*)');
  const posterior = sphinx.func('int ps_get_prob(void*)');
  const toNatural = base.func('double logmath_log_to_ln(void*, int)');
  const logMathOf = sphinx.func('void* ps_get_logmath(void*)');
  const decoder = openSphinx();
  const logMath: Pointer = logMathOf(decoder);
  const mean: Pointer = koffi.decode(sphinx.func('void* ps_get_feat(void*)')(decoder), MEAN_OFFSET, 'void*');
  const firstMean = new Float32Array(COEFFICIENTS);
  base.func('void cmn_live_get(void*, _Out_ float*)')(mean, firstMean);
  const setMean = base.func('void cmn_live_set(void*, float*)');
  const noise = new NoiseReduction();
  let open = false;
  let samples = 0;
  let samplesOfPartial = 0;
  let lastPartial = '';
  let last: Int16Array | null = null;

  function openSphinx(): Pointer {
    const argumentsOf = sphinx.func('void* ps_args()');
    const configure = base.func('void* cmd_ln_init(void*, void*, int, ...)');
    const options = {
      '-hmm': `${files.models}/en-us`,
      '-lm': files.ownModel,
      '-dict': files.dictionary,
      ...TUNED,
      ...changed,
    };
    const given = Object.entries(options).flatMap((pair) => pair.flatMap((word) => ['str', word]));
    const configuration: Pointer = configure(null, argumentsOf(), 1, ...given, 'void*', null);
    const made: Pointer = sphinx.func('void* ps_init(void*)')(configuration);
    if (!made) throw new Error('PocketSphinx could not be opened with these models.');
    mixModels(made, configuration);
    return made;
  }

  /** Interpolates our own model with the general one, so that free wording is understood as well. */
  function mixModels(made: Pointer, configuration: Pointer): void {
    const read = base.func('void* ngram_model_read(void*, str, int, void*)');
    const mix = base.func('void* ngram_model_set_init(void*, void**, char**, float*, int32_t)');
    const math: Pointer = logMathOf(made);
    const parts: Pointer[] = [
      read(configuration, files.ownModel, 0, math),
      read(configuration, `${files.models}/en-us.lm.bin`, 0, math),
    ];
    const shares = [1 - GENERAL_SHARE, GENERAL_SHARE];
    const set: Pointer = mix(configuration, parts, ['own', 'general'], shares, 2);
    const used =
      set &&
      sphinx.func('int ps_set_lm(void*, str, void*)')(made, 'mixed', set) === 0 &&
      sphinx.func('int ps_set_search(void*, str)')(made, 'mixed') === 0;
    if (!used) throw new Error('The language models could not be mixed.');
  }

  /**
   * The room goes on: the same sound there and back. Digital silence instead of it would teach the
   * noise reduction that the room is silent, so that its noise were taken for speech.
   */
  function surround(pcm: Int16Array): void {
    const length = pcm.length;
    const room = Int16Array.from({ length: ROOM_SAMPLES }, (_, at) => {
      const place = at % (2 * length);
      return pcm[place < length ? length - 1 - place : place - length] ?? 0;
    });
    processRaw(decoder, room, room.length, 0, 0);
  }

  /** The words, without the numbers that tell pronunciations apart. */
  function heardText(): string {
    const text: string | null = hypothesis(decoder, [0]);
    return (text ?? '').replace(/\(\d+\)/g, '').trim();
  }

  /** The utterance's posterior as a mean over its frames, 0 to 1. */
  function confidenceOf(): number {
    const frames = Math.max(1, samples / FRAME_SAMPLES);
    return Math.min(1, Math.exp(toNatural(logMath, posterior(decoder)) / frames));
  }

  return {
    begin() {
      if (open) endUtterance(decoder);
      startUtterance(decoder);
      noise.begin();
      open = true;
      samples = 0;
      samplesOfPartial = 0;
      lastPartial = '';
      last = null;
    },
    hear(sound) {
      if (!open || sound.length === 0) return null;
      const pcm = widenSound(noise.reduce(sound));
      // Speech that starts at the first sample is lost without some quiet before it.
      if (last === null) surround(pcm);
      last = pcm;
      processRaw(decoder, pcm, pcm.length, 0, 0);
      samples += pcm.length;
      samplesOfPartial += pcm.length;
      if (samplesOfPartial < PARTIAL_SAMPLES) return null;
      samplesOfPartial = 0;
      const text = heardText();
      if (text === lastPartial) return null;
      lastPartial = text;
      return text;
    },
    end() {
      if (!open) return { text: '', confidence: 0 };
      open = false;
      if (last !== null) surround(last);
      endUtterance(decoder);
      const text = heardText();
      return { text, confidence: text === '' ? 0 : confidenceOf() };
    },
    forget() {
      setMean(mean, firstMean);
      noise.forget();
    },
  };
}
