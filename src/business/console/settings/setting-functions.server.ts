import path from 'node:path';
import { z } from 'zod';
import {
  ADDRESS_GROUP,
  CONSOLE_SETTINGS,
  inConsoleWords,
  isDefault,
  isSecret,
  namesOf,
  SETTING_GROUPS,
  type SettingGroup,
  shownSecret,
  wordOf,
} from '../../../kernel/config/console-settings.ts';
import { isGiven, SETTINGS, type SettingName } from '../../../kernel/config/settings.ts';
import { readSipTrunks } from '../../../kernel/config/sip-trunks.ts';
import { parseStorageUrl } from '../../../kernel/config/storage-url.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import { approveAddress, OutboundBlocked } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import {
  type MergedSettings,
  mergeSettings,
  readStoredWords,
  type StoredWords,
  storeWord,
} from '../../../kernel/resources/stored-settings.ts';
import { isBucketPlace } from '../../backup/backup-place.server.ts';
import { prepareFolder } from '../../backup/backup-trial.server.ts';
import {
  declareForOperators,
  declareOperatorWork,
  type OperatorScope,
  signAsOperator,
} from '../operator-gate.server.ts';
import type { RestartScope } from './product-restart.server.ts';
import { requireSecondLevel, requireTrusted } from './second-factor-gate.server.ts';
import { type TrialParts, tryGroup } from './setting-trials.server.ts';
import type {
  SettingsPage,
  SettingsSaved,
  ShownGroup,
  ShownSetting,
  TrialReply,
} from './settings.contract.ts';

const LONGEST_WORD = 4000;
const SAVES_A_MINUTE = 30;
const TRIALS_A_MINUTE = 10;
/** Serialises changes of all processes, so that each sees what the others stored. */
const LOCK = 7_204_011;

const CHANGE = z.object({
  group: z.string().refine((id) => SETTING_GROUPS.some((group) => group.id === id), {
    error: 'must be a group of the Settings page',
  }),
  words: z.record(z.string(), z.string().max(LONGEST_WORD).nullable()),
});

/** What the settings need besides the console's own. */
export interface SettingsScope
  extends RestartScope,
    Pick<TrialParts, 'payments' | 'tryVoice' | 'tryTelephone'> {}

/** The functions behind the Settings page (decision 0660): to read, to save a group, to try one. */
export function serveSettings(scope: SettingsScope): void {
  const { resources, restart } = scope;
  const since = new Date().toISOString();
  declareForOperators(scope, {
    name: 'settings',
    method: 'GET',
    input: z.object({}),
    async answer(queries): Promise<SettingsPage> {
      requireSecondLevel(await queries.one(`select auth.uid() as "userId", auth.jwt() ->> 'aal' as aal`));
      const groups = [...SETTING_GROUPS, ADDRESS_GROUP].map((group) => shownGroup(scope, group));
      return { groups, since, restarts: restart !== undefined };
    },
  });
  declareOperatorWork(scope, {
    name: 'save-settings',
    input: CHANGE,
    perMinute: SAVES_A_MINUTE,
    allow: requireTrusted,
    async work(caller, { group, words }): Promise<SettingsSaved> {
      return saveGroup(scope, caller, groupOf(group), words);
    },
  });
  declareOperatorWork(scope, {
    name: 'try-settings',
    input: z.object({ group: CHANGE.shape.group }),
    perMinute: TRIALS_A_MINUTE,
    allow: requireTrusted,
    heavy: true,
    async work(caller, { group }): Promise<TrialReply> {
      const { trial } = groupOf(group);
      if (trial === undefined) throw new ServiceError(400, 'no_trial', 'There is nothing to try here.');
      const { email } = await resources.database.one('select email from auth.users where id = $1', [
        caller.userId,
      ]);
      return { results: await tryGroup(group, { ...scope, email: email ?? '' }) };
    },
  });
}

function groupOf(id: string): SettingGroup {
  const group = SETTING_GROUPS.find((one) => one.id === id);
  if (group === undefined) throw new ServiceError(400, 'unknown_group', 'There is no such group.');
  return group;
}

function shownGroup({ resources }: OperatorScope, group: SettingGroup): ShownGroup {
  const { settingsStore } = resources;
  const wanted = settingsStore.wanted();
  const shownOf = (name: SettingName): ShownSetting => {
    const word = wordOf(wanted.settings[name]);
    const entry = SETTINGS[name];
    return {
      name,
      label: group.settings[name] ?? name,
      about: inConsoleWords(entry.about),
      kind: typeof wanted.settings[name] === 'boolean' ? 'switch' : 'text',
      hidden: word !== '' && isSecret(name, word),
      origin: wanted.originOf(name),
      shown: word !== '' && isSecret(name, word) ? shownSecret(word) : word,
      usual: name === 'SITE_URL' ? resources.siteUrl : wordOf(entry.rule.parse(undefined)),
      fixed: !CONSOLE_SETTINGS.includes(name),
      pending: settingsStore.isPending(name),
      fault: isGiven(resources.settings, name) ? null : (wanted.faults.get(name) ?? null),
    };
  };
  return {
    id: group.id,
    title: group.title,
    trial: group.trial ?? null,
    settings: namesOf(group).map(shownOf),
  };
}

