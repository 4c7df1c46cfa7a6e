import { randomUUID } from 'node:crypto';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import type { Database, Queries } from '../database/database.ts';
import type { Log } from '../log/log.ts';

/** How a kind of job is worked. */
export interface JobPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** Seconds before the first retry; each later one waits twice as long. */
  readonly retryDelaySeconds: number;
  /** Seconds after which an attempt counts as lost. */
  readonly timeoutSeconds: number;
  /** Jobs of this kind at work in one process. */
  readonly concurrency: number;
}

/** One attempt at a job. */
export interface JobAttempt<Data> {
  readonly data: Data;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** No further attempt follows when this one fails. */
  readonly last: boolean;
  /** Aborted when the attempt times out or the process stops. */
  readonly signal: AbortSignal;
}

/**
 * Background work that survives a kill at any point: a job is a row in PostgreSQL
 * (schema `private`, by pg-boss), at least once. Work must therefore be idempotent.
 */
export interface Jobs {
  /** Declares a kind of job and who works it; before `start`. A throw of `work` leads to a retry. */
  define<Data extends object>(
    name: string,
    policy: JobPolicy,
    work: (job: JobAttempt<Data>) => Promise<void>,
  ): void;
  /** Declares work to be done about every `seconds`, by each process on its own; before `start`. */
  every(name: string, seconds: number, work: () => Promise<void>): void;
  /**
   * Adds a job in the transaction of `queries`, so that it exists exactly when the change does.
   * `after` delays it; with `key`, a second job of the same kind and key that waits is not added: the
   * one that waits is worked after this transaction, and no later than this one would have been.
   */
  add(queries: Queries, name: string, data: object, options?: { after?: Date; key?: string }): Promise<void>;
  start(): Promise<void>;
  /**
   * Stops taking jobs and waits up to `seconds` for those at work; the rest is retried at the next
   * start. Jobs can still be added, so the server may be open: work under way may be calling it.
   */
  rest(seconds: number): Promise<void>;
  /** Closes the queue, after `rest` and when nobody adds jobs any more. */
  stop(): Promise<void>;
}

const POLL_SECONDS = 2;
/** With LISTEN/NOTIFY awake, polling is only the safety net. */
const POLL_SECONDS_WHEN_NOTIFIED = 20;
const HEARTBEAT_SECONDS = 30;
/** Times that a keyed job is tried to be added while another is taken at each of them. */
const KEY_ATTEMPTS = 5;

/**
 * Opens the job queue.
 *
 * @param alone no other process works on this database, so that jobs found at work at
 * the start are a killed predecessor's and go on at once
 */
export function createJobs(database: Database, alone: boolean, log: Log): Jobs {
  const boss = new PgBoss({
    ...(database.owner as object),
    schema: 'private',
    application_name: 'northline jobs',
    max: 4,
    schedule: false,
    useListenNotify: true,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue had an error'));
  const kinds: { name: string; policy: JobPolicy; begin: () => Promise<unknown> }[] = [];
  const rounds: { name: string; seconds: number; work: () => Promise<void> }[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const atWork = new Set<Promise<void>>();
  let stopping = false;

  function schedule(round: (typeof rounds)[number], delayMs: number): void {
    if (stopping) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const done = round
        .work()
        .catch((error) => log.warn({ err: error, round: round.name }, 'a periodic task failed'))
        .finally(() => {
          atWork.delete(done);
          schedule(round, round.seconds * 1000);
        });
      atWork.add(done);
    }, delayMs);
    timers.add(timer);
  }

  /** One worker of one kind: a job at a time. */
  async function beginWorker<Data extends object>(
    name: string,
    policy: JobPolicy,
    work: (job: JobAttempt<Data>) => Promise<void>,
  ): Promise<void> {
    const worker = await boss.work<never>(
      name,
      { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS_WHEN_NOTIFIED },
      async ([job]) => {
        if (job === undefined) return;
        const { data, retryCount: attempt, signal } = job;
        const last = attempt >= policy.retries;
        try {
          await work({ data, attempt, last, signal });
        } catch (error) {
          log.warn({ err: error, job: name, attempt, last }, 'a job failed');
          throw error;
        } finally {
          // Several jobs added at once wake a worker once: it asks for the next at once, not at the next poll.
          boss.notifyWorker(worker);
        }
      },
    );
  }

  return {
    define(name, policy, work) {
      kinds.push({
        name,
        policy,
        begin: () =>
          Promise.all(Array.from({ length: policy.concurrency }, () => beginWorker(name, policy, work))),
      });
    },
    every(name, seconds, work) {
      rounds.push({ name, seconds, work });
    },
    async add(queries, name, data, { after, key } = {}) {
      const db = {
        executeSql: async (text: string, values?: unknown[]) => ({
          rows: await queries.many(text, values ?? []),
        }),
      };
      const options = after === undefined ? { db } : { db, startAfter: after };
      for (let attempt = 0; key !== undefined && attempt < KEY_ATTEMPTS; attempt += 1) {
        if ((await boss.send(name, data, { ...options, singletonKey: key })) !== null) return;
        // One waits already. Locked, it cannot be taken before this transaction ends, so that whoever
        // works it sees what it was added for; were it taken between the two statements, the next
        // attempt adds one.
        const waiting = await queries.run(
          `update private.job set start_after = least(start_after, coalesce($3, now()))
           where name = $1 and singleton_key = $2 and state = 'created'`,
          [name, key, after ?? null],
        );
        if (waiting > 0) return;
      }
      await boss.send(name, data, { ...options, singletonKey: randomUUID() });
    },
    async start() {
      await boss.start();
      for (const { name, policy } of kinds) {
        const options = {
          retryLimit: policy.retries,
          retryDelay: policy.retryDelaySeconds,
          retryBackoff: true,
          expireInSeconds: policy.timeoutSeconds,
          heartbeatSeconds: HEARTBEAT_SECONDS,
          notify: true,
        };
        // 'short': at most one waiting job a key; a job without a key gets one of its own.
        await boss.createQueue(name, { policy: 'short', ...options });
        await boss.updateQueue(name, options);
      }
      if (alone) {
        await database.run(
          "update private.job set state = 'retry', start_after = now() where state = 'active'",
        );
      }
      for (const { begin } of kinds) await begin();
      for (const round of rounds) schedule(round, 0);
    },
    async rest(seconds) {
      stopping = true;
      for (const timer of timers) clearTimeout(timer);
      const finished = Promise.all([
        ...atWork,
        ...kinds.map(({ name }) => boss.offWork(name, { wait: true })),
      ]);
      const patience = new AbortController();
      await Promise.race([finished, setTimeoutAsync(seconds * 1000, undefined, { signal: patience.signal })]);
      patience.abort();
    },
    stop: () => boss.stop({ graceful: false }),
  };
}
