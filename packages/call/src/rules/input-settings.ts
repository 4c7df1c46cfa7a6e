import { isRecord, member, type Rule } from './rule.ts';

const VIDEO_PROCESSORS = ['none', 'background-blur', 'background-image', 'face-detection'];
const AUDIO_PROCESSORS = ['none', 'noise-cancellation'];

const FORM = `inputSettings must be of the form: { video?: { processor: { type: [ ${VIDEO_PROCESSORS.join(' | ')} ], config?: {} } }, audio?: { processor: {type: [ ${AUDIO_PROCESSORS.join(' | ')} ] } } }`;

const processorOf = (settings: unknown, kind: 'audio' | 'video'): unknown =>
  member(member(settings, kind), 'processor');
const typeOf = (settings: unknown, kind: 'audio' | 'video'): unknown =>
  member(processorOf(settings, kind), 'type');
const asks = (settings: unknown, kind: 'audio' | 'video'): boolean => Boolean(member(settings, kind));

const wrongProcessor = (settings: unknown, kind: 'audio' | 'video', known: readonly string[]): boolean => {
  const type = typeOf(settings, kind);
  return asks(settings, kind) && !(typeof type === 'string' && known.includes(type));
};

/** The picture processor that `settings` ask for; undefined where they ask for none. */
export function pictureProcessor(settings: unknown): string | undefined {
  const type = typeOf(settings, 'video');
  return typeof type === 'string' && type !== 'none' ? type : undefined;
}

/**
 * The first part of `settings` that no version of ours carries out: looking for faces, and the settings of a device,
 * which have methods of their own.
 */
export function unsupportedSetting(settings: unknown): string | undefined {
  if (pictureProcessor(settings) === 'face-detection') return 'video face-detection';
  return (['audio', 'video'] as const)
    .filter((kind) => Object.keys(Object(member(member(settings, kind), 'settings'))).length > 0)
    .map((kind) => `${kind} settings`)[0];
}

const CONFIG = 'invalid object in inputSettings -> video -> processor -> config';
const PICTURE_TYPES = ['jpg', 'png', 'jpeg'];
/** The published library offers this many pictures of its own. */
const LIBRARY_PICTURES = 10;

function blurComplaint(config: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(config);
  if (names.length === 0) return undefined;
  if (names.length > 1 || names[0] !== 'strength') return CONFIG;
  const { strength } = config;
  if (typeof strength === 'number' && strength > 0 && strength <= 1) return undefined;
  return `${CONFIG}; expected: {0 < strength <= 1}, got: ${strength}`;
}

/** A picture's type by its address: the end of its path, or the type of a `data:` address. */
function pictureType({ protocol, pathname }: URL): string | undefined {
  const named = protocol === 'data:' ? /^\w+\/([^;]*);/.exec(pathname)?.[1] : pathname.split('.').at(-1);
  return named?.toLowerCase().trim();
}

function pictureComplaint({ source }: Readonly<Record<string, unknown>>): string | undefined {
  if (source === undefined || source === 'default' || source instanceof ArrayBuffer) return undefined;
  if (typeof source === 'string' && URL.canParse(source))
    return PICTURE_TYPES.includes(pictureType(new URL(source)) ?? '')
      ? undefined
      : `invalid image type; supported types: [${PICTURE_TYPES.join(', ')}]`;
  const chosen = Number(source);
  if (Number.isInteger(chosen) && chosen > 0 && chosen <= LIBRARY_PICTURES) return undefined;
  return `invalid image selection; must be an int, > 0, <= ${LIBRARY_PICTURES}`;
}

/**
 * What is wrong with the configuration of the picture processor, for the console; undefined where it is
 * right.
 */
export function configComplaint(settings: unknown): string | undefined {
  const config = member(processorOf(settings, 'video'), 'config');
  if (!isRecord(config)) return undefined;
  const type = pictureProcessor(settings);
  if (type === 'background-blur') return blurComplaint(config);
  return type === 'background-image' ? pictureComplaint(config) : undefined;
}

/** A configuration, if there is one, has to be an object. */
function wrongConfig(settings: unknown): boolean {
  const config = member(processorOf(settings, 'video'), 'config');
  return (Boolean(config) && !isRecord(config)) || configComplaint(settings) !== undefined;
}

/**
 * Rules of `updateInputSettings` (docs/specification/platform.md §5, docs/contracts/voice.md §2); all have
 * the same words.
 */
export const INPUT_SETTINGS_RULES = [
  { name: 'no object', broken: (settings) => !isRecord(settings), text: FORM },
  {
    name: 'neither sound nor picture',
    broken: (settings) => !asks(settings, 'audio') && !asks(settings, 'video'),
    text: FORM,
  },
  {
    name: 'unknown audio processor',
    broken: (settings) => wrongProcessor(settings, 'audio', AUDIO_PROCESSORS),
    text: FORM,
  },
  {
    name: 'unknown video processor',
    broken: (settings) => wrongProcessor(settings, 'video', VIDEO_PROCESSORS),
    text: FORM,
  },
  { name: 'wrong configuration', broken: wrongConfig, text: FORM },
] as const satisfies readonly Rule<unknown>[];

/** The rule of `setShowNamesMode`: a wrong mode is logged. */
export const SHOW_NAMES_RULES = [
  {
    name: 'unknown mode',
    broken: (mode) => Boolean(mode) && mode !== 'always' && mode !== 'never',
    text: 'setShowNamesMode argument should be "always", "never", or false',
  },
] as const satisfies readonly Rule<unknown>[];
