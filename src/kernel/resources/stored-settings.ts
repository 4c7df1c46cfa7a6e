import {
  appliesNow,
  CONSOLE_SETTINGS,
  isSecret,
  namesOf,
  originOf,
  SETTING_GROUPS,
  type SettingOrigin,
  wordOf,
} from '../config/console-settings.ts';
import {
  isGiven,
  readSetting,
  refuseUnsafeCombinations,
  type SettingName,
  type Settings,
} from '../config/settings.ts';
import type { Keys } from './crypto/keys.ts';
import { seal, unseal } from './crypto/sealing.ts';
import { derivedSecret } from './crypto/secrets.ts';
import { type Database, type Queries, sqlState } from './database/database.ts';
import type { Log } from './log/log.ts';
import { configuredTargets } from './outbound-http/webhook-targets.ts';

/**
 * Notified when a stored setting changes.
 * @trigger private.console_settings announce
 */
const CHANGED = 'console_settings';
const UNDEFINED_TABLE = '42P01';

/** The stored words of settings; null for a secret that another key has sealed. */
export type StoredWords = ReadonlyMap<SettingName, string | null>;

/** The settings of the environment and those of the console together. */
export interface MergedSettings {
  readonly settings: Settings;
  /** Why a stored value is not in use, as a sentence. */
  readonly faults: ReadonlyMap<SettingName, string>;
  /** Where the value of each setting comes from. */
  originOf(name: SettingName): SettingOrigin;
}

/** The settings in force in this process, and what the console stores. */
export interface SettingsStore {
  /** Each use reads a setting again, so that it sees changes which apply at once. */
  readonly settings: Settings;
  /** What the next start would use. */
  wanted(): MergedSettings;
  stored(): StoredWords;
  /** Whether the process still uses a former value, until its next start. */
  isPending(name: SettingName): boolean;
  /** Reads the stored settings again; at once after a change. */
  refresh(): Promise<void>;
  /** Calls `listener` after each change, here or in another process. */
  onChange(listener: () => Promise<void>): void;
}

const sealingKey = (keys: Keys): Buffer => derivedSecret(keys, 'console settings');

/** Reads what the console stores; nothing from a database of a version without the table. */
export async function readStoredWords(queries: Queries, keys: Keys): Promise<StoredWords> {
  const rows = await queries
    .many('select name, value, sealed from private.console_settings')
    .catch((error: unknown) => {
      if (sqlState(error)?.code === UNDEFINED_TABLE) return [];
      throw error;
    });
  const words = new Map<SettingName, string | null>();
  for (const { name, value, sealed } of rows) {
    const known = CONSOLE_SETTINGS.find((one) => one === name);
    // A later version may have stored it before an earlier one was installed again.
    if (known !== undefined) words.set(known, sealed === null ? value : opened(keys, known, sealed));
  }
  return words;
}

function opened(keys: Keys, name: SettingName, sealed: Buffer): string | null {
  try {
    return unseal(sealingKey(keys), sealed, name).toString();
  } catch {
    return null;
  }
}

/** Stores a word, secrets sealed; null removes it. The trigger of the table announces the change. */
export async function storeWord(
  queries: Queries,
  keys: Keys,
  name: SettingName,
  word: string | null,
): Promise<void> {
  if (word === null) {
    await queries.run('delete from private.console_settings where name = $1', [name]);
    return;
  }
  const secret = isSecret(name, word);
  await queries.run(
    `insert into private.console_settings (name, value, sealed) values ($1, $2, $3)
     on conflict (name) do update set value = excluded.value, sealed = excluded.sealed, changed_at = now()`,
    [name, secret ? null : word, secret ? seal(sealingKey(keys), Buffer.from(word), name) : null],
  );
}

/**
 * Adds the stored words to the settings of the environment, which win. A group whose words cannot be used, alone or with
 * the environment, is left out as a whole, so that a start never fails because of it.
 */
export function mergeSettings(given: Settings, stored: StoredWords): MergedSettings {
  const faults = new Map<SettingName, string>();
  const used = new Set<SettingName>();
  let settings: Settings = { ...given };
  for (const group of SETTING_GROUPS) {
    const names = namesOf(group).filter((name) => stored.has(name) && !isGiven(given, name));
    const sealed = names.filter((name) => stored.get(name) === null);
    for (const name of sealed)
      faults.set(name, 'It was stored with another keys.json, so it cannot be read: write it again.');
    const readable = names.filter((name) => !sealed.includes(name));
    try {
      const words = readable.map((name) => [name, readSetting(name, stored.get(name) ?? '')]);
      const together = { ...settings, ...Object.fromEntries(words) };
      refuseUnsafeCombinations(together);
      configuredTargets(together);
      settings = together;
      for (const name of readable) used.add(name);
    } catch (error) {
      for (const name of readable) faults.set(name, (error as Error).message);
    }
  }
  return { settings, faults, originOf: (name) => originOf(given, name, used.has(name)) };
}

interface Parts {
  readonly settings: Settings;
  readonly database: Database;
  readonly keys: Keys;
  readonly log: Log;
}

/** Opens the stored settings and follows changes of any process. */
export async function openSettingsStore({ settings, database, keys, log }: Parts): Promise<SettingsStore> {
  let stored: StoredWords = await readStoredWords(database, keys);
  let wanted = mergeSettings(settings, stored);
  const atStart = wanted.settings;
  const inForce: Partial<Record<SettingName, Settings[SettingName]>> = {};
  const listeners: (() => Promise<void>)[] = [];
  let working = Promise.resolve();
  warnOfFaults();
  take();

  function warnOfFaults(): void {
    for (const [name, fault] of wanted.faults)
      log.warn({ setting: name }, `a setting of the console is not in use: ${fault}`);
  }

  function take(): void {
    for (const name of CONSOLE_SETTINGS)
      inForce[name] = (appliesNow(name, atStart, wanted.settings) ? wanted.settings : atStart)[name];
  }

  async function read(): Promise<void> {
    stored = await readStoredWords(database, keys);
    wanted = mergeSettings(settings, stored);
    warnOfFaults();
    take();
    for (const listener of listeners) await listener();
  }
  const refresh = (): Promise<void> => {
    const next = working.then(read);
    working = next.catch(() => {});
    return next;
  };
  const follow = (): void =>
    void refresh().catch((error) =>
      log.error({ err: error }, 'the settings of the console could not be read'),
    );
  await database.listen(CHANGED, follow, follow);

  // The settings of the site are getters too, which a spread would turn into values.
  const live = Object.defineProperties({}, Object.getOwnPropertyDescriptors(settings)) as Settings;
  for (const name of CONSOLE_SETTINGS)
    Object.defineProperty(live, name, { get: () => inForce[name], enumerable: true });
  return {
    settings: live,
    wanted: () => wanted,
    stored: () => stored,
    isPending: (name) => wordOf(wanted.settings[name]) !== wordOf(live[name]),
    refresh,
    onChange: (listener) => void listeners.push(listener),
  };
}
