import { setImmediate as laterOn } from 'node:timers/promises';
import { readWave } from '@northline/speech/wave-file';
import { FRAME } from '@northline/telephone-audio/frame-pacing';
import type { SoundUnder } from '@northline/telephone-audio/sound-session';
import { programFile } from '../../../kernel/concurrency/program-file.ts';
import { askOnce } from '../../../kernel/concurrency/worker-client.server.ts';
import { OutboundBlocked, type OutboundHttp } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import { FULL_SCALE, loudness } from '../../media/loudness.server.ts';
import { kindOfSound } from './sound-kind.server.ts';
import type { DecodedSound, SoundRequest } from './sound-process.server.ts';

/** Why an address does not serve a background sound, in the words of the published API's check. */
export type SoundFault =
  | 'invalid-url'
  | 'blocked-address'
  | 'unreachable'
  | 'timeout'
  | 'http-error'
  | 'not-audio';

/** An address that does not serve a background sound; the message says what would be accepted. */
export class SoundRefused extends Error {
  readonly fault: SoundFault;
  /** The status that the server answered with; undefined where it did not answer. */
  readonly status: number | undefined;
  readonly contentType: string | undefined;

  constructor(
    fault: SoundFault,
    message: string,
    answer: { readonly status?: number; readonly contentType?: string | undefined } = {},
  ) {
    super(message);
    this.fault = fault;
    this.status = answer.status;
    this.contentType = answer.contentType;
  }
}

/** Sound of 16 kHz that can be played over and over. */
export type LoopedSound = Int16Array;

const HEADERS_MS = 5000;
const TOTAL_MS = 10_000;
const RATE = 16_000;
const RATES = [8000, 48_000] as const;
/** Samples over which the end of the sound fades into its beginning. */
const SEAM = RATE / 10;
/**
 * Root mean square that louder sounds are brought down to: the level of our own office sound, 44 dB below
 * full scale.
 */
const LEVEL = 200;
/** The process that decodes a file of a stranger, and its limits. */
const DECODER = programFile('src/voice/calls/background/sound-process.server.ts');
const DECODER_LIMITS = { patienceMs: 10_000, heapMb: 256 };
/** What is played, in words for people. */
const KINDS = 'an MP3 file, Opus in Ogg, or a WAVE file of 16-bit mono sound, 8000 to 48000 samples a second';
/** Limits for a sound that is played over and over. */
const LOOPS: SoundLimits = {
  bytes: 5 * 1024 * 1024,
  seconds: [1, 120],
  wanted: `It has to be ${KINDS}, 1 to 120 seconds, up to 5 MB.`,
};

/**
 * Fetches a sound and makes it one that can be looped under speech.
 *
 * @throws SoundRefused with a sentence
 */
export async function fetchSound(outbound: Pick<OutboundHttp, 'request'>, url: string): Promise<LoopedSound> {
  return withSeam(quiet(await fetchPlayable(outbound, url, LOOPS)));
}

/** How long and large a fetched sound may be, and a sentence that says so. */
export interface SoundLimits {
  readonly bytes: number;
  readonly seconds: readonly [least: number, most: number];
  readonly wanted: string;
  /** The factor by which a sound is made louder or quieter; without it, it stays as it is. */
  readonly gain?: (pcm: Int16Array, samplesPerSecond: number) => number;
}

/** The limits of a sound that is played once, with its sentence. @param most seconds */
export function onceLimits(most: number, megabytes: number, words: string): SoundLimits {
  const wanted = `It has to be ${KINDS}, up to ${words} and ${megabytes} MB.`;
  return { bytes: megabytes * 1024 * 1024, seconds: [0.1, most], wanted };
}

/**
 * Fetches a sound file, MP3, Opus in Ogg or WAVE, 8000 to 48 000 samples a second, and resamples it to 16 000.
 *
 * @throws SoundRefused with a sentence
 */
export async function fetchPlayable(
  outbound: Pick<OutboundHttp, 'request'>,
  url: string,
  wave: SoundLimits,
): Promise<Int16Array> {
  const limits = { maxBytes: wave.bytes, headersMs: HEADERS_MS, totalMs: TOTAL_MS };
  const reply = await outbound
    .request({ url, method: 'GET', headers: { accept: 'audio/*' }, ...limits })
    .catch((error: Error) => {
      throw unreached(error);
    });
  const answer = { status: reply.status, contentType: reply.headers['content-type'] };
  if (reply.status !== 200)
    throw new SoundRefused(
      'http-error',
      `The address answers ${reply.status}; redirects are not followed.`,
      answer,
    );
  if (reply.cut) throw new SoundRefused('not-audio', `The file is too long. ${wave.wanted}`, answer);
  try {
    return await readSound(reply.body, wave);
  } catch (error) {
    throw new SoundRefused('not-audio', `${(error as Error).message} ${wave.wanted}`, answer);
  }
}

