import type { Database, Queries } from '../database/database.ts';
import type { Log } from '../log/log.ts';
import { OutboundBlocked, type OutboundReply } from '../outbound-http/outbound-http.ts';
import type { Jobs } from './jobs.ts';

/**
 * How one attempt ended. `again`: another attempt may succeed. `gone`: the receiver wants nothing more.
 * `refused`: the receiver does not take this one, or it may not be called.
 */
export type Outcome = 'delivered' | 'again' | 'gone' | 'refused';

/** One attempt, before it is recorded. */
export interface Attempt {
  readonly outcome: Outcome;
  /** Seconds that the receiver asked us to wait. */
  readonly askedSeconds?: number;
  /**
   * Records the outcome, in the transaction that plans the next attempt.
   *
   * @param due when the next attempt is made, by the database's clock; undefined when none follows
   */
  settle(queries: Queries, due: Date | undefined): Promise<void>;
}

/** Something to deliver: a row of a table, by its id. */
export interface Parcel {
  readonly id: string;
  /** The queue that it waits in; the first one unless given. */
  readonly queue?: string;
  /** Its owner, for `perGroup`. */
  readonly group?: string;
}

/** How one kind of parcel is delivered. */
export interface DeliveryPlan {
  /** The kinds of jobs, each with how many parcels of it one process delivers at once. */
  readonly queues: Readonly<Record<string, number>>;
  /** How many parcels of one group all processes together deliver at once; no limit when left out. */
  readonly perGroup?: number;
  /** Makes one attempt; undefined when there is nothing to deliver any more. An error counts as a crash. */
  attempt(id: string): Promise<Attempt | undefined>;
  /** Rows that wait without a job, e.g. because a trigger wrote them or an operator wants another try. */
  readonly waiting?: {
    /** Name of the round that looks for them. */
    readonly round: string;
    /** The channel that PostgreSQL notifies of them. */
    readonly channel: string;
    /** Marks some of them as queued and returns them. */
    take(queries: Queries): Promise<readonly Parcel[]>;
  };
}

/** Delivers rows of a table to other servers, each at least once. */
export interface Delivery {
  /** Plans the first attempt in the caller's transaction: it is made if and only if that commits. */
  add(queries: Queries, parcel: Parcel): Promise<void>;
}

/** Seconds before each further attempt (docs/contracts/documents.md §7.3), ±20 %. */
const DELAYS = [5, 30, 120, 600, 3600, 21_600];
const JITTER = 0.2;
const LONGEST_RETRY_AFTER = 3600;
/** Seconds after which rows without a job are looked for without a notification, because one may be lost. */
const LOOK_SECONDS = 15;
/** The job's own retries are for crashes between two steps. */
const CRASH_POLICY = { retries: 5, retryDelaySeconds: 2, timeoutSeconds: 120 };

interface DeliveryJob {
  readonly id: string;
  readonly group?: string;
  /** Attempts so far; left out for the first one. */
  readonly attempts?: number;
}

/** Defines the jobs of a delivery. Call it before `jobs.start`. */
export function defineDelivery(
  { database, jobs, log }: { database: Database; jobs: Jobs; log: Log },
  plan: DeliveryPlan,
): Delivery {
  const [first = ''] = Object.keys(plan.queues);
  const add = (queries: Queries, { id, queue = first, group }: Parcel) =>
    jobs.add(queries, queue, group === undefined ? { id } : { id, group }, {
      key: id,
      ...(group === undefined ? {} : { group }),
    });

  async function deliver(queue: string, job: DeliveryJob): Promise<void> {
    const { id, group, attempts = 0 } = job;
    const attempt = await plan.attempt(id);
    if (attempt === undefined) return;
    const { outcome, askedSeconds = 0 } = attempt;
    const delay = outcome === 'again' ? DELAYS[attempts] : undefined;
    await database.transaction(async (queries) => {
      if (delay === undefined) return attempt.settle(queries, undefined);
      // By the database's clock, because that of a process may be wrong.
      const { due } = await queries.one('select coalesce(now() + make_interval(secs => $1), now()) as due', [
        waitingSeconds(delay, askedSeconds),
      ]);
      await attempt.settle(queries, due);
      await jobs.add(
        queries,
        queue,
        { ...job, attempts: attempts + 1 },
        {
          after: due,
          key: `${id} ${attempts + 1}`,
          ...(group === undefined ? {} : { group }),
        },
      );
    });
    if (outcome !== 'delivered') log.warn({ queue, id, attempts, outcome }, 'a delivery did not succeed');
  }

  for (const [queue, concurrency] of Object.entries(plan.queues)) {
    const policy = { ...CRASH_POLICY, concurrency };
    jobs.define<DeliveryJob>(
      queue,
      plan.perGroup === undefined ? policy : { ...policy, perGroup: plan.perGroup },
      ({ data }) => deliver(queue, data),
    );
  }
  const { waiting } = plan;
  if (waiting !== undefined) {
    const queueWaiting = () =>
      database.transaction(async (queries) => {
        for (const parcel of await waiting.take(queries)) await add(queries, parcel);
      });
    jobs.every(waiting.round, LOOK_SECONDS, queueWaiting, waiting.channel);
  }
  return { add };
}

function waitingSeconds(delay: number, asked: number): number {
  const jittered = delay * (1 - JITTER + 2 * JITTER * Math.random());
  return Math.max(jittered, Math.min(asked, LONGEST_RETRY_AFTER));
}

/**
 * Judges the reply of a server, or the error that came in its place (docs/contracts/documents.md §7.3): without a
 * network, after 408, 425, 429 and 5xx another attempt may succeed.
 */
export function judgeReply(reply: OutboundReply | Error): Pick<Attempt, 'outcome' | 'askedSeconds'> {
  if (reply instanceof Error) return { outcome: reply instanceof OutboundBlocked ? 'refused' : 'again' };
  const { status } = reply;
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  if (status === 410) return { outcome: 'gone' };
  if (status < 500 && ![408, 425, 429].includes(status)) return { outcome: 'refused' };
  return { outcome: 'again', askedSeconds: Number(reply.headers['retry-after'] ?? 0) || 0 };
}
