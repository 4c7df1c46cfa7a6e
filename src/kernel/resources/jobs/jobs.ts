import { randomUUID } from 'node:crypto';
import { PgBoss } from 'pg-boss';
import { waitAtMost } from '../bounded-wait.ts';
import type { Database, Queries } from '../database/database.ts';
import { uncheckedSql } from '../database/fixed-sql.ts';
import type { Log } from '../log/log.ts';
import { NO_TRACING, runInSpan, type Tracing } from '../tracing/tracing.ts';
import { JOB_SCHEMA } from './job-tables.ts';

/** How a kind of job is run. */
export interface JobPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** Seconds before the first retry; each later one waits twice as long. */
  readonly retryDelaySeconds: number;
  /** Seconds after which an attempt counts as lost. */
  readonly timeoutSeconds: number;
  /** Jobs of this kind that one process runs at once. */
  readonly concurrency: number;
  /** How many jobs of one group all processes together run at once; no limit when left out. */
  readonly perGroup?: number;
}

/** Options of `add`. */
export interface JobOptions {
  /** The job does not start before this time. */
  readonly after?: Date;
  /** At most one job of its kind waits with the same key. */
  readonly key?: string;
  /** The owner of the job, for `perGroup`. */
  readonly group?: string;
  /** Higher numbers run first; 0 when left out. */
  readonly priority?: number;
}

/** One attempt at a job. */
export interface JobAttempt<Data> {
  readonly data: Data;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** True when no further attempt follows a failure of this one. */
  readonly last: boolean;
  /** Aborted when the attempt times out or the process stops. */
  readonly signal: AbortSignal;
}

/**
 * Background work that survives a kill at any point: a job is a row in PostgreSQL (schema `private`, by
 * pg-boss). A job runs at least once, so its work has to be idempotent.
 */
export interface Jobs {
  /** Declares a kind of job and its handler; before `start`. An error thrown by `work` leads to a retry. */
  define<Data extends object>(
    name: string,
    policy: JobPolicy,
    work: (job: JobAttempt<Data>) => Promise<void>,
  ): void;
  /**
   * Declares work that each process does about every `seconds`; before `start`. Its name is a noun phrase, the
   * things that it looks after. With `wokenBy` it also runs
   * at once when PostgreSQL notifies that channel, and the interval is the safety net.
   */
  every(name: string, seconds: number, work: () => Promise<void>, wokenBy?: string): void;
  /**
   * Declares work that one of the processes on this database, whichever comes first, does about every
   * `seconds`; before `start`. For work that is long or calls other servers, which should not be repeated by
   * each process.
   */
  everyByOne(name: string, seconds: number, work: () => Promise<void>): void;
  /**
   * Adds a job in the transaction of `queries`, so that it exists exactly when the change does. `after`
   * delays it. With `key`, no second job of the same kind and key waits: when one already does, it runs after
   * this transaction, and no later than the new one would have.
   */
  add(queries: Queries, name: string, data: object, options?: JobOptions): Promise<void>;
  start(): Promise<void>;
  /**
   * Stops taking jobs and waits up to `seconds` for running ones; the rest is retried at the next start. Jobs
   * can still be added, so the server may stay open for requests of running jobs.
   */
  rest(seconds: number): Promise<void>;
  /** Closes the queue; call it after `rest`, once no more jobs are added. */
  stop(): Promise<void>;
}

const POLL_SECONDS = 2;
/** LISTEN/NOTIFY wakes the workers, so polling is only the safety net. */
const POLL_SECONDS_WHEN_NOTIFIED = 20;
const HEARTBEAT_SECONDS = 30;
/** How often adding a keyed job is attempted while a worker takes the waiting one each time. */
const KEY_ATTEMPTS = 5;

interface JobKind {
  readonly name: string;
  readonly policy: JobPolicy;
  readonly begin: () => Promise<unknown>;
}

/** Periodic work of this process. */
interface PeriodicTask {
  readonly name: string;
  readonly seconds: number;
  readonly work: () => Promise<void>;
  /** The channel whose notifications start it at once; none when undefined. */
  readonly wokenBy: string | undefined;
  state: 'waiting' | 'running' | 'running, once more';
  timer: NodeJS.Timeout | undefined;
}

