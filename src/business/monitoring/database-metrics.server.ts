import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../kernel/resources/database/database.ts';

/** A figure from the database, with its labels. */
interface Figure {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Every figure from the database: name, description, labels. */
const FIGURES: readonly { readonly name: string; readonly help: string; readonly labelNames: string[] }[] = [
  { name: 'northline_jobs', help: 'Jobs, by kind and state.', labelNames: ['kind', 'state'] },
  {
    name: 'northline_jobs_oldest_seconds',
    help: 'Seconds that the oldest due job has waited.',
    labelNames: [],
  },
  {
    name: 'northline_outbox_events',
    help: 'Events that are waiting (pending) or were given up (dead), by target.',
    labelNames: ['target', 'state'],
  },
  {
    name: 'northline_outbox_oldest_seconds',
    help: 'Age of the oldest undelivered event of the targets that are not paused.',
    labelNames: [],
  },
  { name: 'northline_mails', help: 'Mails of the last seven days, by state.', labelNames: ['state'] },
  { name: 'northline_mail_oldest_seconds', help: 'Age of the oldest waiting mail.', labelNames: [] },
  {
    name: 'northline_calls',
    help: 'Calls: in progress in all processes, and begun in the last 24 hours.',
    labelNames: ['range'],
  },
  { name: 'northline_call_seconds', help: 'Seconds of calls in the last 24 hours.', labelNames: [] },
  { name: 'northline_call_cost_dollars', help: 'Cost of the calls of the last 24 hours.', labelNames: [] },
  {
    name: 'northline_call_turn_seconds',
    help: 'Mean time to an answer in the calls of the last hour, and its parts.',
    labelNames: ['part'],
  },
  {
    name: 'northline_recordings_refused',
    help: 'Recordings of calls that could not be stored; their files are still where they were made.',
    labelNames: [],
  },
  {
    name: 'northline_credits',
    help: 'Sum of the credits in the ledger, by kind of entry.',
    labelNames: ['kind'],
  },
  {
    name: 'northline_money_minor_units',
    help: 'Invoices by currency, in its smallest unit such as pence, cents or yen: requested, still open, refunded.',
    labelNames: ['kind', 'currency'],
  },
  {
    name: 'northline_subscriptions',
    help: 'Subscriptions, by tier and status.',
    labelNames: ['tier', 'status'],
  },
  { name: 'northline_payment_events_open', help: 'Unprocessed payment events.', labelNames: [] },
  { name: 'northline_analyses', help: 'Analyses of the last 24 hours, by state.', labelNames: ['state'] },
  {
    name: 'northline_enquiries',
    help: 'Enquiries without a reply: all (open), and those past their due time (overdue).',
    labelNames: ['state'],
  },
  { name: 'northline_users', help: 'Accounts.', labelNames: [] },
  { name: 'northline_database_bytes', help: 'Size of the database.', labelNames: [] },
  {
    name: 'northline_backup_timestamp_seconds',
    help: 'When the last successful backup ended, seconds since 1970; 0 = no backup.',
    labelNames: [],
  },
  {
    name: 'northline_backup_failed',
    help: '1 when the latest attempt at a backup failed.',
    labelNames: [],
  },
  {
    name: 'northline_backup_verified_timestamp_seconds',
    help: 'When a restore into a scratch folder last was right, seconds since 1970: of a backup, of the latest second.',
    labelNames: ['kind'],
  },
  {
    name: 'northline_backup_verification_failed',
    help: '1 when the latest restore into a scratch folder failed or found faults.',
    labelNames: ['kind'],
  },
];

/**
 * Adds the figures of the database, read once for each scrape. If the database is unavailable,
 * `northline_database_up` is 0 and the other figures are missing.
 */
export function measureDatabase(database: Database, register: Registry): { read(): Promise<void> } {
  const registers = [register];
  const up = new Gauge({
    name: 'northline_database_up',
    help: '1 while the database answers.',
    registers,
  });
  const gauges = new Map(FIGURES.map((one) => [one.name, new Gauge<string>({ ...one, registers })]));
  return {
    async read() {
      const figures = await readFigures(database).catch(() => undefined);
      up.set(figures === undefined ? 0 : 1);
      for (const one of gauges.values()) one.reset();
      for (const { name, labels, value } of figures ?? []) gauges.get(name)?.set({ ...labels }, value);
    },
  };
}

async function readFigures(database: Database): Promise<Figure[]> {
  return database.transaction(async (queries) => {
    await queries.run("select set_config('statement_timeout', '5s', true)");
    return [
      ...(await readQueues(queries)),
      ...(await readCalls(queries)),
      ...(await readMoney(queries)),
      ...(await readRest(queries)),
    ];
  });
}

type Reader = (queries: Parameters<Parameters<Database['transaction']>[0]>[0]) => Promise<Figure[]>;
const figure = (name: string, value: unknown, labels: Figure['labels'] = {}): Figure => ({
  name: `northline_${name}`,
  labels,
  value: Number(value ?? 0),
});

const readQueues: Reader = async (queries) => {
  const jobs = await queries.many(
    `select name as kind, state::text as state, count(*) as count,
            max(extract(epoch from now() - start_after)) filter (where state::text in ('created', 'retry')) as late
     from private.job where state::text in ('created', 'retry', 'active', 'failed') group by 1, 2`,
  );
  const events = await queries.many(
    `select coalesce(e.target, 'own') as target, e.state, count(*) as count,
            max(extract(epoch from now() - e.created_at))
              filter (where e.state = 'pending' and t.paused_at is null and t.disabled_at is null) as age
     from private.outbox_events e left join private.webhook_targets t on t.name = e.target
     where e.state in ('pending', 'dead') group by 1, 2`,
  );
  const mails = await queries.many(
    `select state, count(*) as count,
            max(extract(epoch from now() - created_at)) filter (where state = 'waiting') as age
     from private.mails group by 1`,
  );
  const oldest = (ages: unknown[]): number => Math.max(0, ...ages.map((age) => Number(age ?? 0)));
  return [
    ...jobs.map(({ kind, state, count }) => figure('jobs', count, { kind, state })),
    figure('jobs_oldest_seconds', oldest(jobs.map(({ late }) => late))),
    ...events.map(({ target, state, count }) =>
      figure('outbox_events', count, { target: target ?? '', state }),
    ),
    figure('outbox_oldest_seconds', oldest(events.map(({ age }) => age))),
    ...mails.map(({ state, count }) => figure('mails', count, { state })),
    figure('mail_oldest_seconds', oldest(mails.map(({ age }) => age))),
  ];
};

const readCalls: Reader = async (queries) => {
  const { active } = await queries.one('select count(*) as active from private.voice_live_calls');
  const { refused } = await queries.one(
    'select count(*) as refused from private.voice_recordings where refused is not null',
  );
  const day = await queries.one(
    `select count(*) as begun,
            coalesce(sum(extract(epoch from coalesce((body ->> 'endedAt')::timestamptz, now())
              - (body ->> 'startedAt')::timestamptz)), 0) as seconds,
            coalesce(sum((body ->> 'cost')::numeric), 0) as cost
     from private.voice_records
     where kind = 'call' and created_at > now() - interval '24 hours' and body ? 'startedAt'`,
  );
  const parts = await queries.many(
    `select part.key as part, avg(part.value::text::numeric) / 1000 as seconds
     from private.voice_records, jsonb_each(body #> '{artifact,performanceMetrics}') part
     where kind = 'call' and created_at > now() - interval '1 hour' and part.key like '%LatencyAverage'
       and jsonb_typeof(body #> '{artifact,performanceMetrics}') = 'object'
     group by 1`,
  );
  return [
    figure('calls', active, { range: 'active' }),
    figure('calls', day.begun, { range: 'day' }),
    figure('call_seconds', day.seconds),
    figure('call_cost_dollars', day.cost),
    figure('recordings_refused', refused),
    ...parts.map(({ part, seconds }) =>
      figure('call_turn_seconds', seconds, { part: (part ?? '').replace('LatencyAverage', '') }),
    ),
  ];
};

const readMoney: Reader = async (queries) => {
  const credits = await queries.many(
    `select kind, sum(amount) as amount from public.credit_transactions where state <> 'returned' group by 1`,
  );
  const invoices = await queries.many(
    `select currency, coalesce(sum(total), 0) as total, coalesce(sum(amount_remaining), 0) as open,
            coalesce(sum(refunded), 0) as refunded
     from private.payment_invoices where status <> 'void' and not private.is_demo(id) group by 1`,
  );
  const subscriptions = await queries.many(
    'select tier, status, count(*) as count from public.subscriptions where not private.is_demo(customer_id) group by 1, 2',
  );
  const { open } = await queries.one(
    'select count(*) as open from private.payment_events where handled_at is null',
  );
  return [
    ...credits.map(({ kind, amount }) => figure('credits', amount, { kind })),
    ...invoices.flatMap(({ currency, total, open, refunded }) =>
      Object.entries({ total, open, refunded }).map(([kind, sum]) =>
        figure('money_minor_units', sum, { kind, currency }),
      ),
    ),
    ...subscriptions.map(({ tier, status, count }) => figure('subscriptions', count, { tier, status })),
    figure('payment_events_open', open),
  ];
};

const readRest: Reader = async (queries) => {
  const analyses = await queries.many(
    `select state, count(*) as count from private.analyses
     where created_at > now() - interval '24 hours' group by 1`,
  );
  const verified = await queries.many(
    `select kind, extract(epoch from max(finished_at) filter (where error is null and faults = '{}')) as good,
            (array_agg(error is not null or faults <> '{}' order by finished_at desc))[1] as failed
     from private.backup_verifications group by 1`,
  );
  const row = await queries.one(
    `select (select count(*) from public.enquiries where replied_at is null) as open,
            (select count(*) from public.enquiries where replied_at is null and due_at < now()) as overdue,
            (select count(*) from auth.users where deleted_at is null) as users,
            pg_database_size(current_database()) as bytes,
            (select extract(epoch from max(finished_at)) from private.backups where error is null) as good,
            (select error is not null from private.backups order by finished_at desc limit 1) as failed`,
  );
  return [
    ...analyses.map(({ state, count }) => figure('analyses', count, { state })),
    figure('enquiries', row.open, { state: 'open' }),
    figure('enquiries', row.overdue, { state: 'overdue' }),
    figure('users', row.users),
    figure('database_bytes', row.bytes),
    figure('backup_timestamp_seconds', row.good),
    figure('backup_failed', row.failed === true ? 1 : 0),
    ...verified.flatMap(({ kind, good, failed }) => [
      figure('backup_verified_timestamp_seconds', good, { kind }),
      figure('backup_verification_failed', failed === true ? 1 : 0, { kind }),
    ]),
  ];
};