function unreached(error: Error): SoundRefused {
  if (error instanceof OutboundBlocked) return new SoundRefused('blocked-address', error.message);
  const late = /in time|too long/.test(error.message);
  return late
    ? new SoundRefused('timeout', 'The address does not answer within ten seconds.')
    : new SoundRefused('unreachable', 'The address cannot be reached.');
}

/** @throws Error with a sentence */
async function readSound(
  file: Uint8Array,
  { seconds: [least, most], gain }: SoundLimits,
): Promise<Int16Array> {
  const { pcm, samplesPerSecond: rate } = await decoded(file, most);
  if (rate < RATES[0] || rate > RATES[1]) throw new Error(`It has ${rate} samples a second.`);
  const seconds = pcm.length / rate;
  if (seconds > most) throw new Error(`It lasts longer than ${most} seconds.`);
  if (seconds < least) throw new Error(`It lasts ${seconds.toFixed(1)} seconds.`);
  return atSixteen(pcm, rate, gain?.(pcm, rate) ?? 1);
}

/** Decodes a file, and at most little more than `most` seconds of it. @throws Error with a sentence */
async function decoded(file: Uint8Array, most: number): Promise<DecodedSound> {
  switch (kindOfSound(file)) {
    case 'wave':
      return readWave(file);
    case 'aac':
      throw new Error('AAC is not read.');
    case 'flac':
      throw new Error('FLAC is not read.');
    case 'unknown':
      throw new Error('This is no sound file that we know.');
    default:
      return await askOnce<SoundRequest, DecodedSound>(DECODER, { file, longest: most + 1 }, DECODER_LIMITS);
  }
}

/** Taps of the low-pass on each side, and how many places between two samples it is computed for. */
const HALF = 12;
const PLACES = 32;
/** Samples that are resampled before others have a turn, so that the frames of calls do not wait. */
const AT_ONCE = 4000;

/**
 * Resamples to 16 000 samples a second by a windowed sinc, which removes what lies above 8 kHz. The gain is applied
 * before the samples are cut to 16 bits, so that a sound that is made quieter is not clipped.
 */
async function atSixteen(pcm: Int16Array, rate: number, gain: number): Promise<Int16Array> {
  if (rate === RATE) return pcm.map((sample) => Math.round(sample * gain));
  const step = rate / RATE;
  const cut = Math.min(1, 1 / step);
  const half = Math.ceil(HALF / cut);
  const filters = Array.from({ length: PLACES }, (_, place) => filterAt(place / PLACES, half, cut));
  const out = new Int16Array(Math.floor(pcm.length / step));
  for (let n = 0; n < out.length; n += 1) {
    if (n % AT_ONCE === 0) await laterOn();
    const at = Math.floor(n * step);
    const filter = filters[Math.floor((n * step - at) * PLACES)] ?? new Float64Array(0);
    let sum = 0;
    for (let tap = 0; tap < filter.length; tap += 1) sum += (pcm[at + tap - half] ?? 0) * (filter[tap] ?? 0);
    out[n] = Math.max(-32_768, Math.min(32_767, Math.round(sum * gain)));
  }
  return out;
}

/** A low-pass centred on a place between two samples; its taps sum to one. */
function filterAt(offset: number, half: number, cut: number): Float64Array {
  const taps = Float64Array.from({ length: 2 * half + 1 }, (_, tap) => {
    const x = (tap - half - offset) * cut;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * (tap - half - offset)) / (half + 1)));
  });
  const sum = taps.reduce((all, tap) => all + tap, 0);
  return taps.map((tap) => tap / sum);
}

/** Brings the sound down to {@link LEVEL} where it is louder. */
function quiet(pcm: Int16Array): Int16Array {
  const level = loudness(pcm) * FULL_SCALE;
  return level <= LEVEL ? pcm : pcm.map((sample) => Math.round((sample * LEVEL) / level));
}

/** Fades the end into the beginning, which shortens the sound by the seam. */
function withSeam(pcm: Int16Array): LoopedSound {
  const sound = pcm.slice(0, pcm.length - SEAM);
  for (let n = 0; n < SEAM; n += 1) {
    const share = n / SEAM;
    sound[n] = Math.round((pcm[n] ?? 0) * share + (pcm[sound.length + n] ?? 0) * (1 - share));
  }
  return sound;
}

/** Plays a looped sound from its beginning, without end. */
export function playLooped(sound: LoopedSound): SoundUnder {
  let at = 0;
  return () => {
    const frame = new Int16Array(FRAME.samples);
    for (let n = 0; n < frame.length; n += 1) {
      frame[n] = sound[at] ?? 0;
      at = (at + 1) % sound.length;
    }
    return frame;
  };
}
