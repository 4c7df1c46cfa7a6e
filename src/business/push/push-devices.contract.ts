/**
 * Browsers that show notices. Calls under `/functions/v1/` with a user's access token as bearer; failures are
 * `{error, code}`.
 */
export const PUSH_FUNCTIONS = {
  /** GET; answers PushDevices. */
  devices: '/functions/v1/push-devices',
  /**
   * POST of what `PushSubscription.toJSON()` gives; the browser of this session shows notices from then on. Answers
   * `{id}`. Errors: 400 push_endpoint | validation_failed, 403 session_needed, 409 push_devices_full | push_endpoint_taken.
   */
  subscribe: '/functions/v1/push-subscribe',
  /** POST `{id}` of one of the caller's browsers, or `{}` for this session's; answers `{removed}`, how many. */
  unsubscribe: '/functions/v1/push-unsubscribe',
} as const;

/** Browsers of one person that show notices. */
export const MOST_DEVICES = 10;

/** The script that shows notices, and the pages that it belongs to: it is served from the root, as its scope asks for. */
export const PUSH_WORKER = { address: '/push-worker.js', scope: '/dashboard' } as const;

/** Longest address of a push service that is taken; the longest in use have about 400 characters. */
export const LONGEST_ENDPOINT = 1000;

/** A browser that shows notices. */
export interface PushDevice {
  readonly id: string;
  /** Of the session that switched it on. */
  readonly user_agent: string | null;
  /** Its push service refused several in a row: it gets none until it is switched on again. */
  readonly paused: boolean;
  /** It is the one that asks. */
  readonly current: boolean;
}

/** What `push-devices` answers. */
export interface PushDevices {
  /** What a browser has to agree to: the public key of this installation, base64url (RFC 8292). */
  readonly key: string;
  readonly devices: readonly PushDevice[];
}

/** What the push service brings, and the worker shows. */
export interface ShownNotice {
  /** The same for each attempt, so that what comes twice is shown once. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** The page that it opens. */
  readonly path: string;
}
