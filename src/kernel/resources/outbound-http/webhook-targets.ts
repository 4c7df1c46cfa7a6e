import type { Settings } from '../../config/settings.ts';
import type { Keys } from '../crypto/keys.ts';
import { derivedSecret } from '../crypto/secrets.ts';
import type { Queries } from '../database/database.ts';

/**
 * The events that are announced to automations (docs/contracts/documents.md §7.1). They contain ids and
 * states, no personal data.
 */
export const ANNOUNCED_EVENTS = [
  'enquiry.created',
  'course_inquiry.created',
  'document.analysis.requested',
  'document.analysis.completed',
  'document.analysis.failed',
  'customer.created',
  'subscription.changed',
  'call.ended',
] as const;

/** The target of ENQUIRY_WEBHOOK_URL. */
export const ENQUIRY_TARGET = 'enquiries';

/** The target of ANALYSIS_WEBHOOK_URL. */
export const ANALYSIS_TARGET = 'analysis';
const RESERVED: readonly string[] = [ENQUIRY_TARGET, ANALYSIS_TARGET];
/** The purposes of the first secrets of these targets, which are older than versions. */
const FIRST_PURPOSES: Readonly<Record<string, string>> = {
  [ENQUIRY_TARGET]: 'enquiry webhook',
  [ANALYSIS_TARGET]: 'analysis-webhook',
};

/** Hours after a rotation during which the previous secret also signs. */
export const OLD_SECRET_HOURS = 24;

/** A row of `private.webhook_targets`. */
export interface WebhookTarget {
  readonly name: string;
  readonly url: string;
  readonly secret_version: number;
  readonly previous_until: Date | null;
  readonly paused_at: Date | null;
  readonly disabled_at: Date | null;
}

/** The columns of a WebhookTarget. */
export const TARGET_COLUMNS = 'name, url, secret_version, previous_until, paused_at, disabled_at';

interface ConfiguredTarget {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
}

/**
 * The targets in the settings. An entry of AUTOMATION_URLS is `name=address`, or
 * `name=address#customer.created+call.ended` for these events only.
 *
 * @throws Error with one sentence for the operator
 */
export function configuredTargets(
  settings: Pick<Settings, 'AUTOMATION_URLS' | 'ENQUIRY_WEBHOOK_URL' | 'ANALYSIS_WEBHOOK_URL'>,
): ConfiguredTarget[] {
  const own = settings.AUTOMATION_URLS.map((entry) => {
    const [, name = '', address = ''] = /^([a-z0-9-]{1,40})=(https?:\/\/.+)$/.exec(entry) ?? [];
    const url = URL.parse(address);
    if (url === null || RESERVED.includes(name)) {
      throw new Error(
        'The setting AUTOMATION_URLS must be name=https://…,… with names of lower-case letters, digits and hyphens, other than enquiries and analysis.',
      );
    }
    const wanted = url.hash === '' ? [...ANNOUNCED_EVENTS] : url.hash.slice(1).split('+');
    const unknown = wanted.find((kind) => !ANNOUNCED_EVENTS.some((known) => known === kind));
    if (unknown !== undefined) {
      throw new Error(`The setting AUTOMATION_URLS names an unknown event ${unknown}.`);
    }
    url.hash = '';
    return { name, url: url.href, events: wanted };
  });
  if (new Set(own.map(({ name }) => name)).size < own.length) {
    throw new Error('The setting AUTOMATION_URLS has a name twice.');
  }
  return [
    { name: ENQUIRY_TARGET, url: settings.ENQUIRY_WEBHOOK_URL, events: [] },
    { name: ANALYSIS_TARGET, url: settings.ANALYSIS_WEBHOOK_URL, events: [] },
    ...own,
  ];
}

/**
 * Writes the targets to the database, whose triggers announce changes to them. Known targets keep their pause
 * and their secrets.
 */
export async function saveTargets(queries: Queries, targets: readonly ConfiguredTarget[]): Promise<void> {
  for (const { name, url, events } of targets) {
    await queries.run(
      `insert into private.webhook_targets as t (name, url, events, active) values ($1, $2, $3, $2 <> '')
       on conflict (name) do update set events = excluded.events, active = excluded.active,
         -- Another address has not said that it wants no more.
         disabled_at = case when t.url = excluded.url then t.disabled_at end,
         url = excluded.url, updated_at = now()
       where (t.url, t.events, t.active) is distinct from (excluded.url, excluded.events, excluded.active)`,
      [name, url, events],
    );
  }
  await queries.run(
    'update private.webhook_targets set active = false, updated_at = now() where active and name <> all ($1)',
    [targets.map(({ name }) => name)],
  );
}

/** The secrets (`whsec_…`) that sign for a target, newest first; two for a day after a rotation. */
export function targetSecrets(
  keys: Keys,
  target: Pick<WebhookTarget, 'name' | 'secret_version' | 'previous_until'>,
): string[] {
  const { name, secret_version: version, previous_until: until } = target;
  const secret = (number: number): string => {
    const first = number === 1 ? FIRST_PURPOSES[name] : undefined;
    const purpose = first ?? `webhook ${name} ${number}`;
    return `whsec_${derivedSecret(keys, purpose).toString('base64')}`;
  };
  const both = until !== null && until > new Date();
  return both ? [secret(version), secret(version - 1)] : [secret(version)];
}
