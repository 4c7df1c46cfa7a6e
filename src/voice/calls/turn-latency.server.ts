/** How long each part of one answer took, milliseconds (docs/contracts/voice.md §6). */
export interface TurnLatency {
  readonly turn: number;
  /** From the caller's last voice to the end of the turn. */
  readonly endpointingLatency: number;
  /** From there to its text. */
  readonly transcriberLatency: number;
  /** From there to the first sentence of the answer. */
  readonly modelLatency: number;
  /** From there to its first sound. */
  readonly voiceLatency: number;
  /** From there to the sending of that sound; includes the wait for the response delay. */
  readonly playoutLatency: number;
  /** From the caller's last voice to the assistant's first sound. */
  readonly turnLatency: number;
}

type Mark = 'endpoint' | 'text' | 'sentence' | 'sound' | 'audible';
const MARKS: readonly Mark[] = ['endpoint', 'text', 'sentence', 'sound', 'audible'];

/** Measures the times of spoken turns; typed turns have no audible latency. */
export class TurnClock {
  readonly #latencies: TurnLatency[] = [];
  #endpointAt = 0;
  #open: { turn: number; voiceEndedAt: number; at: Partial<Record<Mark, number>> } | undefined;

  latencies(): readonly TurnLatency[] {
    return this.#latencies;
  }

  endpoint(now: number): void {
    this.#endpointAt = Math.round(now);
  }

  /** A turn is to be answered. */
  begin(turn: number, voiceEndedAt: number, now: number): void {
    const at = { endpoint: this.#endpointAt, text: Math.round(now) };
    this.#open = { turn, voiceEndedAt: Math.round(voiceEndedAt), at };
  }

  /** The turn is not answered after all. */
  cancel(): void {
    this.#open = undefined;
  }

  /** Records a mark; the first of each kind counts. Returns the latency when `audible` completes it. */
  mark(mark: Mark, now: number): TurnLatency | undefined {
    if (this.#open === undefined) return undefined;
    this.#open.at[mark] ??= Math.round(now);
    if (mark !== 'audible') return undefined;
    const { turn, voiceEndedAt, at } = this.#open;
    this.#open = undefined;
    const times = MARKS.map((name) => at[name]);
    if (times.some((time) => time === undefined)) return undefined;
    const [endpoint = 0, text = 0, sentence = 0, sound = 0, audible = 0] = times;
    const latency = {
      turn,
      endpointingLatency: endpoint - voiceEndedAt,
      transcriberLatency: text - endpoint,
      modelLatency: sentence - text,
      voiceLatency: sound - sentence,
      playoutLatency: audible - sound,
      turnLatency: audible - voiceEndedAt,
    };
    this.#latencies.push(latency);
    return latency;
  }
}

/** The latencies in the form of a call's artifact: every turn, and the average of each part. */
export function performanceMetrics(latencies: readonly TurnLatency[]): object {
  const average = (part: keyof TurnLatency): number =>
    Math.round(latencies.reduce((sum, one) => sum + one[part], 0) / Math.max(1, latencies.length));
  return {
    turnLatencies: latencies,
    modelLatencyAverage: average('modelLatency'),
    voiceLatencyAverage: average('voiceLatency'),
    transcriberLatencyAverage: average('transcriberLatency'),
    endpointingLatencyAverage: average('endpointingLatency'),
    turnLatencyAverage: average('turnLatency'),
  };
}
