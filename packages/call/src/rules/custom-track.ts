import type { Rule } from './rule.ts';

/** A custom track as a page passes it; nothing in it is trusted. */
export interface CustomTrackInput {
  readonly track?: unknown;
  readonly mode?: unknown;
  readonly trackName?: unknown;
}

/** Names that the library gives to its own tracks (docs/specification/platform.md §5). */
export const RESERVED_TRACK_NAMES: readonly string[] = [
  'cam-audio',
  'cam-video',
  'customVideoDefaults',
  'screen-video',
  'screen-audio',
  'rmpAudio',
  'rmpVideo',
];

const LONGEST_NAME = 50;

const isMediaTrack = (value: unknown): boolean =>
  typeof MediaStreamTrack !== 'undefined' && value instanceof MediaStreamTrack;

/**
 * Rules of `startCustomTrack` (docs/specification/platform.md §5, docs/contracts/voice.md §2), in the order
 * in which they are checked.
 */
export const CUSTOM_TRACK_RULES = [
  {
    name: 'name too long',
    broken: ({ trackName }) => typeof trackName === 'string' && trackName.length > LONGEST_NAME,
    text: 'Custom track `trackName` must not be more than 50 characters',
  },
  {
    name: 'unknown mode',
    broken: ({ mode }) => Boolean(mode) && mode !== 'music' && mode !== 'speech' && typeof mode !== 'object',
    text: 'Custom track `mode` must be either `music` | `speech` | `DailyMicAudioModeSettings` or `undefined`',
  },
  {
    name: 'reserved name',
    broken: ({ trackName }) => typeof trackName === 'string' && RESERVED_TRACK_NAMES.includes(trackName),
    text: `Custom track \`trackName\` must not match a track name already used by daily: ${RESERVED_TRACK_NAMES.join(', ')}`,
  },
  {
    name: 'not a track',
    broken: ({ track }) => !isMediaTrack(track),
    text: 'Custom tracks provided must be instances of MediaStreamTrack',
  },
] as const satisfies readonly Rule<CustomTrackInput>[];
