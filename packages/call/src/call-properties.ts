/** What a call is created or joined with; checked at run time by `validateProperties`. */
export interface CallProperties {
  readonly url?: string;
  readonly token?: string;
  readonly userName?: string;
  readonly userData?: unknown;
  readonly audioSource?: boolean | string | MediaStreamTrack;
  readonly videoSource?: boolean | string | MediaStreamTrack;
  readonly startAudioOff?: boolean;
  readonly subscribeToTracksAutomatically?: boolean;
  /** False allows several calls at once, and lets a destroyed one be called without a throw. */
  readonly strictMode?: boolean;
  readonly dailyConfig?: Readonly<Record<string, unknown>>;
  readonly inputSettings?: unknown;
  /** ISO 3166 country that `geo()` answers with; the page's own server knows it. */
  readonly geo?: string;
}
