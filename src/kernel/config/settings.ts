import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { nearestWord } from '@northline/nearest-word/nearest-word';
import { z } from 'zod';
import { AUTH_SETTINGS } from './auth-settings.ts';
import { BACKUP_SETTINGS } from './backup-settings.ts';
import { readCreditPacks } from './credit-packs.ts';
import { MAIL_IN_SETTINGS, mailInFault } from './mail-in-settings.ts';
import { SERVER_SETTINGS } from './server-settings.ts';
import { flag, integer, list, storage, text, url } from './setting-rules.ts';
import { SIP_SETTINGS } from './sip-settings.ts';
import { readSmsUrl } from './sms-url.ts';
import { TRACING_SETTINGS } from './tracing-settings.ts';
import { VAT_SETTINGS, vatFault } from './vat-settings.ts';
import { liveKitFault, VOICE_SETTINGS } from './voice-settings.ts';

/** A setting that cannot be used: `message` is the one sentence that the operator reads. */
export class SettingsError extends Error {}

/** Parts whose log has a level of its own (LOG_LEVELS). */
export const LOG_PARTS = ['requests', 'auth', 'rest', 'storage', 'realtime', 'billing', 'voice'] as const;
export type LogPart = (typeof LOG_PARTS)[number];
const LOG_PART_LEVEL = new RegExp(`^(?:${LOG_PARTS.join('|')})=(?:debug|info|warn|error|silent)$`);

