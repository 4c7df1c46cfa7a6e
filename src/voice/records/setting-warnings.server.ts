import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../../kernel/config/settings.ts';
import {
  isCredentialRead,
  type ProvidedEngine,
  providerRow,
  unreadCredential,
} from './provider-list.contract.ts';
import {
  SETTING_EFFECTS,
  type SettingBody,
  type SettingEffect,
  type SettingPart,
} from './setting-effects.contract.ts';

/** Most warnings in one answer; one more line counts the rest. */
const MOST_WARNINGS = 50;

interface Rows {
  /** Rows by their place. */
  readonly exact: ReadonlyMap<string, SettingEffect>;
  /** Places whose whole content one row covers. */
  readonly open: ReadonlyMap<string, SettingEffect>;
  /** Places whose content the rows of another part describe. */
  readonly parts: ReadonlyMap<string, SettingPart>;
  /** Places on the way to a row. */
  readonly above: ReadonlySet<string>;
}

const ROWS = new Map(
  (Object.keys(SETTING_EFFECTS) as SettingPart[]).map((part) => [part, rowsOf(SETTING_EFFECTS[part])]),
);

function rowsOf(effects: readonly SettingEffect[]): Rows {
  const exact = new Map<string, SettingEffect>();
  const open = new Map<string, SettingEffect>();
  const parts = new Map<string, SettingPart>();
  const above = new Set<string>(['']);
  for (const effect of effects) {
    const [place = '', part] = effect.at.split('>');
    for (const { index } of place.matchAll(/\[\]|\./g)) above.add(place.slice(0, index));
    for (const { index } of place.matchAll(/\[\]/g)) above.add(place.slice(0, index + 2));
    if (part !== undefined) parts.set(place, part as SettingPart);
    else if (place.endsWith('.*')) open.set(place.slice(0, -2), effect);
    else exact.set(place, effect);
  }
  return { exact, open, parts, above };
}

/** What a walk through a body collects and knows. */
interface Round {
  readonly found: string[];
  /** Providers that have a stored credential. */
  readonly known: ReadonlySet<string>;
  readonly configured: ReadonlySet<string>;
  /** The part of the body that the present table describes. */
  readonly whole: SettingBody;
}

/**
 * Sentences about the fields of a body that have no effect here: `observabilityPlan: is kept and does not
 * act: …`. Accepted fields without a row in `SETTING_EFFECTS` are among them, so that no field is ignored
 * silently.
 *
 * @param known providers that have a stored credential, and voices of this server as `embedded NAME`
 * @param configured the engines that the settings name
 */
export function settingWarnings(
  part: SettingPart,
  body: unknown,
  known: ReadonlySet<string> = new Set(),
  configured: ReadonlySet<string> = new Set(),
): readonly string[] {
  const found: string[] = [];
  visit(
    part,
    body,
    { place: '', path: '' },
    { found, known, configured, whole: { isWhole: true, configured } },
  );
  if (found.length <= MOST_WARNINGS) return found;
  return [
    ...found.slice(0, MOST_WARNINGS),
    `${found.length - MOST_WARNINGS} further fields are kept and do not act`,
  ];
}

/** Where a value is: `place` as rows write it, `path` as the body has it. */
interface Place {
  readonly place: string;
  readonly path: string;
}

function visit(part: SettingPart, value: unknown, { place, path }: Place, given: Round): void {
  const { exact, open, parts, above } = rowsFor(part);
  if (value === undefined || value === null) return;
  const round = part === 'assistant' && place === '' ? withOwnMembers(value, path, given) : given;
  const row = open.get(place) ?? exact.get(place);
  const other = parts.get(place);
  if (part === 'assistant' && place === 'voice') warnOfVoice(value, path, round);
  if (row !== undefined) warnOf(row, value, path, round);
  else if (other !== undefined) visit(other, value, { place: '', path }, round);
  else if (above.has(place) && typeof value === 'object') visitMembers(part, value, { place, path }, round);
  // `off` asks for nothing.
  else if (!above.has(place) || value !== 'off') round.found.push(notActing(path, 'it is not known here'));
}

function visitMembers(part: SettingPart, value: object, { place, path }: Place, round: Round): void {
  for (const [name, item] of Object.entries(value)) {
    const next = Array.isArray(value) ? `${place}[]` : joined(place, name);
    visit(part, item, { place: next, path: joined(path, name) }, round);
  }
}

