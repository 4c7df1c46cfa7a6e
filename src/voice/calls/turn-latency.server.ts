/** How long each part of one answer took, milliseconds (docs/contracts/voice.md §6). */
export interface TurnLatency {
  readonly turn: number;
  /** Last voice of the caller → the turn is over. */
  readonly endpointingLatency: number;
  /** … → its text is there. */
  readonly transcriberLatency: number;
  /** … → the first sentence of the answer. */
  readonly modelLatency: number;
  /** … → the first sound of it. */
  readonly voiceLatency: number;
  /** … → that sound is sent: waiting for the response delay is in it. */
  readonly playoutLatency: number;
  /** Last voice of the caller → first sound of the assistant. */
  readonly turnLatency: number;
}

type Mark = 'endpoint' | 'text' | 'sentence' | 'sound' | 'audible';
const MARKS: readonly Mark[] = ['endpoint', 'text', 'sentence', 'sound', 'audible'];

/** Takes the times of spoken turns; typed ones have no audible latency. */
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

  /** The first of its kind counts. Returns the latency when `audible` completes it. */
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

/** The latencies as a call's artefact shows them: every turn, and the average of each part. */
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