/** Every setting: name, rule, default, and the sentence that docs/settings.md shows. */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  DATA_DIR: { rule: text('./data'), about: 'Folder of the database, the uploaded files and keys.json.' },
  STORAGE_URL: {
    rule: storage(),
    about:
      'Place of uploaded files: s3://KEY:SECRET@host/bucket?region=… or file:///folder; empty = DATA_DIR/objects.',
    secret: true,
  },
  STORAGE_CHECKED_BUCKETS: {
    rule: list(),
    about:
      'Buckets, besides user-uploads, that accept only the listed file types and compare them with the bytes; other buckets accept the type that a client declares.',
  },
  CLAMD_URL: {
    rule: url(['tcp:', 'unix:']),
    about: 'ClamAV daemon that scans each upload: tcp://host:3310 or unix:///run/clamd.ctl; empty = no scan.',
  },
  SCAN_COMMAND: {
    rule: text(''),
    about:
      'A scanner program in place of ClamAV. It gets the file as its last argument and exits with 0 for clean, 1 for malware; empty = no scan.',
  },
  SCAN_FAILURE: {
    rule: z.enum(['refuse', 'accept']).default('refuse'),
    about: 'What happens to an upload that the scanner cannot judge: refuse or accept.',
  },
  ...BACKUP_SETTINGS,
  SITE_URL: {
    rule: url(['http:', 'https:']),
    about: 'Public address of the site; empty = http://HOST:PORT. Links in mails and redirects use it.',
  },
  BRAND: { rule: text('Northline'), about: 'Name of the agency, wherever the product shows it.' },
  CONTACT_EMAIL: {
    rule: text('hello@northline.example'),
    about: "The agency's mail address, for the footer and for enquiries.",
  },
  SOCIAL_URL: {
    rule: text('https://www.linkedin.com/company/northline'),
    about: 'Address of the social link in the footer.',
  },
  DATABASE_URL: {
    rule: url(['postgres:', 'postgresql:']),
    about: 'PostgreSQL 15 or newer, as the owner of its database; empty = embedded.',
    secret: true,
  },
  DATABASE_API_URL: {
    rule: url(['postgres:', 'postgresql:']),
    about:
      'The same database as the role `authenticator`, if you create the roles yourself; empty = the product creates them.',
    secret: true,
  },
  DATABASE_POOL: {
    rule: integer(10, 2, 200),
    about: "Most connections for callers' statements; the product's own work may take as many again.",
  },
  LOG_LEVEL: {
    rule: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    about: 'debug, info, warn, error or silent. Logs are JSON lines on standard error.',
  },
  LOG_LEVELS: {
    rule: list().refine((given) => given.every((word) => LOG_PART_LEVEL.test(word)), {
      error: `must be pairs as voice=debug,rest=warn of ${LOG_PARTS.join(', ')}`,
    }),
    about:
      'Parts with a level of their own, e.g. voice=debug,requests=warn: requests, auth, rest, storage, realtime, billing, voice.',
  },
  ...TRACING_SETTINGS,
  TRUST_PROXY: {
    rule: list(),
    about: 'Addresses or networks of the proxies whose X-Forwarded headers count; empty = no proxy.',
  },
  REST_SCHEMAS: {
    rule: list().refine((names) => names.length === 0 || names.includes('public'), {
      error: 'must have public among its schemas, which the site itself reads',
    }),
    about:
      'Database schemas that /rest/v1 serves and whose tables /realtime/v1 can follow. The first one is the default, public has to be among them, and the roles need USAGE on each; empty = public.',
  },
  REST_PLAN: {
    rule: flag(false),
    about:
      "/rest/v1 returns the database's query plan if a request asks for it (`.explain()`). It shows every caller sizes and indexes of tables, so use it in development only.",
  },
  REST_GRANTS: {
    rule: flag(false),
    about:
      'New tables, views, sequences and functions in `public` are granted to anon, authenticated and service_role at once, as in hosted projects; you then switch row level security on yourself.',
  },
  CORS_ORIGINS: { rule: list(), about: 'Other origins that may call the API; * = any.' },
  RATE_LIMITS: { rule: flag(true), about: 'Limits on requests for each address and each account.' },
  ...AUTH_SETTINGS,
  SMTP_URL: {
    rule: url(['smtp:', 'smtps:']),
    about: 'Mail server, e.g. smtps://user:password@host; empty = the built-in mailbox at /dev/mail.',
    secret: true,
  },
  MAIL_EVENTS_SECRET: {
    rule: text(''),
    about: 'Secret (whsec_…) that signs notices of bounces to /webhooks/mail; empty = taken from keys.json.',
    secret: true,
  },
  SMS_URL: {
    rule: text('').superRefine((word, context) => {
      const account = word === '' ? undefined : readSmsUrl(word);
      if (typeof account === 'string') context.addIssue(account);
    }),
    about:
      'Text messages by Twilio: https://SID:TOKEN@api.twilio.com?from=+15550100; empty = the built-in mailbox.',
    secret: true,
  },
  MAIL_FROM: { rule: text(''), about: 'Sender of mails; empty = BRAND <CONTACT_EMAIL>.' },
  ...MAIL_IN_SETTINGS,
  STRIPE_SECRET_KEY: {
    rule: text(''),
    about: "Stripe's key; empty = the built-in Stripe emulator.",
    secret: true,
  },
  TEST_PAYMENTS: {
    rule: flag(false),
    about: 'A public site may use the built-in Stripe emulator, which charges nobody: for trials.',
  },
  STRIPE_WEBHOOK_SECRET: { rule: text(''), about: "Secret of Stripe's webhook endpoint.", secret: true },
  STRIPE_PRICES: {
    rule: list(),
    about: "Our price ids mapped to Stripe's: price_documents_pro=price_1Abc,… ; empty = the same ids.",
  },
  CREDIT_PACKS: {
    rule: text('10=700,50=3000').superRefine((word, context) => {
      if (readCreditPacks(word) === undefined)
        context.addIssue('must be credits=price pairs such as 10=700,50=3000, each price 30 or more');
    }),
    about:
      'Credit packs as credits=price, sold besides the plans; empty = no packs. Prices are in the smallest unit of your currency: 700 is £7, €7 or ¥700.',
  },
  FREE_CREDITS: {
    rule: integer(0, 0, 1000),
    about:
      'Credits for a new account once its address is confirmed: once for each address, for at most three accounts a day from one network and 200 a day in all; needs AUTH_AUTOCONFIRM to be false; 0 = none. The site tells visitors.',
  },
  ...VAT_SETTINGS,
  ANALYSIS_WEBHOOK_URL: {
    rule: url(['http:', 'https:']),
    about: 'Automation that analyses documents; empty = the built-in analyser.',
  },
  ANALYSIS_WEBHOOK_SECRET: {
    rule: text(''),
    about:
      'Secret (whsec_…) that signs requests to ANALYSIS_WEBHOOK_URL, or new,old during a change; empty = a secret from keys.json, which the command northline events rotate replaces.',
    secret: true,
  },
  ANALYSIS_PAYLOAD: {
    rule: z.enum(['minimal', 'full']).default('minimal'),
    about: 'full sends name, phone and card brand to the automation; minimal leaves them out.',
  },
  DOCUMENT_OCR_PAGES: {
    rule: integer(300, 0, 500),
    about: 'Most pages of one document that are read from pictures (scans and photographs); 0 = none.',
  },
  DOCUMENT_LLM_URL: {
    rule: url(['http:', 'https:']),
    about:
      'Language model that answers questions about documents, any with OpenAI chat completions: https://:KEY@host/v1?model=NAME; empty = customers see the best passages.',
    secret: true,
  },
  DOCUMENT_LLM_REPORTS: {
    rule: flag(false),
    about:
      'Sends the model the beginning of each analysed document. The model words the summary and adds missing facts, each with its quote.',
  },
  DOCUMENT_LLM_TOKENS_CUSTOMER: {
    rule: integer(100_000, 0, 1_000_000_000),
    about:
      'Tokens a day for the questions and reports of one customer; beyond them the product answers without the model.',
  },
  DOCUMENT_LLM_TOKENS: {
    rule: integer(2_000_000, 0, 1_000_000_000),
    about: 'Tokens a day for the questions and reports of all customers together.',
  },
  ENQUIRY_WEBHOOK_URL: {
    rule: url(['http:', 'https:']),
    about: 'Automation that receives enquiries; empty = the built-in receiver, which mails them.',
  },
  AUTOMATION_URLS: {
    rule: list(),
    about: 'Automations that receive events: name=https://…,… ; `#kind+kind` after an address selects kinds.',
  },
  OUTBOUND_ALLOW_HOSTS: {
    rule: list(),
    about: 'host:port pairs on private networks that the product may call, e.g. 127.0.0.1:5678.',
  },
  PUSH_ALLOW_HOSTS: {
    rule: list(),
    about:
      'host:port pairs of your own push services on private networks, for notices to browsers; push services of browser makers are always allowed.',
  },
  ...VOICE_SETTINGS,
  ...SIP_SETTINGS,
  NEWS_FEEDS: { rule: list(), about: 'RSS, Atom or JSON feeds for the news section.' },
  STATISTICS: {
    rule: z.enum(['measured', 'illustrative']).default('measured'),
    about:
      "measured shows the server's own figures, and the illustrative ones until 20 documents were analysed; illustrative shows figures that the specification's formula makes up, with a label.",
  },
} as const satisfies Record<string, { rule: z.ZodType; about: string; secret?: boolean | 'in address' }>;

