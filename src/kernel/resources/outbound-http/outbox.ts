import type { Settings } from '../../config/settings.ts';
import type { Keys } from '../crypto/keys.ts';
import type { Database, Queries } from '../database/database.ts';
import { type Attempt, defineDelivery, judgeReply } from '../jobs/delivery-retries.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log/log.ts';
import {
  OutboundBlocked,
  type OutboundHttp,
  type OutboundReply,
  type OutboundRequest,
} from './outbound-http.ts';
import { signedHeaders } from './webhook-signature.ts';
import {
  configuredTargets,
  saveTargets,
  TARGET_COLUMNS,
  targetSecrets,
  type WebhookTarget,
} from './webhook-targets.ts';

declare module '../database/json-columns.ts' {
  interface JsonColumns {
    'private.outbox_events.data': Record<string, unknown>;
  }
}

/** An event that is sent to another server; its id is the `webhook-id` of every attempt. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: string;
  /** Id of the row that the event is about, e.g. of the analysis. */
  readonly subjectId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly createdAt: Date;
}

/** A message. It is composed again for each attempt, so that the outbox stores no personal data. */
export interface OutboxMessage {
  /** Sends the request, with `OutboundHttp` to another server or with `requestOwnServer` to this one. */
  send(request: Omit<OutboundRequest, 'url'>): Promise<OutboundReply>;
  /** The secrets that sign it, each `whsec_…` (Standard Webhooks); the secrets of its target unless given. */
  readonly secrets?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** How a delivery ended: accepted by a 2xx, or given up. `status` is 0 when there was no reply. */
export type OutboxOutcome =
  | { readonly accepted: true; readonly status: number; readonly body: Buffer }
  | { readonly accepted: false; readonly status: number; readonly body: string };

/** How a feature handles one kind of event. */
export interface OutboxKind {
  /** The message to send; undefined when the event is no longer needed: it is then cancelled. */
  compose(event: OutboxEvent): Promise<OutboxMessage | undefined>;
  /** Called in the transaction that records the end of the delivery; may be called again after a crash. */
  settled(queries: Queries, event: OutboxEvent, outcome: OutboxOutcome): Promise<void>;
}

/** Events for other servers, each delivered at least once (docs/contracts/documents.md §7.3). */
export interface Outbox {
  define(kind: string, handler: OutboxKind): void;
  /**
   * Adds an event in the transaction of `queries`: it is sent if and only if the transaction commits. Each
   * `target` of the settings has a queue of its own, can be paused, and is disabled when it replies 410.
   */
  add(queries: Queries, kind: string, subjectId: string, target?: string): Promise<void>;
}

const JOB = 'deliver-event';
/** A reply may contain a whole report; only the first KEPT_CHARACTERS of it are stored. */
const REPLY_BYTES = 5 * 1024 * 1024;
const KEPT_CHARACTERS = 2048;

/**
 * The channel that is notified of an event without a job: one that was announced by a trigger, replayed, or
 * released from a pause.
 * @trigger private.outbox_events notify_waiting
 * @trigger private.webhook_targets notify_waiting
 */
const WAITING = 'outbox_waiting';
/** The job of a planned attempt that is this late is taken for lost. */
const LOST_MINUTES = 15;
const KEPT_DAYS = 30;

interface OutboxParts {
  readonly settings: Settings;
  readonly keys: Keys;
  readonly database: Database;
  readonly jobs: Jobs;
  readonly outbound: OutboundHttp;
  readonly log: Log;
}

/**
 * Opens the outbox on the tables `private.outbox_events`, `deliveries` and `webhook_targets`. Call it before
 * `jobs.start`, because it defines jobs.
 */
export async function openOutbox(parts: OutboxParts): Promise<Outbox> {
  const { database, jobs, keys } = parts;
  const kinds = new Map<string, OutboxKind>();
  const configured = configuredTargets(parts.settings);
  const names = configured.map(({ name }) => name);
  await database.transaction((queries) => saveTargets(queries, configured));

  async function attempt(id: string): Promise<Attempt | undefined> {
    const row = await database.maybe(
      `select id, kind, subject_id, attempts, created_at, target, data from private.outbox_events
       where id = $1 and state = 'pending'`,
      [id],
    );
    if (row === undefined) return undefined;
    const target = await database.maybe(
      `select ${TARGET_COLUMNS} from private.webhook_targets where name = $1`,
      [row.target],
    );
    if (target !== undefined && target.paused_at !== null) {
      await database.run('update private.outbox_events set queued_at = null where id = $1', [id]);
      return undefined;
    }
    const kind = row.data === null ? kinds.get(row.kind) : announcement(parts, row.data, target);
    if (kind === undefined) return undefined;
    const event = {
      id,
      kind: row.kind,
      subjectId: row.subject_id,
      attempt: row.attempts + 1,
      createdAt: row.created_at,
    };
    const message = await kind.compose(event);
    if (message === undefined) {
      await database.run("update private.outbox_events set state = 'cancelled' where id = $1", [id]);
      return undefined;
    }
    const sent = await timedSend(message, event, { target, keys });
    const { outcome, askedSeconds } = judgeReply(sent.reply);
    return {
      outcome,
      ...(askedSeconds === undefined ? {} : { askedSeconds }),
      async settle(queries, due) {
        await record(queries, event, sent, due);
        if (outcome === 'gone') await disable(queries, row.target);
        if (due === undefined) await kind.settled(queries, event, outcomeOf(sent.reply));
      },
    };
  }

  const delivery = defineDelivery(parts, {
    // One queue for each target, so that a dead target does not delay the others.
    queues: Object.fromEntries([[queueOf(null), 3], ...names.map((name) => [queueOf(name), 2] as const)]),
    attempt,
    waiting: {
      round: 'events without a job',
      channel: WAITING,
      take: (queries) => takeWaiting(queries, names),
    },
  });
  jobs.everyByOne('old events', 3600, async () => {
    await database.run(
      `delete from private.outbox_events where state in ('delivered', 'cancelled')
         and updated_at < now() - make_interval(days => $1)`,
      [KEPT_DAYS],
    );
  });
  return {
    define(kind, handler) {
      kinds.set(kind, handler);
    },
    async add(queries, kind, subjectId, target) {
      const { id } = await queries.one(
        `insert into private.outbox_events (kind, subject_id, target, queued_at, due_at)
         values ($1, $2, $3, now(), now()) returning id`,
        [kind, subjectId, target ?? null],
      );
      await delivery.add(queries, { id, queue: queueOf(target ?? null) });
    },
  };
}

const queueOf = (target: string | null): string => (target === null ? JOB : `${JOB}.${target}`);

/** An attempt: the reply or the error, and the milliseconds that it took. */
interface SentAttempt {
  readonly reply: OutboundReply | Error;
  readonly ms: number;
}

async function timedSend(
  message: OutboxMessage,
  event: OutboxEvent,
  { target, keys }: { target: WebhookTarget | undefined; keys: Keys },
): Promise<SentAttempt> {
  const started = performance.now();
  const disabled = target !== undefined && target.disabled_at !== null;
  const reply = disabled
    ? new OutboundBlocked('The target answered 410 Gone and is disabled.')
    : await send(message, event, target === undefined ? [] : targetSecrets(keys, target)).catch(
        (error: Error) => error,
      );
  return { reply, ms: Math.round(performance.now() - started) };
}

/** How an event that a trigger wrote (`private.announce`) is sent to one automation. */
function announcement(
  { outbound }: OutboxParts,
  data: object,
  target: WebhookTarget | undefined,
): OutboxKind | undefined {
  if (target === undefined) return undefined;
  return {
    async compose(event) {
      const { id: deliveryId, kind, createdAt } = event;
      return {
        send: (request) => outbound.request({ ...request, url: target.url }),
        headers: { 'x-request-source': 'northline', 'user-agent': 'Northline/1' },
        body: { type: kind, event: kind, deliveryId, timestamp: createdAt.toISOString(), data },
      };
    },
    settled: async () => {},
  };
}

/** Takes the events at {@link WAITING}, and those whose job was lost. */
async function takeWaiting(queries: Queries, names: readonly string[]) {
  const rows = await queries.many(
    `update private.outbox_events set queued_at = now(), due_at = now()
       where id in (
         select e.id from private.outbox_events e left join private.webhook_targets t on t.name = e.target
         where e.state = 'pending' and (e.queued_at is null or e.due_at < now() - make_interval(mins => $2))
           and (e.target is null or (e.target = any ($1) and t.paused_at is null))
         order by e.created_at limit 200 for update of e skip locked)
       returning id, target`,
    [names, LOST_MINUTES],
  );
  return rows.map(({ id, target }) => ({ id, queue: queueOf(target) }));
}

async function disable(queries: Queries, target: string | null): Promise<void> {
  await queries.run('update private.webhook_targets set disabled_at = now() where name = $1', [target]);
}

async function send(
  message: OutboxMessage,
  event: OutboxEvent,
  targetSecrets: readonly string[],
): Promise<OutboundReply> {
  const body = JSON.stringify(message.body);
  const secrets = message.secrets ?? targetSecrets;
  if (secrets.length === 0) throw new OutboundBlocked('There is no secret to sign with.');
  return message.send({
    method: 'POST',
    maxBytes: REPLY_BYTES,
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...message.headers,
      ...signedHeaders(event.id, body, secrets),
      'idempotency-key': event.id,
    },
  });
}

