import type { Notice } from '../transport.ts';

/** Actions without an effect: reports of the library to its own makers, which are dropped. */
export const ACTIONS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['transmit-log']);

/** Actions whose method resolves whatever the reply says; only an event shows that they were refused. */
export const DEAF_ACTIONS: ReadonlySet<string> = new Set([
  ...['stop-custom-track', 'get-cpu-load-stats'],
  ...['local-recording-start', 'local-recording-stop', 'daily-method-update-recording'],
]);

/** Error events of the published library, by the actions that they belong to. */
const ERROR_EVENTS: readonly (readonly [RegExp, (errorMsg: string) => Notice])[] = [
  [/recording/, (errorMsg) => ({ action: 'recording-error', type: 'cloud', errorMsg })],
  [/live-streaming/, (errorMsg) => ({ action: 'live-streaming-error', errorMsg })],
  [/transcription/, (errorMsg) => ({ action: 'transcription-error', errorMsg })],
  [/^dialout|dtmf|^sip-/, (errorMsg) => ({ action: 'dialout-error', errorMsg })],
  [
    /camera|local-video/,
    (errorMsg) => ({
      action: 'camera-error',
      errorMsg: { errorMsg },
      error: { type: 'unknown', msg: errorMsg },
    }),
  ],
];

/** The library's own kinds of `nonfatal-error`; other actions have `action-error`. */
const NONFATAL_TYPES: readonly (readonly [RegExp, string])[] = [
  [/local-screen/, 'screen-share-error'],
  [/session-data/, 'meeting-session-data-error'],
  [/remote-media-player/, 'remote-media-player-error'],
  [/update-input-settings/, 'video-processor-error'],
  [/input-devices|custom-track|cycle-mic/, 'input-settings-error'],
];

/** The event that tells the published library that an action was refused. */
export function refusalOf(action: string, errorMsg: string): Notice {
  const event = ERROR_EVENTS.find(([actions]) => actions.test(action))?.[1];
  if (event !== undefined) return event(errorMsg);
  const type = NONFATAL_TYPES.find(([actions]) => actions.test(action))?.[1] ?? 'action-error';
  return { action: 'nonfatal-error', type, errorMsg };
}
