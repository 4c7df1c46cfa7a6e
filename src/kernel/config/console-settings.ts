import { isGiven, readSetting, SETTINGS, type SettingName, type Settings } from './settings.ts';

/** A group of the console's Settings page; the values of a group are saved together. */
export interface SettingGroup {
  readonly id: string;
  readonly title: string;
  /** Each setting with its name for people; `SETTINGS` has the rule and the sentence about it. */
  readonly settings: Readonly<Partial<Record<SettingName, string>>>;
  /** What *Try it* does; undefined where nothing can be tried. */
  readonly trial?: string;
}

/**
 * The settings that an operator may decide at the console. Settings that decide who reaches the server or what it trusts
 * stay with the environment: addresses, proxies, folders, private networks that the product may call (decision 0660).
 */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    id: 'mail',
    title: 'Mail',
    settings: { SMTP_URL: 'Mail server', MAIL_FROM: 'Sender' },
    trial: 'Sends a test mail to your own address.',
  },
  {
    id: 'payments',
    title: 'Payments',
    settings: { STRIPE_SECRET_KEY: "Stripe's key", STRIPE_WEBHOOK_SECRET: 'Secret of the webhook endpoint' },
    trial: 'Asks the provider for one price and charges nothing.',
  },
  {
    id: 'prices',
    title: 'Accounts and credits',
    // Together, as free credits need confirmed addresses.
    settings: {
      AUTH_AUTOCONFIRM: 'Accounts open without a confirmed address',
      CREDIT_PACKS: 'Credit packs',
      FREE_CREDITS: 'Free credits',
    },
  },
  {
    id: 'vat',
    title: 'VAT',
    settings: { VAT_COUNTRY: 'Country', VAT_NUMBER: 'VAT number', VAT_RATES: 'Rates' },
  },
  {
    id: 'backup',
    title: 'Backups',
    settings: {
      BACKUP_TO: 'Place',
      BACKUP_PASSPHRASE: 'Passphrase',
      BACKUP_HOUR: 'Hour of the backup',
      BACKUP_KEEP: 'How many to keep',
    },
    trial: 'Writes a small file there, reads it and deletes it.',
  },
  {
    id: 'hours',
    title: 'Opening hours',
    settings: { VOICE_HOURS: 'Opening hours', TIME_ZONE: 'Time zone', BOOKING_CALENDAR: 'Calendar' },
  },
  {
    id: 'news',
    title: 'News',
    settings: { NEWS_FEEDS: 'Feeds' },
    trial: 'Fetches each feed once.',
  },
  {
    id: 'documents',
    title: 'Document model',
    settings: {
      DOCUMENT_LLM_URL: 'Language model',
      DOCUMENT_LLM_REPORTS: 'The model words reports',
      DOCUMENT_LLM_TOKENS_CUSTOMER: 'Tokens a day for one customer',
      DOCUMENT_LLM_TOKENS: 'Tokens a day for all customers',
    },
    trial: 'Asks the model one question.',
  },
  {
    id: 'voice',
    title: 'Voice models',
    settings: {
      VOICE_LLM_URL: 'Language model',
      VOICE_STT_URL: 'Speech recognition',
      VOICE_TTS_URL: 'Voice',
      VOICE_PRICES: 'Prices of the providers',
    },
    trial:
      'Asks the model one question and has the voice say one sentence, which the recogniser then writes down.',
  },
  {
    id: 'telephone',
    title: 'Telephone',
    settings: { SIP_TRUNKS: 'Trunks', SIP_CALL_PREFIXES: 'Numbers that may be called' },
    trial: 'Asks each trunk whether it is there and takes the password. Nobody is called.',
  },
  {
    id: 'automations',
    title: 'Automations',
    settings: {
      AUTOMATION_URLS: 'Automations that receive events',
      ENQUIRY_WEBHOOK_URL: 'Automation for enquiries',
      ANALYSIS_WEBHOOK_URL: 'Automation for documents',
    },
    trial: 'Sends each automation one signed test event, and shows its answer.',
  },
];