function outcomeOf(reply: OutboundReply | Error): OutboxOutcome {
  if (judgeReply(reply).outcome !== 'delivered' || reply instanceof Error) {
    return { accepted: false, status: reply instanceof Error ? 0 : reply.status, body: textOf(reply) };
  }
  return { accepted: true, status: reply.status, body: reply.body };
}

/** Records an attempt. @param due when the next one is made; undefined when the event is delivered or given up */
async function record(
  queries: Queries,
  event: OutboxEvent,
  { reply, ms }: SentAttempt,
  due: Date | undefined,
): Promise<void> {
  await queries.run(
    'insert into private.deliveries (event_id, attempt, status, reply, duration_ms) values ($1, $2, $3, $4, $5)',
    [event.id, event.attempt, reply instanceof Error ? null : reply.status, textOf(reply), ms],
  );
  const ended = outcomeOf(reply).accepted ? 'delivered' : 'dead';
  await queries.run(
    `update private.outbox_events set state = $2, attempts = $3, updated_at = now(),
            due_at = coalesce($4, now()) where id = $1`,
    [event.id, due === undefined ? ended : 'pending', event.attempt, due ?? null],
  );
}

function textOf(reply: OutboundReply | Error): string {
  const text = reply instanceof Error ? reply.message : reply.body.toString('utf8');
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, KEPT_CHARACTERS);
}