export type SettingName = keyof typeof SETTINGS;
/** The names that the environment or `.env` gives; a copy of the settings keeps them. */
const GIVEN = Symbol('names from the environment');
/** The validated settings, by their environment names. `DATA_DIR` is absolute. */
export type Settings = { readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['rule']> } & {
  readonly [GIVEN]?: ReadonlySet<string>;
};

/** Whether the environment or `.env` gives a setting, so that the console cannot change it. */
export function isGiven(settings: Settings, name: SettingName): boolean {
  return settings[GIVEN]?.has(name) === true;
}

/**
 * Reads the settings from the environment and from an optional `.env` in `folder`
 * (the environment wins).
 *
 * @throws SettingsError with one sentence for a bad value, an unknown name in
 * `.env`, a misspelt name in the environment, or an unsafe combination
 */
export function readSettings(environment: NodeJS.ProcessEnv, folder: string): Settings {
  const file = path.join(folder, '.env');
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  refuseUnknownNames(Object.keys(fromFile), Object.keys(environment));
  const values: Record<string, unknown> = {};
  const names = new Set<string>();
  for (const name of Object.keys(SETTINGS)) {
    const given = environment[name] ?? fromFile[name] ?? '';
    values[name] = readSetting(name as SettingName, given);
    if (given !== '') names.add(name);
  }
  const settings = values as Settings;
  const complete = { ...settings, DATA_DIR: path.resolve(folder, settings.DATA_DIR), [GIVEN]: names };
  refuseUnsafeCombinations(complete);
  return complete;
}

/** Reads the value of one setting from its word; '' means the default. @throws SettingsError */
export function readSetting(name: SettingName, word: string): Settings[SettingName] {
  const outcome = SETTINGS[name].rule.safeParse(word === '' ? undefined : word);
  if (!outcome.success) {
    throw new SettingsError(`The setting ${name} ${outcome.error.issues[0]?.message ?? 'is not valid'}.`);
  }
  return outcome.data;
}

function refuseUnknownNames(inFile: string[], inEnvironment: string[]): void {
  const known = Object.keys(SETTINGS);
  for (const name of inFile) {
    if (known.includes(name)) continue;
    const nearest = nearestWord(name, known, name.length);
    throw new SettingsError(`The file .env has an unknown setting ${name}: did you mean ${nearest}?`);
  }
  // The environment also holds the names of other programs, so only a near miss of one of ours is an error
  // there.
  for (const name of inEnvironment) {
    if (known.includes(name) || !/^[A-Z_]+$/.test(name)) continue;
    const nearest = nearestWord(name, known, name.length < 7 ? 1 : 2);
    if (nearest !== undefined) {
      throw new SettingsError(`The environment has an unknown setting ${name}: did you mean ${nearest}?`);
    }
  }
}

