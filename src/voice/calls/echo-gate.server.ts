/** The assistant's sound comes back within this: playing, the room, and the way back. */
const ECHO_MS = 500;
const FRAME_MS = 20;
/** Below this root mean square nothing of the assistant can be heard in a microphone. */
const PLAYED = 300;
/** Windows (32 ms) of the assistant's speech that are remembered, and how many it takes to know the echo. */
const REMEMBERED = 190;
const KNOWN = 25;
/** Of what is remembered this share is echo or less; a caller who comes in is soon the only one who speaks. */
const SHARE = 0.7;
/** The loudest echo above that, as a factor. */
const PEAK = 2.5;
/** What is louder than this in comparison with the assistant is the caller whatever was learned: -14 dB. */
const MOST = 0.2;

/**
 * Distinguishes the assistant's own voice in a caller's microphone from the caller's. It learns how loud that
 * echo is in comparison with what is played: with a headset it is nothing, and a whisper interrupts;
 * next to a loudspeaker a caller must be louder than the echo.
 */
export class EchoGate {
  readonly #played: number[] = [];
  readonly #ratios: number[] = [];
  #next = 0;
  #limit = MOST;

  /** A frame of 20 ms leaves for the caller, silence included. */
  played(frame: Int16Array): void {
    this.#played.push(levelOf(frame));
    if (this.#played.length > ECHO_MS / FRAME_MS) this.#played.shift();
  }

  /** Whether a window of the caller's sound may be nothing else than the assistant's echo. */
  isEcho(window: Int16Array): boolean {
    const loudest = Math.max(0, ...this.#played);
    if (loudest < PLAYED) return false;
    const ratio = levelOf(window) / loudest;
    const echo = ratio <= this.#limit;
    this.#learn(ratio);
    return echo;
  }

  #learn(ratio: number): void {
    this.#ratios[this.#next] = ratio;
    this.#next = (this.#next + 1) % REMEMBERED;
    if (this.#ratios.length < KNOWN) return;
    const sorted = this.#ratios.toSorted((a, b) => a - b);
    this.#limit = Math.min(MOST, PEAK * (sorted[Math.floor(SHARE * (sorted.length - 1))] ?? MOST));
  }
}

/** Root mean square. */
function levelOf(pcm: Int16Array): number {
  let energy = 0;
  for (const sample of pcm) energy += sample * sample;
  return Math.sqrt(energy / Math.max(1, pcm.length));
}
