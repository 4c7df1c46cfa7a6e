import { isRecord, member, type Rule } from './rule.ts';

/** The input of `startRemoteMediaPlayer`. */
export interface PlayerInput {
  readonly url?: unknown;
  readonly settings?: unknown;
}

const STATES = { PLAY: 'play', PAUSE: 'pause' } as const;
const SETTINGS = ['state', 'volume', 'simulcastEncodings'];
const MOST_VOLUME = 2;
const wrongSetting = (settings: unknown): string | undefined =>
  isRecord(settings) ? Object.keys(settings).find((key) => !SETTINGS.includes(key)) : undefined;

/** Rules of the remote media player's settings (docs/specification/platform.md §5, docs/contracts/voice.md §2). */
export const PLAYER_RULES = [
  {
    name: 'address is no text',
    broken: ({ url }) => typeof url !== 'string',
    text: 'url parameter must be "string" type',
  },
  {
    name: 'settings are no object',
    broken: ({ settings }) => settings !== undefined && !isRecord(settings),
    text: 'RemoteMediaPlayerSettings: must be "object" type',
  },
  {
    name: 'unknown state',
    broken: ({ settings }) => {
      const state = member(settings, 'state');
      return Boolean(state) && state !== STATES.PLAY && state !== STATES.PAUSE;
    },
    text: `Invalid value for RemoteMediaPlayerSettings.state, valid values are: ${JSON.stringify(STATES)}`,
  },
  {
    name: 'volume is no number',
    broken: ({ settings }) => {
      const volume = member(settings, 'volume');
      return Boolean(volume) && typeof volume !== 'number';
    },
    text: 'RemoteMediaPlayerSettings.volume: must be "number" type',
  },
  {
    name: 'volume out of range',
    broken: ({ settings }) => {
      const volume = member(settings, 'volume');
      return typeof volume === 'number' && !(volume >= 0 && volume <= MOST_VOLUME);
    },
    text: 'RemoteMediaPlayerSettings.volume: must be between 0.0 - 2.0',
  },
  {
    name: 'unknown setting',
    broken: ({ settings }) => wrongSetting(settings) !== undefined,
    text: ({ settings }) => `Invalid key ${wrongSetting(settings)}, valid keys are: ${SETTINGS}`,
  },
] as const satisfies readonly Rule<PlayerInput>[];