/** Two ways to the same end. */
const ALTERNATIVES = [
  ['CLAMD_URL', 'SCAN_COMMAND'],
  ['BACKUP_PASSPHRASE', 'BACKUP_PASSPHRASE_FILE'],
] as const;

/** @throws SettingsError for settings that contradict each other, or that would be unsafe together */
export function refuseUnsafeCombinations(settings: Settings): void {
  const stripeLive = settings.STRIPE_SECRET_KEY !== '';
  // A list of empty entries, such as a lone comma, contains no secret.
  const signed = settings.STRIPE_WEBHOOK_SECRET.split(',').some((secret) => secret.trim() !== '');
  if (stripeLive && !signed) {
    throw new SettingsError(
      'STRIPE_SECRET_KEY is set but STRIPE_WEBHOOK_SECRET is empty, so anyone could sign payments: set both.',
    );
  }
  refuseAlternatives(settings);
  const loopback = isLoopback(settings.HOST);
  if (!loopback && settings.SITE_URL === '') {
    throw new SettingsError(
      `HOST is ${settings.HOST}, which others can reach, but SITE_URL is empty: set the public address of the site.`,
    );
  }
  if (settings.DATABASE_API_URL !== '' && settings.DATABASE_URL === '') {
    throw new SettingsError('DATABASE_API_URL is set but DATABASE_URL is empty: set both or neither.');
  }
  if (settings.AUTH_GITHUB_CLIENT_ID !== '' && settings.AUTH_GITHUB_SECRET === '') {
    throw new SettingsError(
      'AUTH_GITHUB_CLIENT_ID is set but AUTH_GITHUB_SECRET is empty: set both or neither.',
    );
  }
  if (settings.AUTH_CAPTCHA_PROVIDER !== '' && settings.AUTH_CAPTCHA_SECRET === '') {
    throw new SettingsError(
      'AUTH_CAPTCHA_PROVIDER is set but AUTH_CAPTCHA_SECRET is empty: set both or neither.',
    );
  }
  if (settings.DOCUMENT_LLM_REPORTS && settings.DOCUMENT_LLM_URL === '') {
    throw new SettingsError('DOCUMENT_LLM_REPORTS is on but DOCUMENT_LLM_URL is empty: set both or neither.');
  }
  refuseFaults(settings);
  refuseUnprovenCredits(settings);
  refuseUnfitSite(settings);
}

function refuseFaults(settings: Settings): void {
  const fault = vatFault(settings) ?? mailInFault(settings) ?? liveKitFault(settings);
  if (fault !== undefined) throw new SettingsError(fault);
}

function refuseAlternatives(settings: Settings): void {
  for (const [one, other] of ALTERNATIVES) {
    if (settings[one] !== '' && settings[other] !== '')
      throw new SettingsError(`${one} and ${other} are both set: set one of them.`);
  }
}

function refuseUnprovenCredits({ FREE_CREDITS, AUTH_AUTOCONFIRM }: Settings): void {
  if (FREE_CREDITS === 0 || !AUTH_AUTOCONFIRM) return;
  throw new SettingsError(
    'FREE_CREDITS needs AUTH_AUTOCONFIRM to be false: credits come with an address that somebody has confirmed.',
  );
}

function refuseUnfitSite(settings: Settings): void {
  const site = URL.parse(settings.SITE_URL);
  if (
    site !== null &&
    settings.STRIPE_SECRET_KEY === '' &&
    !settings.TEST_PAYMENTS &&
    !isOwnName(site.hostname)
  ) {
    throw new SettingsError(
      `SITE_URL ${site.origin} is public, but without STRIPE_SECRET_KEY plans are sold for nothing: set Stripe's settings, or TEST_PAYMENTS=true for a trial.`,
    );
  }
  if (site !== null && site.pathname !== '/') {
    throw new SettingsError('SITE_URL must be an origin without a path, e.g. https://www.example.com.');
  }
}

/** Whether a host name of an address leads to this machine only. */
function isOwnName(name: string): boolean {
  return isLoopback(name.replace(/^\[|\]$/g, '')) || name.endsWith('.localhost');
}

/** Whether an address or host name is this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
