/** The properties with which a call is created or joined; `validateProperties` checks them at run time. */
export interface CallProperties {
  readonly url?: string;
  readonly token?: string;
  readonly userName?: string;
  readonly userData?: unknown;
  readonly audioSource?: boolean | string | MediaStreamTrack;
  readonly videoSource?: boolean | string | MediaStreamTrack;
  readonly startAudioOff?: boolean;
  readonly subscribeToTracksAutomatically?: boolean;
  /** False allows several calls at once, and lets a destroyed call be used without an error. */
  readonly strictMode?: boolean;
  readonly dailyConfig?: Readonly<Record<string, unknown>>;
  readonly inputSettings?: unknown;
  /** ISO 3166 code of the country that `geo()` answers; the page's own server knows it. */
  readonly geo?: string;
}
