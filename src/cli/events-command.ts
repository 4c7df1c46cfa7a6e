import { mailInSecret } from '../business/inbox/inbox-context.server.ts';
import type { Settings } from '../kernel/config/settings.ts';
import type { Keys } from '../kernel/resources/crypto/keys.ts';
import type { Queries } from '../kernel/resources/database/database.ts';
import { mailEventsSecret } from '../kernel/resources/mailer/mail-events-secret.ts';
import { replayDeadEvents, replayEvent } from '../kernel/resources/outbound-http/webhook-replay.ts';
import {
  ANALYSIS_TARGET,
  OLD_SECRET_HOURS,
  TARGET_COLUMNS,
  targetSecrets,
  type WebhookTarget,
} from '../kernel/resources/outbound-http/webhook-targets.ts';
import { type Command, PROGRAM, UsageError } from './command.ts';
import { withInstallation } from './installation-database.ts';

/** Secrets that the operator set. */
type SecretSettings = Pick<Settings, 'MAIL_EVENTS_SECRET' | 'MAIL_IN_SECRET' | 'ANALYSIS_WEBHOOK_SECRET'>;

/** A request that cannot be carried out; `message` is the sentence to print. */
class EventsError extends Error {}

/** Manages events for automations. Works on the database, whether the product is running or not. */
export const eventsCommand: Command = {
  summary: 'manages events for automations: replay, pause, secrets, a test event',
  usage: [
    'list             targets, their state, the last undelivered events',
    'show ID          one event: every attempt, and its reply',
    'replay ID        sends one event again, under the same id',
    'replay TARGET    sends all failed events of a target again',
    'pause TARGET     keeps its events back',
    'resume TARGET    sends them (also after a 410)',
    'secret TARGET    prints the secret that signs for it',
    'secret mail      prints the secret for signing notices about bounces to /webhooks/mail',
    'secret mail-in   prints the secret for signing customers’ mails to /webhooks/mail-in',
    `rotate TARGET    makes a new secret; for ${OLD_SECRET_HOURS} hours the old one signs as well`,
    'test TARGET      sends an event of the kind test',
  ],
  run: (settings, words) =>
    withInstallation(settings, (database, keys) => manageEvents(database, keys, words, settings)),
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Secrets that are no target's: others sign with them what they send to us. */
const OWN_SECRETS: Readonly<Record<string, (parts: { keys: Keys; settings: SecretSettings }) => string>> = {
  mail: mailEventsSecret,
  'mail-in': mailInSecret,
};
const DEAD_SHOWN = 50;

/**
 * Runs one form of the command and returns the text to print. The running product sends events within
 * seconds.
 *
 * @throws UsageError; EventsError with the sentence to print
 */
export async function manageEvents(
  database: Queries & { transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> },
  keys: Keys,
  [command = '', subject = '']: readonly string[],
  settings: SecretSettings = { MAIL_EVENTS_SECRET: '', MAIL_IN_SECRET: '', ANALYSIS_WEBHOOK_SECRET: '' },
): Promise<string> {
  const ownSecret = command === 'secret' ? OWN_SECRETS[subject] : undefined;
  if (ownSecret !== undefined) return ownSecret({ keys, settings });
  if (command === 'list') return list(database);
  if (command === 'show' && UUID.test(subject)) return show(database, subject);
  if (command === 'replay' && UUID.test(subject)) {
    return report(await replayEvent(database, subject));
  }
  const changes: Record<string, (target: WebhookTarget) => Promise<string>> = {
    replay: async ({ name }) => report(await replayDeadEvents(database, name)),
    pause: async ({ name }) => {
      await database.run('update private.webhook_targets set paused_at = now() where name = $1', [name]);
      return `${name} is paused: its events wait.`;
    },
    resume: async ({ name }) => {
      await database.run(
        'update private.webhook_targets set paused_at = null, disabled_at = null where name = $1',
        [name],
      );
      return `${name} gets its events again.`;
    },
    secret: async (target) => targetSecrets(keys, target).join('\n'),
    rotate: async ({ name }) => {
      const row = await database.one(
        `update private.webhook_targets set secret_version = secret_version + 1,
                previous_until = now() + make_interval(hours => $2) where name = $1 returning ${TARGET_COLUMNS}`,
        [name, OLD_SECRET_HOURS],
      );
      return `${targetSecrets(keys, row)[0]}\nThe old secret signs as well for ${OLD_SECRET_HOURS} hours.`;
    },
    test: async ({ name }) => {
      const { id } = await database.one(
        `insert into private.outbox_events (kind, subject_id, target, data)
         values ('test', gen_random_uuid(), $1, '{"test": true}') returning id`,
        [name],
      );
      return `Event ${id} is on its way: ${PROGRAM} events show ${id}`;
    },
  };
  const change = changes[command];
  if (change === undefined || subject === '')
    throw new UsageError(
      subject === '' ? 'Say what to do, and with which target or event.' : `There is no events ${command}.`,
    );
  const target = await database.maybe(
    `select ${TARGET_COLUMNS} from private.webhook_targets where name = $1`,
    [subject],
  );
  if (target === undefined)
    throw new EventsError(`There is no target ${subject}: see ${PROGRAM} events list.`);
  const isSet = subject === ANALYSIS_TARGET && settings.ANALYSIS_WEBHOOK_SECRET !== '';
  if (isSet && ['secret', 'rotate'].includes(command)) {
    throw new EventsError(
      'The setting ANALYSIS_WEBHOOK_SECRET signs for it: write new,old there, and drop the old one after a day.',
    );
  }
  return change(target);
}

const report = (count: number): string => `${count} ${count === 1 ? 'event is' : 'events are'} sent again.`;

async function list(database: Queries): Promise<string> {
  const targets = await database.many(
    `select t.name, t.url, t.active, t.paused_at, t.disabled_at, count(e.id) filter (where e.state = 'pending') as pending,
            count(e.id) filter (where e.state = 'delivered') as delivered,
            count(e.id) filter (where e.state = 'dead') as dead
     from private.webhook_targets t left join private.outbox_events e on e.target = t.name
     group by t.name order by t.name`,
  );
  const dead = await database.many(
    `select e.id, e.kind, e.target, e.attempts, d.status, left(d.reply, 80) as reply
     from private.outbox_events e
     left join lateral (select status, reply from private.deliveries where event_id = e.id
                        order by id desc limit 1) d on true
     where e.state = 'dead' order by e.updated_at desc limit $1`,
    [DEAD_SHOWN],
  );
  const lines = targets.map((row) => {
    const state = stateOf(row);
    return `${row.name}  ${state}  ${row.pending} waiting, ${row.delivered} delivered, ${row.dead} dead  ${row.url}`;
  });
  return [
    ...lines,
    ...dead.map(
      (row) =>
        `dead  ${row.id}  ${row.kind}  ${row.target ?? ''}  ${row.status ?? 'no answer'}  ${row.reply ?? ''}`,
    ),
  ].join('\n');
}

function stateOf(target: Pick<WebhookTarget, 'disabled_at' | 'paused_at'> & { active: boolean }): string {
  if (!target.active) return 'not in the settings';
  if (target.disabled_at !== null) return 'disabled by its 410';
  return target.paused_at === null ? 'open' : 'paused';
}

async function show(database: Queries, id: string): Promise<string> {
  const event = await database.maybe(
    `select id, kind, subject_id, state, attempts, created_at, updated_at, target, data, queued_at, due_at
     from private.outbox_events where id = $1`,
    [id],
  );
  if (event === undefined) throw new EventsError(`There is no event ${id}.`);
  const attempts = await database.many(
    'select attempt, status, duration_ms, created_at, reply from private.deliveries where event_id = $1 order by id',
    [id],
  );
  return JSON.stringify({ ...event, deliveries: attempts }, null, 2);
}
