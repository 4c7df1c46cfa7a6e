/** Answers of the console's functions about calls, `/functions/v1/operator-…`; times are ISO 8601. */

/** Which calls are listed. */
export const CALL_LISTS = ['all', 'live', 'ended', 'scheduled'] as const;
export type CallList = (typeof CALL_LISTS)[number];

/** A row of `GET operator-calls`. */
export interface ConsoleCall {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly ended_reason: string | null;
  /** Number or name of the other side; null in a browser. */
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
  /** What the filters offer: reasons of ends, and assistants that took calls. */
  readonly reasons: readonly string[];
  readonly assistants: readonly { readonly id: string; readonly name: string | null }[];
}

/** One line of a call's transcript; of tools the name and what came of them. */
export interface TranscriptMessage {
  readonly role: string;
  readonly message: string;
  readonly secondsFromStart: number;
  /** When its last word was said, milliseconds since 1970. */
  readonly endTime?: number | undefined;
  /** 0 to 1, of what was heard; missing for what was typed or said by the assistant. */
  readonly confidence?: number | undefined;
  readonly typed?: boolean | undefined;
  readonly result?: unknown;
  /** Of the role `system`: what a colleague said in the assistant's place, what happened, what only the assistant was told. */
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

/** What is kept of a call's sound and picture. */
export interface ConsoleRecording {
  readonly seconds: number;
  readonly started_at: string;
  readonly expires_at: string;
  /**
   * The picture of the caller's camera: still to be put together with the sound, one file with it, or a file beside it;
   * `missing` where it was to be recorded and there is none, `refused` where the store took none of both in one; null where
   * the sound alone was recorded.
   */
  readonly picture: 'recorded' | 'composed' | 'separate' | 'missing' | 'refused' | null;
}

/** Why nothing is kept of a call: without a yes, the yes taken back, kept long enough, refused by the store, or nobody knows. */
export interface Unrecorded {
  readonly why: 'not-agreed' | 'withdrawn' | 'expired' | 'refused' | 'lost';
  /** When it was deleted; null where it was not. */
  readonly at: string | null;
}

/** `POST operator-call-recording`: addresses that play for an hour, in ranges. */
export interface RecordingAddresses {
  /** What is played. */
  readonly url: string;
  /** Whether a picture is in it. */
  readonly video: boolean;
  /** The picture alone, where it stayed a file of its own. */
  readonly picture_url: string | null;
}

/** `GET operator-call?id=`. */
export interface CallDetail {
  readonly call: ConsoleCall;
  /** Its words were taken back by the caller. */
  readonly erased: boolean;
  readonly messages: readonly TranscriptMessage[];
  readonly summary: string | null;
  readonly structured_data: unknown;
  /** US dollars by part, and what was used. */
  readonly cost_breakdown: Readonly<Record<string, number>>;
  readonly latencies: readonly ConsoleLatency[];
  /** Null where no sound is kept. */
  readonly recording: ConsoleRecording | null;
  /** Why a call that was to be recorded has no recording; null where it has one, or none was to be. */
  readonly unrecorded: Unrecorded | null;
  readonly logs: readonly { readonly level: string; readonly log: string; readonly time: string }[];
  readonly evidence: {
    readonly entries: readonly { readonly position: number; readonly kind: string; readonly at: string }[];
    /** One sentence for each fault of the chain; none when it holds. */
    readonly faults: readonly string[];
  };
}

/** A line of a call that goes on; a row of `public.live_call_words`. */
export interface LiveLine {
  readonly call_id: string;
  readonly position: number;
  readonly role: 'user' | 'assistant' | 'colleague';
  /** Empty for a line that was taken back. */
  readonly text: string;
  readonly final: boolean;
}

/** `GET operator-live-calls`. */
export interface LiveCalls {
  readonly calls: readonly (Pick<
    ConsoleCall,
    'id' | 'type' | 'status' | 'caller' | 'assistant_name' | 'created_at' | 'started_at'
  > & {
    /** Who speaks in the assistant's place; null while the assistant has the call. */
    readonly taken_by: string | null;
    readonly lines: readonly LiveLine[];
  })[];
}

/** `GET operator-call-figures?days=`; every figure is of calls created in those days. */
export interface CallFigures {
  readonly calls: number;
  /** Calls in which the two sides were connected. */
  readonly answered: number;
  readonly minutes: number;
  /** Calls whose success was judged by true or false, and those of them that were one. */
  readonly judged: number;
  readonly successful: number;
  /** One of each day, oldest first, days without a call included; `day` is `2026-11-22`. */
  readonly days: readonly {
    readonly day: string;
    readonly calls: number;
    readonly answered: number;
    readonly minutes: number;
  }[];
  readonly reasons: readonly { readonly reason: string; readonly calls: number }[];
  /** Milliseconds, over every spoken answer; null where there was none. */
  readonly latency: readonly {
    readonly part: string;
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  }[];
  /** Spoken answers that the latencies are of. */
  readonly turns: number;
}