async function saveGroup(
  { resources }: SettingsScope,
  caller: Caller,
  group: SettingGroup,
  words: Readonly<Record<string, string | null>>,
): Promise<SettingsSaved> {
  const { database, keys, settings, settingsStore, outbound } = resources;
  const changes = changesOf(resources.settings, group, words);
  for (const [name, word] of changes) if (word !== null) await requirePublic(outbound, name, word);
  const changed = await database.transaction(async (queries) => {
    await queries.run('select pg_advisory_xact_lock($1)', [LOCK]);
    const before = await readStoredWords(queries, keys);
    const real = changes.filter(
      ([name, word]) => (before.get(name) ?? (before.has(name) ? '' : null)) !== word,
    );
    const after = new Map(before);
    for (const [name, word] of real) {
      if (word === null) after.delete(name);
      else after.set(name, word);
    }
    const former = mergeSettings(settings, before);
    requireUsable(group, after, mergeSettings(settings, after));
    for (const [name, word] of real) {
      await storeWord(queries, keys, name, word);
      await signAsOperator(queries, caller, {
        action: 'settings.change',
        subject: name,
        details: auditedChange(former, before, name, word),
      });
    }
    return real.map(([name]) => name);
  });
  await settingsStore.refresh();
  return { changed, pending: changed.filter(settingsStore.isPending) };
}

/** The changes as words, the default as null. @throws ServiceError 400 or 409 with a sentence */
function changesOf(
  settings: OperatorScope['resources']['settings'],
  group: SettingGroup,
  words: Readonly<Record<string, string | null>>,
): [SettingName, string | null][] {
  const names = namesOf(group);
  return Object.entries(words).map(([given, word]) => {
    const name = names.find((one) => one === given);
    if (name === undefined)
      throw new ServiceError(400, 'unknown_setting', `${given} is not a setting of this group.`);
    if (isGiven(settings, name))
      throw new ServiceError(
        409,
        'set_by_environment',
        `${name} is set in the environment of the server, which wins. Change it there.`,
      );
    const trimmed = word?.trim() ?? '';
    const outcome = SETTINGS[name].rule.safeParse(trimmed === '' ? undefined : trimmed);
    if (!outcome.success)
      throw wrong(`The setting ${name} ${outcome.error.issues[0]?.message ?? 'is not valid'}.`);
    return [name, trimmed === '' || isDefault(name, trimmed) ? null : trimmed];
  });
}

const wrong = (sentence: string): ServiceError =>
  new ServiceError(400, 'setting_refused', inConsoleWords(sentence));

/** @throws ServiceError when a stored word of the group would not be used */
function requireUsable(group: SettingGroup, stored: StoredWords, { faults }: MergedSettings): void {
  // A secret that another key has sealed does not keep the others from being changed.
  const readable = namesOf(group).filter((name) => stored.get(name) !== null);
  const fault = readable.flatMap((name) => faults.get(name) ?? [])[0];
  if (fault !== undefined) throw wrong(fault);
}

/** The hosts that a setting lets the product call without the guard of the outbound client. */
const HOSTS: Partial<Record<SettingName, (word: string) => readonly string[]>> = {
  SMTP_URL: (word) => [word],
  BACKUP_TO: (word) => (isBucketPlace(word) ? [bucketOf(word)] : []),
  DOCUMENT_LLM_URL: (word) => [word],
  VOICE_LLM_URL: (word) => [word],
  VOICE_STT_URL: (word) => [word],
  VOICE_TTS_URL: (word) => [word],
  BOOKING_CALENDAR: (word) => [word],
  ENQUIRY_WEBHOOK_URL: (word) => [word],
  ANALYSIS_WEBHOOK_URL: (word) => [word],
  NEWS_FEEDS: (word) => listOf(word),
  AUTOMATION_URLS: (word) => listOf(word).map((entry) => entry.replace(/^[^=]*=/, '')),
  SIP_TRUNKS: (word) =>
    (readSipTrunks(listOf(word)) ?? []).map(({ host, port = 5060 }) => `https://${host}:${port}`),
};

const listOf = (word: string): string[] =>
  word
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

function bucketOf(word: string): string {
  const address = parseStorageUrl(word);
  return address.kind === 's3' ? address.bucketUrl : word;
}

/** @throws ServiceError for an address of a private network, which only the environment may name */
async function requirePublic(
  outbound: OperatorScope['resources']['outbound'],
  name: SettingName,
  word: string,
): Promise<void> {
  if (name === 'BACKUP_TO' && !isBucketPlace(word)) requireFolder(word);
  for (const address of HOSTS[name]?.(word) ?? []) {
    if (!URL.canParse(address)) throw wrong(`${name} has an entry that is not an address.`);
    await approve(outbound, address).catch((error: unknown) => {
      if (error instanceof OutboundBlocked) throw wrong(`${name}: ${error.message}`);
      throw wrong(
        `${name}: the name ${new URL(address).hostname} is not known: ${(error as Error).message}.`,
      );
    });
  }
}

/** @throws ServiceError for a folder that is not there and cannot be made */
function requireFolder(word: string): void {
  if (!path.isAbsolute(word)) throw wrong('BACKUP_TO must be a whole path, such as /var/backups/northline.');
  try {
    prepareFolder(word);
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

/** Web addresses get the rules of the outbound client too: no plain http outside of the allowed hosts. */
async function approve(outbound: OperatorScope['resources']['outbound'], address: string): Promise<void> {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  if (/^(?:https?|wss?):$/.test(url.protocol)) outbound.approve(url.href);
  await approveAddress(outbound, address);
}

/** What the audit log says of a change: the words, or of a secret only whether there is one. */
function auditedChange(
  former: MergedSettings,
  before: StoredWords,
  name: SettingName,
  word: string | null,
): object {
  const old = before.has(name) ? wordOf(former.settings[name]) : null;
  const said = (one: string | null): string => {
    if (one === null) return 'default';
    return isSecret(name, one) ? shownSecret(one) : one;
  };
  return { from: before.get(name) === null ? 'unreadable' : said(old), to: said(word) };
}
