import { Webhook } from 'standardwebhooks';
import type { Database, Queries } from '../database/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log/log.ts';
import { OutboundBlocked, type OutboundReply, type OutboundRequest } from './outbound-http.ts';

/** An event that has to reach another server; its id is the `webhook-id` of every attempt. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: string;
  /** What it is about, e.g. the analysis. */
  readonly subjectId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly createdAt: Date;
}

/** One message, made anew for each attempt, so that no personal data waits in the outbox. */
export interface OutboxMessage {
  /** Sends the request: to the world through the guarded client, or to our own server. */
  send(request: Omit<OutboundRequest, 'url'>): Promise<OutboundReply>;
  /** Signs it, `whsec_…` (Standard Webhooks). */
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** How a delivery ended: accepted by a 2xx, or given up. */
export type OutboxOutcome =
  | { readonly accepted: true; readonly status: number; readonly body: Buffer }
  | { readonly accepted: false; readonly status: number; readonly body: string };

/** What a feature says about one kind of event. */
export interface OutboxKind {
  /** Undefined when there is nothing to send any more: the event is cancelled. */
  compose(event: OutboxEvent): Promise<OutboxMessage | undefined>;
  /** Called in the transaction that records the end of the delivery; may be called again after a crash. */
  settled(queries: Queries, event: OutboxEvent, outcome: OutboxOutcome): Promise<void>;
}

/** Events that are delivered at least once, in the order of contract §7.3. */
export interface Outbox {
  define(kind: string, handler: OutboxKind): void;
  /** Adds an event in the transaction of `queries`: it is sent exactly when the change is committed. */
  add(queries: Queries, kind: string, subjectId: string): Promise<void>;
}

const JOB = 'deliver-event';
/** Seconds before each further attempt (contract §7.3), ±20 %. */
const DELAYS = [5, 30, 120, 600, 3600, 21_600];
const JITTER = 0.2;
const LONGEST_RETRY_AFTER = 3600;
/** A synchronous answer may carry a whole report; 2 KB of it are kept. */
const REPLY_BYTES = 5 * 1024 * 1024;
const KEPT_CHARACTERS = 2048;

interface EventRow {
  readonly id: string;
  readonly kind: string;
  readonly subject_id: string;
  readonly attempts: number;
  readonly created_at: Date;
}

/** Opens the outbox on `private.outbox_events` and `private.deliveries`. */
export function createOutbox(database: Database, jobs: Jobs, log: Log): Outbox {
  const kinds = new Map<string, OutboxKind>();

  async function deliver(id: string): Promise<void> {
    const row = await database.maybe<EventRow>(
      "select id, kind, subject_id, attempts, created_at from private.outbox_events where id = $1 and state = 'pending'",
      [id],
    );
    const kind = row && kinds.get(row.kind);
    if (row === undefined || kind === undefined) return;
    const attempt = row.attempts + 1;
    const event = { id, kind: row.kind, subjectId: row.subject_id, attempt, createdAt: row.created_at };
    const message = await kind.compose(event);
    if (message === undefined) {
      await database.run("update private.outbox_events set state = 'cancelled' where id = $1", [id]);
      return;
    }
    const started = performance.now();
    const reply = await send(message, event).catch((error: Error) => error);
    const ms = Math.round(performance.now() - started);
    const verdict = judge(reply, attempt);
    await database.transaction(async (queries) => {
      await record(queries, event, reply, ms, verdict.state);
      if (verdict.state === 'pending') {
        await jobs.add(
          queries,
          JOB,
          { id },
          { after: new Date(Date.now() + verdict.seconds * 1000), key: `${id} ${attempt}` },
        );
      } else await kind.settled(queries, event, verdict.outcome);
    });
    if (verdict.state !== 'delivered')
      log.warn({ event: id, kind: row.kind, attempt, state: verdict.state }, 'an event was not delivered');
  }

  jobs.define<{ id: string }>(
    JOB,
    { retries: 5, retryDelaySeconds: 2, timeoutSeconds: 120, concurrency: 3 },
    ({ data }) => deliver(data.id),
  );

  return {
    define(kind, handler) {
      kinds.set(kind, handler);
    },
    async add(queries, kind, subjectId) {
      const { id } = await queries.one<{ id: string }>(
        'insert into private.outbox_events (kind, subject_id) values ($1, $2) returning id',
        [kind, subjectId],
      );
      await jobs.add(queries, JOB, { id }, { key: id });
    },
  };
}

async function send(message: OutboxMessage, event: OutboxEvent): Promise<OutboundReply> {
  const body = JSON.stringify(message.body);
  const now = new Date();
  return message.send({
    method: 'POST',
    maxBytes: REPLY_BYTES,
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...message.headers,
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(message.secret).sign(event.id, now, body),
      'idempotency-key': event.id,
    },
  });
}

type Verdict =
  | { readonly state: 'pending'; readonly seconds: number }
  | { readonly state: 'delivered' | 'dead'; readonly outcome: OutboxOutcome };

/** Accepted, to be tried again, or given up (contract §7.3). */
function judge(reply: OutboundReply | Error, attempt: number): Verdict {
  if (!(reply instanceof Error) && reply.status >= 200 && reply.status < 300) {
    return { state: 'delivered', outcome: { accepted: true, status: reply.status, body: reply.body } };
  }
  const status = reply instanceof Error ? 0 : reply.status;
  const passing =
    (reply instanceof Error && !(reply instanceof OutboundBlocked)) ||
    [408, 425, 429].includes(status) ||
    status >= 500;
  const delay = DELAYS[attempt - 1];
  if (passing && delay !== undefined) {
    const asked = reply instanceof Error ? 0 : Number(reply.headers['retry-after'] ?? 0) || 0;
    const jittered = delay * (1 - JITTER + 2 * JITTER * Math.random());
    return { state: 'pending', seconds: Math.max(jittered, Math.min(asked, LONGEST_RETRY_AFTER)) };
  }
  return { state: 'dead', outcome: { accepted: false, status, body: textOf(reply) } };
}

async function record(
  queries: Queries,
  event: OutboxEvent,
  reply: OutboundReply | Error,
  ms: number,
  state: Verdict['state'],
): Promise<void> {
  await queries.run(
    'insert into private.deliveries (event_id, attempt, status, reply, duration_ms) values ($1, $2, $3, $4, $5)',
    [event.id, event.attempt, reply instanceof Error ? null : reply.status, textOf(reply), ms],
  );
  await queries.run(
    'update private.outbox_events set state = $2, attempts = $3, updated_at = now() where id = $1',
    [event.id, state, event.attempt],
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
