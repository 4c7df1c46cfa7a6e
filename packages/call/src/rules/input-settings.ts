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

const strengthOf = (settings: unknown): unknown =>
  member(member(processorOf(settings, 'video'), 'config'), 'strength');

/** Whether the blur of `settings` is stronger than 1 or not above 0; the console says so before the refusal. */
export function blurComplaint(settings: unknown): string | undefined {
  const strength = strengthOf(settings);
  if (typeOf(settings, 'video') !== 'background-blur' || strength === undefined) return undefined;
  if (typeof strength === 'number' && strength > 0 && strength <= 1) return undefined;
  return `invalid object in inputSettings -> video -> processor -> config; expected: {0 < strength <= 1}, got: ${strength}`;
}

/**
 * Rules of `updateInputSettings` (docs/specification/platform.md §5, docs/contracts/voice.md §2); all are told in the
 * same words.
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
  { name: 'blur out of range', broken: (settings) => blurComplaint(settings) !== undefined, text: FORM },
] as const satisfies readonly Rule<unknown>[];

/** The rule of `setShowNamesMode`: logged, never thrown. */
export const SHOW_NAMES_RULES = [
  {
    name: 'unknown mode',
    broken: (mode) => Boolean(mode) && mode !== 'always' && mode !== 'never',
    text: 'setShowNamesMode argument should be "always", "never", or false',
  },
] as const satisfies readonly Rule<unknown>[];
