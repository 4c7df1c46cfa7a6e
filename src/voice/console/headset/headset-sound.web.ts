import { HEADSET_SOUND } from './headset.contract.ts';

const FULL_SCALE = 32_768;
/**
 * Seconds of sound that are buffered before playing, to hide an uneven network; and the most that are kept.
 */
const CUSHION_SECONDS = 0.06;
const MOST_SECONDS = 0.4;

/**
 * Resamples sound piece by piece. Downwards, each new sample is the mean of the samples that it replaces;
 * upwards, it is interpolated between two.
 */
export class RateChange {
  readonly #step: number;
  #sum = 0;
  #weight = 0;
  #last = 0;
  #at = 0;

  constructor(from: number, to: number) {
    this.#step = from / to;
  }

  take(samples: Float32Array): Float32Array<ArrayBuffer> {
    const changed: number[] = [];
    for (const sample of samples) {
      if (this.#step >= 1) this.#average(sample, changed);
      else this.#interpolate(sample, changed);
    }
    return Float32Array.from(changed);
  }

  #average(sample: number, into: number[]): void {
    let left = 1;
    while (left > 0) {
      const part = Math.min(left, this.#step - this.#weight);
      this.#sum += sample * part;
      this.#weight += part;
      left -= part;
      // Sums of fractions are never exact.
      if (this.#step - this.#weight > 1e-9) continue;
      into.push(this.#sum / this.#step);
      this.#sum = 0;
      this.#weight = 0;
    }
  }

  #interpolate(sample: number, into: number[]): void {
    for (; this.#at < 1; this.#at += this.#step) into.push(this.#last + (sample - this.#last) * this.#at);
    this.#at -= 1;
    this.#last = sample;
  }
}

/** Cuts sound into the frames that are sent: 16-bit, 20 ms each. */
export class FrameCut {
  #frame = new Int16Array(HEADSET_SOUND.frame);
  #filled = 0;

  take(samples: Float32Array): Int16Array<ArrayBuffer>[] {
    const frames: Int16Array<ArrayBuffer>[] = [];
    for (const sample of samples) {
      this.#frame[this.#filled++] = Math.max(-1, Math.min(1, sample)) * (FULL_SCALE - 1);
      if (this.#filled < HEADSET_SOUND.frame) continue;
      frames.push(this.#frame);
      this.#frame = new Int16Array(HEADSET_SOUND.frame);
      this.#filled = 0;
    }
    return frames;
  }
}

/** Plays sound as it arrives, with a small buffer. */
export class PlayQueue {
  readonly #cushion: number;
  readonly #most: number;
  #pieces: Float32Array[] = [];
  #queued = 0;
  #used = 0;
  #playing = false;

  /** @param rate samples a second of the output */
  constructor(rate: number) {
    this.#cushion = rate * CUSHION_SECONDS;
    this.#most = rate * MOST_SECONDS;
  }

  add(samples: Float32Array): void {
    if (this.#queued > this.#most) this.#drop();
    this.#pieces.push(samples);
    this.#queued += samples.length;
  }

  /** The next samples; silence where there are none. */
  fill(output: Float32Array): void {
    this.#playing = this.#queued > 0 && (this.#playing || this.#queued >= this.#cushion);
    if (!this.#playing) {
      output.fill(0);
      return;
    }
    for (let at = 0; at < output.length; at += 1) output[at] = this.#next();
  }

  #next(): number {
    const [piece] = this.#pieces;
    if (piece === undefined) return 0;
    const sample = piece[this.#used++] ?? 0;
    this.#queued -= 1;
    if (this.#used >= piece.length) {
      this.#pieces.shift();
      this.#used = 0;
    }
    return sample;
  }

  #drop(): void {
    this.#pieces = [];
    this.#queued = 0;
    this.#used = 0;
  }
}

/** Both sides of 20 ms of a call, from the bytes of the socket: mono, -1 to 1. */
export interface CallFrame {
  readonly caller: Float32Array<ArrayBuffer>;
  readonly assistant: Float32Array<ArrayBuffer>;
}

/** Reads a frame from the socket's bytes. */
export function readFrame(bytes: ArrayBuffer): CallFrame {
  const samples = new Int16Array(bytes, 0, bytes.byteLength >> 1);
  const side = (first: number) =>
    Float32Array.from(
      { length: samples.length >> 1 },
      (_, at) => (samples[at * 2 + first] ?? 0) / FULL_SCALE,
    );
  return { caller: side(0), assistant: side(1) };
}

/** The sound to play: everybody except the operator, who may be speaking in the assistant's place. */
export function mixFrame({ caller, assistant }: CallFrame, speaking: boolean): Float32Array<ArrayBuffer> {
  return speaking ? caller : caller.map((sample, at) => sample + (assistant[at] ?? 0));
}

/** Loudness: the root of the mean square, 0 to 1. */
export function levelOf(samples: Float32Array): number {
  if (samples.length === 0) return 0;
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