const joined = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`);
const notActing = (path: string, reason: string): string => `${path}: is kept and does not act: ${reason}`;

/**
 * Adds what an assistant itself brings: the providers of its credentials, and the fields on which the effect of
 * others depends.
 */
function withOwnMembers(assistant: unknown, path: string, round: Round): Round {
  const members = assistant as Readonly<Record<string, unknown>>;
  // Only a body that is an assistant is whole; elsewhere overrides change one that is not known here.
  const { configured } = round;
  const whole = { ...members, configured, isWhole: path === '' || /(^|\.)assistant$/.test(path) };
  const { credentials } = members as { credentials?: readonly { readonly provider?: unknown }[] };
  const own = Array.isArray(credentials) ? credentials.map(({ provider }) => String(provider)) : [];
  return { ...round, whole, known: new Set([...round.known, ...own]) };
}

function warnOf(row: SettingEffect, value: unknown, path: string, { found, known, whole }: Round): void {
  const { does, says, neutral, provides } = row;
  const asksNothing = neutral?.some((one) => isDeepStrictEqual(one, value)) ?? false;
  const missing = provides === undefined ? undefined : missingProvider(provides, String(value), known);
  if (does === 'kept') {
    if (!asksNothing) found.push(notActing(path, says));
    return;
  }
  // The values of a list are checked one by one.
  const values = Array.isArray(value) ? value.map((one, at) => [`${path}.${at}`, one]) : [[path, value]];
  for (const [at, one] of values) {
    const reason = missing ?? exceptionOf(row, String(one)) ?? row.unless?.(one, whole);
    if (reason !== undefined) found.push(notActing(at, reason));
  }
}

/** A voice that this server does not have: its usual voice speaks. */
function warnOfVoice(voice: unknown, path: string, { found, known, configured }: Round): void {
  const { provider, voiceId } = voice as { readonly provider?: unknown; readonly voiceId?: unknown };
  if (provider !== 'embedded' || typeof voiceId !== 'string' || configured.has('voice')) return;
  if (known.has(`embedded ${voiceId}`)) return;
  found.push(notActing(`${path}.voiceId`, 'this server has no such voice, its usual one speaks'));
}

/** Why a value of an acting field does not act; undefined if it acts. */
function exceptionOf({ except, only }: SettingEffect, value: string): string | undefined {
  const known = only === undefined || only.includes(value);
  return except?.[value] ?? (known ? undefined : 'it is not known here');
}

function missingProvider(
  engine: ProvidedEngine,
  provider: string,
  known: ReadonlySet<string>,
): string | undefined {
  if (provider === 'embedded') return undefined;
  const row = providerRow(engine, provider);
  if (row === undefined) return 'it is not connected here, the installation’s own is used';
  if (row.keyless === true || known.has(provider)) return undefined;
  return 'no credential of it is stored, the installation’s own is used';
}

function rowsFor(part: SettingPart): Rows {
  const rows = ROWS.get(part);
  if (rows === undefined) throw new Error(`There are no rows for ${part}.`);
  return rows;
}

/** The engines that the settings name for assistants without a provider of their own. */
export function configuredEngines({
  VOICE_LLM_URL,
  VOICE_TTS_URL,
  VOICE_STT_URL,
}: Pick<Settings, 'VOICE_LLM_URL' | 'VOICE_TTS_URL' | 'VOICE_STT_URL'>): ReadonlySet<string> {
  const named = { model: VOICE_LLM_URL, voice: VOICE_TTS_URL, transcriber: VOICE_STT_URL };
  return new Set(Object.entries(named).flatMap(([engine, url]) => (url === '' ? [] : [engine])));
}

/** A sentence for a credential that nothing reads. */
export function credentialWarnings({ provider }: Readonly<Record<string, unknown>>): readonly string[] {
  const name = String(provider);
  return isCredentialRead(name) ? [] : [notActing('provider', unreadCredential(name))];
}

/** A record with the warnings about the body that it came from; unchanged where there are none. */
export function withWarnings<Shown extends object>(
  shown: Shown,
  warnings: readonly string[],
): Shown & { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? shown : { ...shown, warnings };
}
