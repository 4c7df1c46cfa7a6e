/** The assistant's sound comes back within this time, ms: playing, the room, and the way back. */
const ECHO_MS = 500;
const FRAME_MS = 20;
/** Root mean square below which the assistant's sound is too quiet for a microphone. */
const PLAYED = 300;
/**
 * How many windows (32 ms) of the assistant's speech are remembered, and how many are needed to know the
 * echo.
 */
const REMEMBERED = 190;
const KNOWN = 25;
/**
 * At least this share of what is remembered is taken for echo; a caller who interrupts is soon the only one
 * speaking.
 */
const SHARE = 0.7;
/** Factor from that level to the loudest echo. */
const PEAK = 2.5;
/** Sound louder than this, compared with the assistant's, is the caller's whatever was learned: -14 dB. */
const MOST = 0.2;

/**
 * Tells the assistant's own voice in a caller's microphone from the caller's. It learns how loud the echo is
 * compared with what is played. With a headset there is no echo, and a whisper interrupts; next to a
 * loudspeaker a caller has to be louder than the echo.
 */
export class EchoGate {
  readonly #played: number[] = [];
  readonly #ratios: number[] = [];
  #next = 0;
  #limit = MOST;

  /** Takes a frame of 20 ms that is sent to the caller, silence included. */
  played(frame: Int16Array): void {
    this.#played.push(levelOf(frame));
    if (this.#played.length > ECHO_MS / FRAME_MS) this.#played.shift();
  }

  /** Whether a window of the caller's sound may be only the assistant's echo. */
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
