/**
 * Browsers that show notices. Calls under `/functions/v1/` with a user's access token as bearer; failures are
 * `{error, code}`.
 */
export const PUSH_FUNCTIONS = {
  /** GET; replies with PushDevices. */
  devices: '/functions/v1/push-devices',
  /**
   * POST of the output of `PushSubscription.toJSON()`; the browser of this session then shows notices.
   * Replies `{id}`. Errors: 400 push_endpoint | validation_failed, 403 session_needed, 409 push_devices_full
   * | push_endpoint_taken.
   */
  subscribe: '/functions/v1/push-subscribe',
  /**
   * POST `{id}` of one of the caller's browsers, or `{}` for this session's; replies `{removed}`, the number
   * of browsers.
   */
  unsubscribe: '/functions/v1/push-unsubscribe',
} as const;

/** Most browsers of one person that show notices. */
export const MOST_DEVICES = 10;

/**
 * The script that shows notices, and the pages that it belongs to. It is served from the root, because its
 * scope requires that.
 */
export const PUSH_WORKER = { address: '/push-worker.js', scope: '/dashboard' } as const;

/** Longest accepted address of a push service; the longest in use have about 400 characters. */
export const LONGEST_ENDPOINT = 1000;

/** A browser that shows notices. */
export interface PushDevice {
  readonly id: string;
  /** User agent of the session that switched notices on. */
  readonly user_agent: string | null;
  /**
   * True when its push service refused several notices in a row: it gets none until it is switched on again.
   */
  readonly paused: boolean;
  /** True for the browser that sent the request. */
  readonly current: boolean;
}

/** The reply of `push-devices`. */
export interface PushDevices {
  /** The public key of this installation to which a browser has to agree, base64url (RFC 8292). */
  readonly key: string;
  readonly devices: readonly PushDevice[];
}

/** A notice as the push service delivers it and the worker shows it. */
export interface ShownNotice {
  /** The same for each attempt, so that a notice that arrives twice is shown once. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** The page that it opens. */
  readonly path: string;
}
