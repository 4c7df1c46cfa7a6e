import type { Settings } from '../src/config/settings.ts';
import type { Keys } from '../src/resources/crypto/keys.ts';
import type { Queries } from '../src/resources/database/database.ts';
import { mailEventsSecret } from '../src/resources/mailer/mail-events-secret.ts';
import {
  ANALYSIS_TARGET,
  OLD_SECRET_HOURS,
  targetSecrets,
  type WebhookTarget,
} from '../src/resources/outbound-http/webhook-targets.ts';

/** Secrets that the operator chose. */
type SecretSettings = Pick<Settings, 'MAIL_EVENTS_SECRET' | 'ANALYSIS_WEBHOOK_SECRET'>;

/** A request of the operator that cannot be carried out: `message` is the sentence to print. */
export class EventsError extends Error {}

/** How to use it. */
export const EVENTS_USAGE = `npm run events -- list             targets, their state, the last events that did not arrive
npm run events -- show ID          one event: every attempt, and what was answered
npm run events -- replay ID        sends one event again, under the same id
npm run events -- replay TARGET    sends all dead letters of a target again
npm run events -- pause TARGET     keeps its events back; resume TARGET lets them go (also after a 410)
npm run events -- secret TARGET    prints what signs for it
npm run events -- secret mail      prints what has to sign notices of bounces to /webhooks/mail
npm run events -- rotate TARGET    makes a new secret; for ${OLD_SECRET_HOURS} hours the old one signs as well
npm run events -- test TARGET      sends an event of the kind test`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DEAD_SHOWN = 50;

/**
 * Carries one command out and gives what to print. The running product sends within seconds.
 *
 * @throws EventsError
 */
export async function manageEvents(
  database: Queries & { transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> },
  keys: Keys,
  [command = '', subject = '']: readonly string[],
  settings: SecretSettings = { MAIL_EVENTS_SECRET: '', ANALYSIS_WEBHOOK_SECRET: '' },
): Promise<string> {
  if (command === 'secret' && subject === 'mail') return mailEventsSecret({ keys, settings });
  if (command === 'list') return list(database);
  if (command === 'show' && UUID.test(subject)) return show(database, subject);
  if (command === 'replay' && UUID.test(subject)) {
    return report(await replay(database, 'id = $1 and state <> $2', [subject, 'pending']));
  }
  const changes: Record<string, (target: WebhookTarget) => Promise<string>> = {
    replay: async ({ name }) => report(await replay(database, 'target = $1 and state = $2', [name, 'dead'])),
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
      const row = await database.one<WebhookTarget>(
        `update private.webhook_targets set secret_version = secret_version + 1,
                previous_until = now() + make_interval(hours => $2) where name = $1 returning *`,
        [name, OLD_SECRET_HOURS],
      );
      return `${targetSecrets(keys, row)[0]}\nThe old secret signs as well for ${OLD_SECRET_HOURS} hours.`;
    },
    test: async ({ name }) => {
      const { id } = await database.one<{ id: string }>(
        `insert into private.outbox_events (kind, subject_id, target, data)
         values ('test', gen_random_uuid(), $1, '{"test": true}') returning id`,
        [name],
      );
      return `Event ${id} is on its way: npm run events -- show ${id}`;
    },
  };
  const change = changes[command];
  if (change === undefined || subject === '') throw new EventsError(EVENTS_USAGE);
  const target = await database.maybe<WebhookTarget>(
    'select * from private.webhook_targets where name = $1',
    [subject],
  );
  if (target === undefined)
    throw new EventsError(`There is no target ${subject}: see npm run events -- list.`);
  const isSet = subject === ANALYSIS_TARGET && settings.ANALYSIS_WEBHOOK_SECRET !== '';
  if (isSet && ['secret', 'rotate'].includes(command)) {
    throw new EventsError(
      'The setting ANALYSIS_WEBHOOK_SECRET signs for it: write new,old there, and drop the old one after a day.',
    );
  }
  return change(target);
}

const report = (count: number): string => `${count} ${count === 1 ? 'event is' : 'events are'} sent again.`;

/** Starts the schedule of attempts anew; what was tried stays recorded. */
function replay(database: Queries, which: string, values: readonly string[]): Promise<number> {
  return database.run(
    `update private.outbox_events set state = 'pending', attempts = 0, queued_at = null, due_at = null,
            updated_at = now() where ${which}`,
    values,
  );
}

async function list(database: Queries): Promise<string> {
  const targets = await database.many<WebhookTarget & Record<string, string> & { active: boolean }>(
    `select t.*, count(e.id) filter (where e.state = 'pending') as pending,
            count(e.id) filter (where e.state = 'delivered') as delivered,
            count(e.id) filter (where e.state = 'dead') as dead
     from private.webhook_targets t left join private.outbox_events e on e.target = t.name
     group by t.name order by t.name`,
  );
  const dead = await database.many<Record<string, string>>(
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

function stateOf(target: WebhookTarget & { active: boolean }): string {
  if (!target.active) return 'not in the settings';
  if (target.disabled_at !== null) return 'disabled by its 410';
  return target.paused_at === null ? 'open' : 'paused';
}

async function show(database: Queries, id: string): Promise<string> {
  const event = await database.maybe<object>('select * from private.outbox_events where id = $1', [id]);
  if (event === undefined) throw new EventsError(`There is no event ${id}.`);
  const attempts = await database.many<object>(
    'select attempt, status, duration_ms, created_at, reply from private.deliveries where event_id = $1 order by id',
    [id],
  );
  return JSON.stringify({ ...event, deliveries: attempts }, null, 2);
}