/**
 * Opens the job queue.
 *
 * @param alone true when no other process works on this database. Jobs marked as active at the start then
 * belong to a killed predecessor and are retried at once.
 */
export function createJobs(
  database: Database,
  alone: boolean,
  { log, tracing = NO_TRACING }: { log: Log; tracing?: Tracing },
): Jobs {
  return new PgBossJobs(database, alone, { log, tracing });
}

class PgBossJobs implements Jobs {
  readonly #boss: PgBoss;
  readonly #database: Database;
  readonly #alone: boolean;
  readonly #log: Log;
  readonly #tracing: Tracing;
  readonly #kinds: JobKind[] = [];
  readonly #tasks: PeriodicTask[] = [];
  readonly #running = new Set<Promise<void>>();
  #stopping = false;

  constructor(database: Database, alone: boolean, { log, tracing }: { log: Log; tracing: Tracing }) {
    this.#tracing = tracing;
    this.#database = database;
    this.#alone = alone;
    this.#log = log;
    this.#boss = new PgBoss({
      ...(database.owner as object),
      schema: JOB_SCHEMA,
      application_name: 'northline jobs',
      max: 4,
      schedule: false,
      useListenNotify: true,
    });
    this.#boss.on('error', (error) => log.warn({ err: error }, 'the job queue had an error'));
  }

  define<Data extends object>(
    name: string,
    policy: JobPolicy,
    work: (job: JobAttempt<Data>) => Promise<void>,
  ): void {
    const begin = () =>
      Promise.all(Array.from({ length: policy.concurrency }, () => this.#beginWorker(name, policy, work)));
    this.#kinds.push({ name, policy, begin });
  }

  every(name: string, seconds: number, work: () => Promise<void>, wokenBy?: string): void {
    this.#tasks.push({ name, seconds, work, wokenBy, state: 'waiting', timer: undefined });
  }

  everyByOne(name: string, seconds: number, work: () => Promise<void>): void {
    this.every(name, seconds, async () => {
      if (await this.#isOurRound(name, seconds)) await work();
    });
  }

  /**
   * A process that starts does not repeat what another began recently. A tenth of the time is allowed for
   * differences between clocks.
   */
  async #isOurRound(name: string, seconds: number): Promise<boolean> {
    if (this.#alone) return true;
    const claimed = await this.#database.run(
      `insert into private.periodic_rounds (task) values ($1)
       on conflict (task) do update set begun_at = now()
         where periodic_rounds.begun_at <= now() - make_interval(secs => $2)`,
      [name, seconds * 0.9],
    );
    return claimed === 1;
  }

  async add(
    queries: Queries,
    name: string,
    data: object,
    { after, key, group, priority }: JobOptions = {},
  ): Promise<void> {
    const db = {
      executeSql: async (text: string, values?: unknown[]) => ({
        rows: await queries.many(uncheckedSql<object>(text, 'composed'), values ?? []),
      }),
    };
    const options = {
      db,
      ...(after === undefined ? {} : { startAfter: after }),
      ...(group === undefined ? {} : { group: { id: group } }),
      ...(priority === undefined ? {} : { priority }),
    };
    for (let attempt = 0; key !== undefined && attempt < KEY_ATTEMPTS; attempt += 1) {
      if ((await this.#boss.send(name, data, { ...options, singletonKey: key })) !== null) return;
      // One is already waiting. While this transaction locks it, no worker can take it, so its worker will
      // see this change. If a worker took it between the two statements, the next attempt adds a new one.
      const waiting = await queries.run(
        `update private.job set start_after = least(start_after, coalesce($3, now()))
         where name = $1 and singleton_key = $2 and state = 'created'`,
        [name, key, after ?? null],
      );
      if (waiting > 0) return;
    }
    await this.#boss.send(name, data, { ...options, singletonKey: randomUUID() });
  }

  async start(): Promise<void> {
    await this.#boss.start();
    await this.#openQueues();
    if (this.#alone) {
      await this.#database.run(
        "update private.job set state = 'retry', start_after = now() where state = 'active'",
      );
    }
    for (const { begin } of this.#kinds) await begin();
    for (const task of this.#tasks) {
      // Also after a gap: notifications may have been missed.
      const wake = () => this.#wake(task);
      if (task.wokenBy !== undefined) await this.#database.listen(task.wokenBy, wake, wake);
      this.#schedule(task, 0);
    }
  }

  async rest(seconds: number): Promise<void> {
    this.#stopping = true;
    for (const { timer } of this.#tasks) clearTimeout(timer);
    const finished = Promise.all([
      ...this.#running,
      ...this.#kinds.map(({ name }) => this.#boss.offWork(name, { wait: true })),
    ]);
    await waitAtMost(seconds * 1000, finished);
  }

  stop(): Promise<void> {
    return this.#boss.stop({ graceful: false });
  }

  #schedule(task: PeriodicTask, delayMs: number): void {
    if (this.#stopping) return;
    clearTimeout(task.timer);
    task.timer = setTimeout(() => this.#begin(task), delayMs);
  }

  #begin(task: PeriodicTask): void {
    task.state = 'running';
    const done = task
      .work()
      .catch((error) => this.#log.warn({ err: error, task: task.name }, 'a periodic task failed'))
      .finally(() => {
        this.#running.delete(done);
        const again = task.state === 'running, once more';
        task.state = 'waiting';
        this.#schedule(task, again ? 0 : task.seconds * 1000);
      });
    this.#running.add(done);
  }

  /** A notification that comes while the task runs may be too late for that run. */
  #wake(task: PeriodicTask): void {
    if (task.state === 'waiting') this.#schedule(task, 0);
    else task.state = 'running, once more';
  }

  /**
   * Reads all queues with one query, in place of two statements for each, and writes only those that differ.
   */
  async #openQueues(): Promise<void> {
    const known = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue as object]));
    for (const { name, policy } of this.#kinds) {
      const options = {
        retryLimit: policy.retries,
        retryDelay: policy.retryDelaySeconds,
        retryBackoff: true,
        expireInSeconds: policy.timeoutSeconds,
        heartbeatSeconds: HEARTBEAT_SECONDS,
        notify: true,
      };
      const queue = known.get(name) as Record<string, unknown> | undefined;
      // 'short': at most one waiting job per key; a job without a key gets a key of its own.
      if (queue === undefined) await this.#boss.createQueue(name, { policy: 'short', ...options });
      else if (Object.entries(options).some(([option, value]) => queue[option] !== value))
        await this.#boss.updateQueue(name, options);
    }
  }

  /** Each attempt is a trace of its own, because the request that added the job was answered long ago. */
  #inSpan(name: string, attempt: number, work: () => Promise<void>): Promise<void> {
    const facts = { 'messaging.destination.name': name, 'northline.job_attempt': attempt };
    return runInSpan(this.#tracing.begin(`job ${name}`, { kind: 'consumer', facts }), work);
  }

  /** Starts one worker of one kind; it runs one job at a time. */
  async #beginWorker<Data extends object>(
    name: string,
    policy: JobPolicy,
    work: (job: JobAttempt<Data>) => Promise<void>,
  ): Promise<void> {
    const worker = await this.#boss.work<never>(
      name,
      {
        pollingIntervalSeconds: POLL_SECONDS,
        // A group that becomes free wakes no worker, so idle ones have to poll.
        notifyPollingIntervalSeconds:
          policy.perGroup === undefined ? POLL_SECONDS_WHEN_NOTIFIED : POLL_SECONDS,
        ...(policy.perGroup === undefined ? {} : { groupConcurrency: policy.perGroup }),
      },
      async ([job]) => {
        if (job === undefined) return;
        const { data, retryCount: attempt, signal } = job;
        const last = attempt >= policy.retries;
        try {
          await this.#inSpan(name, attempt, () => work({ data, attempt, last, signal }));
        } catch (error) {
          this.#log.warn({ err: error, job: name, attempt, last }, 'a job failed');
          throw error;
        } finally {
          // Several jobs added together wake a worker once: make it fetch the next one now and not at the
          // next poll.
          this.#boss.notifyWorker(worker);
        }
      },
    );
  }
}
