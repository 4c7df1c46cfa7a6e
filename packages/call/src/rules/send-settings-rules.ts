import { enforce, isRecord, member, type Rule } from './rule.ts';

/** Bounds of the numeric members of one simulcast layer. */
export const LAYER_RANGES = {
  maxBitrate: { min: 100_000, max: 2_500_000 },
  maxFramerate: { min: 1, max: 30 },
  scaleResolutionDownBy: { min: 1, max: 8 },
} as const;

const LAYER_KEYS = Object.keys(LAYER_RANGES) as (keyof typeof LAYER_RANGES)[];
const OTHER_LAYER_KEYS: readonly string[] = ['active', 'scalabilityMode'];
const MOST_LAYERS = 3;
const isLayerKey = (key: string): key is keyof typeof LAYER_RANGES => key in LAYER_RANGES;
const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

const layersOf = (encodings: unknown): readonly unknown[] => (Array.isArray(encodings) ? encodings : []);
const entriesOf = (encodings: unknown): (readonly [string, unknown])[] =>
  layersOf(encodings).flatMap((layer) => (isRecord(layer) ? Object.entries(layer) : []));
const wrongKey = (encodings: unknown): string | undefined =>
  entriesOf(encodings).find(([key]) => !isLayerKey(key) && !OTHER_LAYER_KEYS.includes(key))?.[0];
const noNumber = (encodings: unknown): string | undefined =>
  entriesOf(encodings).find(([key, value]) => isLayerKey(key) && typeof value !== 'number')?.[0];
const outOfRange = (encodings: unknown): keyof typeof LAYER_RANGES | undefined => {
  for (const [key, value] of entriesOf(encodings)) {
    if (!isLayerKey(key) || typeof value !== 'number') continue;
    const { min, max } = LAYER_RANGES[key];
    if (!(value >= min && value <= max)) return key;
  }
  return undefined;
};
const rangeText = (encodings: unknown): string => {
  const key = outOfRange(encodings) ?? 'maxBitrate';
  return `${key} value not in range. valid range: ${LAYER_RANGES[key].min} to ${LAYER_RANGES[key].max}`;
};
const EMPTY_LAYER = `Empty encoding is not allowed. At least one of these valid keys should be specified:${LAYER_KEYS}`;

/** Rules of a list of simulcast layers (docs/specification/platform.md §5): 1 to 3 of them, each with known members. */
export const SIMULCAST_RULES = [
  { name: 'no list', broken: (list) => !Array.isArray(list), text: 'encodings must be an Array' },
  {
    name: 'not 1 to 3 layers',
    broken: (list) => layersOf(list).length < 1 || layersOf(list).length > MOST_LAYERS,
    text: 'encodings must be an Array with between 1 to 3 layers',
  },
  {
    name: 'empty layer',
    broken: (list) => layersOf(list).some((layer) => !isRecord(layer) || isEmpty(layer)),
    text: EMPTY_LAYER,
  },
  {
    name: 'unknown key',
    broken: (list) => wrongKey(list) !== undefined,
    text: (list) => `Invalid key ${wrongKey(list)}, valid keys are:${LAYER_KEYS}`,
  },
  {
    name: 'value is no number',
    broken: (list) => noNumber(list) !== undefined,
    text: (list) => `${noNumber(list)} must be a number`,
  },
] as const satisfies readonly Rule<unknown>[];

/** The remote media player also limits the values, and requires a bit rate in each layer. */
export const PLAYER_SIMULCAST_RULES = [
  ...SIMULCAST_RULES,
  { name: 'value out of range', broken: (list) => outOfRange(list) !== undefined, text: rangeText },
  {
    name: 'bit rate missing',
    broken: (list) => layersOf(list).some((layer) => !isRecord(layer) || !('maxBitrate' in layer)),
    text: 'maxBitrate is not specified',
  },
] as const satisfies readonly Rule<unknown>[];

/** Presets for the camera. */
export const CAMERA_PRESETS: readonly string[] = [
  'default-video',
  'bandwidth-optimized',
  'bandwidth-and-quality-balanced',
  'quality-optimized',
  'adaptive-2-layers',
  'adaptive-3-layers',
];

/** Presets for a shared screen. */
export const SCREEN_PRESETS: readonly string[] = [
  'default-screen-video',
  'detail-optimized',
  'motion-optimized',
  'motion-and-detail-balanced',
];

/** The settings of one video track: a preset or an object. */
export interface TrackSettings {
  readonly track: string;
  readonly settings: unknown;
}

const presetsOf = ({ track }: TrackSettings): readonly string[] =>
  track === 'screenVideo' ? SCREEN_PRESETS : CAMERA_PRESETS;
const qualitiesOf = ({ settings }: TrackSettings): string =>
  Object.keys(Object(member(settings, 'encodings')))
    .sort()
    .join();

/** Rules of `updateSendSettings` for one track (docs/specification/platform.md §5, docs/contracts/voice.md §2). */
export const SEND_SETTINGS_RULES = [
  {
    name: 'neither object nor preset',
    broken: (input) =>
      typeof input.settings === 'string'
        ? !presetsOf(input).includes(input.settings)
        : !isRecord(input.settings),
    text: (input) =>
      `Video send settings should be either an object or one of the supported presets: ${presetsOf(input).join()}`,
  },
  {
    name: 'says nothing',
    broken: ({ settings }) =>
      isRecord(settings) &&
      !settings.maxQuality &&
      !settings.encodings &&
      settings.allowAdaptiveLayers === undefined,
    text: 'Video send settings must contain at least maxQuality, allowAdaptiveLayers or encodings attribute',
  },
  {
    name: 'unknown quality',
    broken: ({ settings }) => {
      const quality = member(settings, 'maxQuality');
      return Boolean(quality) && quality !== 'low' && quality !== 'medium' && quality !== 'high';
    },
    text: 'maxQuality must be either low, medium or high',
  },
  {
    name: 'qualities missing',
    broken: (input) =>
      Boolean(member(input.settings, 'encodings')) &&
      !['low', 'low,medium', 'high,low,medium'].includes(qualitiesOf(input)),
    text: 'Encodings must be defined as: low, low and medium, or low, medium and high.',
  },
  {
    name: 'empty layer',
    broken: ({ settings }) =>
      Object.values(Object(member(settings, 'encodings'))).some(
        (layer) => isEmpty(layer) || !isRecord(layer),
      ),
    text: EMPTY_LAYER,
  },
] as const satisfies readonly Rule<TrackSettings>[];

/** Send settings must name at least one track. */
export const SEND_TRACKS_RULES = [
  {
    name: 'no track',
    broken: (settings) => !settings || Object.keys(Object(settings)).length === 0,
    text: 'Send settings must contain at least information for one track!',
  },
] as const satisfies readonly Rule<unknown>[];

/**
 * Checks send settings, track by track.
 *
 * @throws Error with the words of the first broken rule.
 */
export function validateSendSettings(settings: unknown): void {
  enforce(SEND_TRACKS_RULES, settings);
  for (const [track, trackSettings] of Object.entries(Object(settings)))
    enforce(SEND_SETTINGS_RULES, { track, settings: trackSettings });
}