/**
 * What the Settings page shows without a way to change it there: the environment alone decides who reaches the server
 * (decision 0660).
 */
export const ADDRESS_GROUP: SettingGroup = {
  id: 'address',
  title: 'Public address',
  settings: { SITE_URL: 'Address of the site' },
};

const UPPER_CASE = /\b[A-Z]+(?:_[A-Z]+)*\b/g;

/**
 * A sentence about settings as the console says it: with the names of its fields, where it has them.
 *
 * @param elsewhere true on other pages than Settings, where the sentence has to say where the field is
 */
export const inConsoleWords = (sentence: string, elsewhere = false): string =>
  sentence.replace(UPPER_CASE, (name) => {
    if (name === 'BRAND') return 'your name';
    if (name === 'CONTACT_EMAIL') return 'your address';
    const group = SETTING_GROUPS.find(({ settings }) => name in settings);
    if (group === undefined) return name;
    const field = `“${group.settings[name as SettingName]}”`;
    return elsewhere ? `${field} (Settings, ${group.title})` : field;
  });

/** The names in {@link SETTING_GROUPS}. */
export const CONSOLE_SETTINGS: readonly SettingName[] = SETTING_GROUPS.flatMap(namesOf);

/** The settings of a group. */
export function namesOf({ settings }: Pick<SettingGroup, 'settings'>): SettingName[] {
  return Object.keys(settings) as SettingName[];
}

/** Settings of which some part reads only the value at the start of the process. */
const AT_START: ReadonlySet<string> = new Set([
  'VAT_COUNTRY',
  'VAT_NUMBER',
  'VAT_RATES',
  'BOOKING_CALENDAR',
  'SIP_TRUNKS',
  'SIP_CALL_PREFIXES',
  'AUTOMATION_URLS',
  'ENQUIRY_WEBHOOK_URL',
  'ANALYSIS_WEBHOOK_URL',
]);
const STRIPE: ReadonlySet<string> = new Set(['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']);

/**
 * Whether a running process takes a value over at once. Another key of the same Stripe mode replaces the one in use; a
 * change between the emulator, test mode and live mode needs a start.
 */
export function appliesNow(name: SettingName, atStart: Settings, wanted: Settings): boolean {
  if (STRIPE.has(name)) return stripeMode(atStart) !== '' && stripeMode(atStart) === stripeMode(wanted);
  return !AT_START.has(name);
}

function stripeMode({ STRIPE_SECRET_KEY: key }: Settings): string {
  return key === '' ? '' : /^(?:sk|rk)_live_/.test(key) ? 'live' : 'test';
}

/** Whether the page never shows a value. An entry with a secret "in address" is one only as an address. */
export function isSecret(name: SettingName, word: string): boolean {
  const entry = SETTINGS[name];
  if (!('secret' in entry)) return false;
  return entry.secret !== 'in address' || word.includes('://');
}

/** A value as an operator would write it. */
export function wordOf(value: Settings[SettingName]): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/**
 * A secret as the page shows it: the server of an address, and of other secrets only that there is one. Paths, names and
 * queries are left out, because some addresses are secret in them.
 */
export function shownSecret(word: string): string {
  const hosts = word.split(',').flatMap((part) => {
    const [, scheme = '', host = ''] = /^\s*([a-z0-9]+:\/\/|sips?:)(?:[^/@?#]*@)?([^/?#]+)/i.exec(part) ?? [];
    return host === '' ? [] : [`${scheme}…@${host}`];
  });
  return hosts.length > 0 ? hosts.join(', ') : 'Set';
}

/** Where the value of a setting comes from. */
export type SettingOrigin = 'environment' | 'console' | 'default';

/** The origin of a setting; `isStored` says whether the console stores a value that is in use. */
export function originOf(settings: Settings, name: SettingName, isStored: boolean): SettingOrigin {
  if (isGiven(settings, name)) return 'environment';
  return isStored ? 'console' : 'default';
}

/** Whether a word reads as the default of its setting. */
export function isDefault(name: SettingName, word: string): boolean {
  return wordOf(readSetting(name, word)) === wordOf(readSetting(name, ''));
}
