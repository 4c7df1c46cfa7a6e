import type { SoundUnder } from './sound-session.ts';

/** Samples and milliseconds of one frame: 20 ms at 16 kHz. */
export const FRAME = { samples: 320, ms: 20 } as const;

/** A frame that is sent more than this many milliseconds after its time counts as late. */
const LATE_MS = 40;
/** After a longer stall the clock restarts: a burst of old frames would be of no use. */
const LONGEST_CATCH_UP_MS = 200;
const SILENCE = new Int16Array(FRAME.samples);

/** The pacer's clock and timer; milliseconds. */
export interface PaceClock {
  now(): number;
  /** Calls `tick` about every `ms`; the returned function ends it. */
  every(ms: number, tick: () => void): () => void;
}

/** The machine's clock. */
export const MACHINE_CLOCK: PaceClock = {
  now: () => performance.now(),
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    return () => clearInterval(timer);
  },
};

/**
 * Sends a frame for every 20 ms of wall time, silence where nothing is queued: frame n is due at start + n·20
 * ms, so that late timers never add up (docs/contracts/voice.md §4.5). Listeners get each frame as it is
 * heard, and separately the speech in it, since a sound that plays under the speech is not speech.
 */
export class FramePacer {
  readonly #clock: PaceClock;
  readonly #send: (frame: Int16Array, speech: Int16Array) => void;
  #queue: Int16Array[] = [];
  /** Samples of the queue's first piece that have been sent. */
  #used = 0;
  #queued = 0;
  #start: number;
  #sent = 0;
  #late = 0;
  #held = false;
  #under: SoundUnder | undefined;
  readonly #end: () => void;

  constructor(clock: PaceClock, send: (frame: Int16Array, speech: Int16Array) => void) {
    this.#clock = clock;
    this.#send = send;
    this.#start = clock.now();
    this.#end = clock.every(FRAME.ms / 2, () => this.#tick());
  }

  /** Frames that were sent more than 40 ms after their time. */
  get late(): number {
    return this.#late;
  }

  /** Milliseconds of queued sound. */
  get queuedMs(): number {
    return (this.#queued / FRAME.samples) * FRAME.ms;
  }

  write(pcm: Int16Array): void {
    if (pcm.length === 0) return;
    this.#queue.push(pcm);
    this.#queued += pcm.length;
  }

  /** While held, silence is sent and the queue stays. */
  hold(held: boolean): void {
    this.#held = held;
  }

  /** Plays a sound under everything from now on; undefined ends it. */
  playUnder(sound: SoundUnder | undefined): void {
    this.#under = sound;
  }

  /** Drops the queue; returns how many milliseconds it had. */
  flush(): number {
    const dropped = this.queuedMs;
    this.#queue = [];
    this.#used = 0;
    this.#queued = 0;
    this.#held = false;
    return dropped;
  }

  stop(): void {
    this.#end();
    this.flush();
  }

  #tick(): void {
    const now = this.#clock.now();
    const behind = now - this.#start - this.#sent * FRAME.ms;
    if (behind > LONGEST_CATCH_UP_MS) {
      this.#late += Math.floor(behind / FRAME.ms);
      this.#start = now;
      this.#sent = 0;
    }
    const due = Math.floor((now - this.#start) / FRAME.ms) + 1;
    while (this.#sent < due) {
      if (now - this.#start - this.#sent * FRAME.ms > LATE_MS) this.#late += 1;
      this.#sent += 1;
      const speech = this.#queued > 0 && !this.#held ? this.#next() : SILENCE;
      this.#send(this.#under === undefined ? speech : mixed(speech, this.#under()), speech);
    }
  }

  /** The next frame; silence fills up the last frame of a sentence. */
  #next(): Int16Array {
    const frame = new Int16Array(FRAME.samples);
    let filled = 0;
    while (filled < FRAME.samples) {
      const piece = this.#queue[0];
      if (piece === undefined) break;
      const part = piece.subarray(this.#used, this.#used + FRAME.samples - filled);
      frame.set(part, filled);
      filled += part.length;
      this.#used += part.length;
      if (this.#used === piece.length) {
        this.#queue.shift();
        this.#used = 0;
      }
    }
    this.#queued -= filled;
    return frame;
  }
}

function mixed(one: Int16Array, other: Int16Array): Int16Array {
  return one.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + (other[at] ?? 0))));
}
