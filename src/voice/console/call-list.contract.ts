/** Answers of the console's functions about calls, `/functions/v1/operator-…`; times are ISO 8601. */

/** The lists of calls. */
export const CALL_LISTS = ['all', 'live', 'ended', 'scheduled'] as const;
export type CallList = (typeof CALL_LISTS)[number];

/** A row of `GET operator-calls`. */
export interface ConsoleCall {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly ended_reason: string | null;
  /** Number or name of the other person; null in a browser. */
  readonly caller: string | null;
  readonly assistant_name: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly success: string | null;
  /** US dollars. */
  readonly cost: number | null;
  readonly recorded: boolean;
}

/** `GET operator-calls?list=&q=&reason=&assistant=&from=&to=&after=`: at most 50, newest first. */
export interface CallsPage {
  readonly rows: readonly ConsoleCall[];
  readonly next: string | null;
  /** The choices of the filters: reasons of ends, and assistants that took calls. */
  readonly reasons: readonly string[];
  readonly assistants: readonly { readonly id: string; readonly name: string | null }[];
}

/** One line of a call's transcript; for a tool its name and its result. */
export interface TranscriptMessage {
  readonly role: string;
  readonly message: string;
  readonly secondsFromStart: number;
  /** When its last word was said, milliseconds since 1970. */
  readonly endTime?: number | undefined;
  /** Confidence of the recognition, 0 to 1; missing for lines that were typed or said by the assistant. */
  readonly confidence?: number | undefined;
  readonly typed?: boolean | undefined;
  readonly result?: unknown;
  /**
   * For the role `system`: what a colleague said in the assistant's place, what happened, or what only the
   * assistant was told.
   */
  readonly kind?: 'colleague' | 'notice' | 'whisper' | undefined;
}

/** The times of one answer, milliseconds (docs/contracts/voice.md §6). */
export interface ConsoleLatency {
  readonly turn: number;
  readonly endpointingLatency: number;
  readonly transcriberLatency: number;
  readonly modelLatency: number;
  readonly voiceLatency: number;
  readonly playoutLatency: number;
  readonly turnLatency: number;
}

/** The stored sound and picture of a call. */
export interface ConsoleRecording {
  readonly seconds: number;
  readonly started_at: string;
  readonly expires_at: string;
  /**
   * The picture of the caller's camera: waiting to be composed with the sound, in one file with it, or a
   * separate file. `missing` where it should have been recorded but was not, `refused` where the store
   * refused the composed file; null where only the sound was recorded.
   */
  readonly picture: 'recorded' | 'composed' | 'separate' | 'missing' | 'refused' | null;
}

/**
 * Why nothing is stored: the caller did not agree, or withdrew the consent, the recording expired, the store
 * refused it, or it was lost.
 */
export interface Unrecorded {
  readonly why: 'not-agreed' | 'withdrawn' | 'expired' | 'refused' | 'lost';
  /** When it was deleted; null where it was not. */
  readonly at: string | null;
}

/** `POST operator-call-recording`: addresses that play for an hour, in ranges. */
export interface RecordingAddresses {
  /** The address of the file to play. */
  readonly url: string;
  /** Whether that file has a picture. */
  readonly video: boolean;
  /** The picture alone, where it stayed a separate file. */
  readonly picture_url: string | null;
}

/** `GET operator-call?id=`. */
export interface CallDetail {
  readonly call: ConsoleCall;
  /** Whether the caller had its words deleted. */
  readonly erased: boolean;
  readonly messages: readonly TranscriptMessage[];
  readonly summary: string | null;
  readonly structured_data: unknown;
  /** US dollars by part, and the units that were used. */
  readonly cost_breakdown: Readonly<Record<string, number>>;
  readonly latencies: readonly ConsoleLatency[];
  /** Null where no sound is stored. */
  readonly recording: ConsoleRecording | null;
  /**
   * Why a call that was to be recorded has no recording; null where it has one, or was not to be recorded.
   */
  readonly unrecorded: Unrecorded | null;
  readonly logs: readonly { readonly level: string; readonly log: string; readonly time: string }[];
  readonly evidence: {
    readonly entries: readonly { readonly position: number; readonly kind: string; readonly at: string }[];
    /** One sentence for each fault of the chain; empty where it holds. */
    readonly faults: readonly string[];
  };
}

/** A line of a call in progress; a row of `northline_app.live_call_words`. */
export interface LiveLine {
  readonly call_id: string;
  readonly position: number;
  readonly role: 'user' | 'assistant' | 'colleague';
  /** Empty for a line that was removed. */
  readonly text: string;
  readonly final: boolean;
}

/** `GET operator-live-calls`. */
export interface LiveCalls {
  readonly calls: readonly (Pick<
    ConsoleCall,
    'id' | 'type' | 'status' | 'caller' | 'assistant_name' | 'created_at' | 'started_at'
  > & {
    /** The colleague who speaks in the assistant's place; null while the assistant has the call. */
    readonly taken_by: string | null;
    readonly lines: readonly LiveLine[];
  })[];
}

/** `GET operator-call-figures?days=`; all figures are about calls created in those days. */
export interface CallFigures {
  readonly calls: number;
  /** Calls in which the two sides were connected. */
  readonly answered: number;
  readonly minutes: number;
  /** How many calls were judged as successful or not, and how many of them were successful. */
  readonly judged: number;
  readonly successful: number;
  /** One entry for each day, oldest first, also for days without calls; `day` is `2026-11-22`. */
  readonly days: readonly {
    readonly day: string;
    readonly calls: number;
    readonly answered: number;
    readonly minutes: number;
  }[];
  readonly reasons: readonly { readonly reason: string; readonly calls: number }[];
  /** Milliseconds, over all spoken answers; null where there were none. */
  readonly latency: readonly {
    readonly part: string;
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  }[];
  /** How many spoken answers the latencies are calculated from. */
  readonly turns: number;
}
