/** Answers of the console's functions about recorded meetings, `/functions/v1/operator-…`; times are ISO 8601. */

/** A row of `GET operator-meeting-recordings`. */
export interface ConsoleMeeting {
  readonly id: string;
  readonly room_name: string;
  readonly created_at: string;
  /** Null while it is being made, and where nothing was stored. */
  readonly seconds: number | null;
  readonly goes_on: boolean;
  readonly people: number;
}

/** `GET operator-meeting-recordings?after=`: at most 50, newest first. */
export interface MeetingsPage {
  readonly rows: readonly ConsoleMeeting[];
  readonly next: string | null;
}

/** `GET operator-meeting-recording?id=`. */
export interface MeetingDetail extends ConsoleMeeting {
  readonly expires_at: string | null;
  /** Everybody who was recorded, from when to when in seconds of the recording. */
  readonly heard: readonly { readonly name: string; readonly from: number; readonly to: number | null }[];
  /**
   * The pictures: waiting to be composed with the sound, in one file with it, separate files, refused by the
   * store, or none.
   */
  readonly pictures: 'recorded' | 'composed' | 'separate' | 'refused' | 'none';
  /** One sentence for each fault of its evidence; empty where it holds. */
  readonly faults: readonly string[];
}

/** `POST operator-play-meeting-recording`: addresses that play for an hour, in ranges. */
export interface MeetingAddresses {
  readonly url: string;
  readonly video: boolean;
  readonly pictures: readonly { readonly participant: string; readonly url: string }[];
}
