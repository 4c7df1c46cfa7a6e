import { configComplaint, INPUT_SETTINGS_RULES } from './input-settings.ts';
import { LARGEST_MESSAGE, USER_DATA_RULES } from './messages-and-levels.ts';
import { enforce, isRecord } from './rule.ts';
import { validateSendSettings } from './send-settings-rules.ts';

/** The rule of one property: whether a value is right, and the help for a wrong one. */
interface PropertyRule {
  readonly right: (value: unknown) => boolean;
  readonly help: string;
}

const text = (name: string): PropertyRule => ({
  right: (value) => typeof value === 'string',
  help: `${name} should be a string`,
});
const flag = (name: string): PropertyRule => ({
  right: (value) => typeof value === 'boolean',
  help: `${name} should be a boolean`,
});
const source = (name: string): PropertyRule => ({
  right: (value) => ['boolean', 'string', 'object'].includes(typeof value),
  help: `${name} should be a boolean, the id of a device or a MediaStreamTrack`,
});
/** A property that is checked by rules of its own, which throw their own words. */
const checked = (validate: (value: unknown) => void): PropertyRule => ({
  right: (value) => {
    validate(value);
    return true;
  },
  help: '',
});

/** All properties that a call can be created or joined with; any other is refused by name. */
export const PROPERTY_RULES: Readonly<Record<string, PropertyRule>> = {
  url: text('url'),
  token: text('token'),
  userName: text('userName'),
  userData: checked((value) => enforce(USER_DATA_RULES, value)),
  audioSource: source('audioSource'),
  videoSource: source('videoSource'),
  startAudioOff: flag('startAudioOff'),
  startVideoOff: flag('startVideoOff'),
  subscribeToTracksAutomatically: flag('subscribeToTracksAutomatically'),
  strictMode: flag('strictMode'),
  dailyConfig: { right: isRecord, help: 'dailyConfig should be an object' },
  inputSettings: checked(validateInputSettings),
  sendSettings: checked(validateSendSettings),
  geo: text('geo'),
};

/**
 * Checks the properties with which a call is created or joined.
 *
 * @throws Error `unrecognized property '<k>'`, or `property '<k>': <help>` (docs/contracts/voice.md §2)
 */
export function validateProperties(properties: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(PROPERTY_RULES, name) ? PROPERTY_RULES[name] : undefined;
    if (rule === undefined) throw new Error(`unrecognized property '${name}'`);
    if (!rule.right(value)) throw new Error(`property '${name}': ${rule.help}`);
  }
}

/** Checks input settings; a fault in a blur or a picture is logged before the refusal. */
export function validateInputSettings(settings: unknown): void {
  const complaint = configComplaint(settings);
  if (complaint !== undefined) console.error(complaint);
  enforce(INPUT_SETTINGS_RULES, settings);
}

/** Warns when serialising would change user data. */
export function warnOfLossyUserData(value: unknown): void {
  if (value === undefined || typeof value === 'string') return;
  const travelled = JSON.stringify(value) ?? '';
  if (travelled.length <= LARGEST_MESSAGE && !survives(value, JSON.parse(travelled || 'null')))
    console.warn('The userData provided will be modified when serialized.');
}

function survives(before: unknown, after: unknown): boolean {
  if (typeof before !== 'object' || before === null) return Object.is(before, after);
  if (typeof after !== 'object' || after === null) return false;
  const keys = Object.keys(before);
  return (
    keys.length === Object.keys(after).length &&
    keys.every((key) => survives(Reflect.get(before, key), Reflect.get(after, key)))
  );
}
