import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';

/**
 * One size of a picture as it is sent: its part of the source, and its limits in bits and pictures a second.
 */
export interface SentSize {
  readonly active: boolean;
  readonly maxBitrate: number;
  readonly maxFramerate?: number;
  readonly scaleResolutionDownBy: number;
}

const sizes = (...bitrates: readonly [low: number, medium: number, high: number]): SentSize[] =>
  bitrates.map((maxBitrate, at) => ({
    active: maxBitrate > 0,
    maxBitrate,
    scaleResolutionDownBy: 4 / 2 ** at,
  }));

/** The presets of the camera; a bit rate of 0 means that the size is not sent. Bits a second. */
const CAMERA: Readonly<Record<string, readonly SentSize[]>> = {
  'default-video': sizes(100_000, 300_000, 1_200_000),
  'bandwidth-optimized': sizes(80_000, 200_000, 0),
  'bandwidth-and-quality-balanced': sizes(100_000, 300_000, 800_000),
  'quality-optimized': sizes(150_000, 500_000, 2_500_000),
  'adaptive-2-layers': sizes(150_000, 0, 1_500_000),
  'adaptive-3-layers': sizes(150_000, 400_000, 1_500_000),
};
/** The presets of a screen, which is sent in one size. */
const SCREEN: Readonly<Record<string, SentSize>> = {
  'default-screen-video': { active: true, maxBitrate: 1_500_000, maxFramerate: 10, scaleResolutionDownBy: 1 },
  'detail-optimized': { active: true, maxBitrate: 1_500_000, maxFramerate: 5, scaleResolutionDownBy: 1 },
  'motion-optimized': { active: true, maxBitrate: 2_500_000, maxFramerate: 30, scaleResolutionDownBy: 1 },
  'motion-and-detail-balanced': {
    active: true,
    maxBitrate: 2_000_000,
    maxFramerate: 15,
    scaleResolutionDownBy: 1,
  },
};
/** The bit rate of a custom picture, bits a second, where the page does not set one. */
export const NAMED_BITRATE = 1_500_000;
const QUALITIES = ['low', 'medium', 'high'] as const;

/** The sizes in which a camera is sent by default, the smallest first. */
export const USUAL_SIZES: readonly SentSize[] = CAMERA['default-video'] ?? [];

/**
 * The sizes in which a camera (three) or a screen (one) is sent with valid settings (`rules/send-settings-rules.ts`).
 *
 * @throws NotSupportedError for any other track
 */
export function sentSizes(track: string, settings: unknown): readonly SentSize[] {
  if (track !== 'video' && track !== 'screenVideo')
    throw new NotSupportedError(`update-send-settings ${track}`);
  const usual = track === 'video' ? USUAL_SIZES : [SCREEN['default-screen-video'] as SentSize];
  if (typeof settings === 'string') {
    const screen = SCREEN[settings];
    return CAMERA[settings] ?? (screen === undefined ? usual : [screen]);
  }
  const described = withEncodings(
    member(settings, 'allowAdaptiveLayers') === true && track === 'video'
      ? (CAMERA['adaptive-3-layers'] ?? usual)
      : usual,
    member(settings, 'encodings'),
  );
  const most = QUALITIES.indexOf(member(settings, 'maxQuality') as (typeof QUALITIES)[number]);
  // A screen has one size: a lower quality makes it smaller.
  if (track === 'screenVideo')
    return described.map((size) => (most < 0 ? size : { ...size, scaleResolutionDownBy: 4 / 2 ** most }));
  return described.map((size, at) => (most >= 0 && at > most ? { ...size, active: false } : size));
}

/** Sizes that need at most `most` bits a second together; undefined for no limit. */
export function cappedSizes(wished: readonly SentSize[], most: number | undefined): readonly SentSize[] {
  const all = wished.reduce((sum, { active, maxBitrate }) => sum + (active ? maxBitrate : 0), 0);
  if (most === undefined || all <= most) return wished;
  return wished.map((size) => ({ ...size, maxBitrate: Math.floor((size.maxBitrate * most) / all) }));
}

/** Applies sizes to encodings; settings that a size leaves open are removed. */
export function putSizes(encodings: RTCRtpEncodingParameters[], sizes: readonly SentSize[]): void {
  for (const [at, encoding] of encodings.entries()) {
    delete encoding.maxFramerate;
    Object.assign(encoding, sizes[at]);
  }
}

/** Limits encodings to `most` bits a second; undefined removes the limit. */
export function putBitrate(encodings: RTCRtpEncodingParameters[], most: number | undefined): void {
  for (const encoding of encodings)
    if (most === undefined) delete encoding.maxBitrate;
    else encoding.maxBitrate = most;
}

/** The sizes that the page describes; those that it leaves out are not sent. */
function withEncodings(usual: readonly SentSize[], encodings: unknown): readonly SentSize[] {
  if (!isRecord(encodings)) return usual;
  return usual.map((size, at) => {
    const given = usual.length === 1 ? Object.values(encodings).at(-1) : encodings[QUALITIES[at] ?? 'low'];
    return isRecord(given) ? { ...size, active: true, ...numbersOf(given) } : { ...size, active: false };
  });
}

function numbersOf(given: Readonly<Record<string, unknown>>): Partial<SentSize> {
  const known = ['maxBitrate', 'maxFramerate', 'scaleResolutionDownBy'].filter(
    (name) => typeof given[name] === 'number',
  );
  const numbers = Object.fromEntries(known.map((name) => [name, given[name]]));
  return { ...numbers, ...(given.active === false ? { active: false } : {}) };
}
