import pg from 'pg';
import { FairQueue } from '../../concurrency/fair-queue.ts';
import { ServiceError } from '../../contract/service-error.ts';
import type { Log } from '../log/log.ts';
import { activeTrace } from '../tracing/active-trace.ts';
import { statementName } from '../tracing/statement-name.ts';
import { NO_TRACING, type Tracing } from '../tracing/tracing.ts';
import { type Caller, statementTimeoutOf } from './caller.ts';
import { CallerStatement, type RequestOfStatement, type StatementResult } from './caller-statement.ts';
import type { FixedSql, RowOf, UncheckedSql, ValuesOf } from './fixed-sql.ts';
import { NotificationListener } from './notification-listener.ts';
import { runPrepared } from './prepared-statements.ts';

/**
 * The statements that work can run inside a transaction. Text is SQL with `$1`; values never go into the
 * text. A fixed text has the types that `statements.generated.ts` derived from the schema; int8 and numeric
 * arrive as strings.
 */
export interface Queries {
  /** All rows. */
  many<Text extends FixedSql>(text: Text, ...values: ValuesOf<Text>): Promise<RowOf<Text>[]>;
  many<Row extends object>(text: UncheckedSql<Row>, values?: readonly unknown[]): Promise<Row[]>;

  /** The first row or undefined. */
  maybe<Text extends FixedSql>(text: Text, ...values: ValuesOf<Text>): Promise<RowOf<Text> | undefined>;
  maybe<Row extends object>(text: UncheckedSql<Row>, values?: readonly unknown[]): Promise<Row | undefined>;

  /** The only row; throws when it is missing, which is a bug. */
  one<Text extends FixedSql>(text: Text, ...values: ValuesOf<Text>): Promise<RowOf<Text>>;
  one<Row extends object>(text: UncheckedSql<Row>, values?: readonly unknown[]): Promise<Row>;

  /** Returns the number of rows changed. */
  run<Text extends FixedSql>(text: Text, ...values: ValuesOf<Text>): Promise<number>;
  run(text: UncheckedSql<object>, values?: readonly unknown[]): Promise<number>;
}

/**
 * Work under callers' rights. All callers without a session share half of the connections, and each of their
 * statements may take three seconds. @throws ServiceError 503 `database_unavailable` when too many of them
 * wait
 */
export interface CallersWork {
  /** Several statements under a caller's rights. Never wait for the network inside. */
  asCaller<T>(caller: Caller, work: (queries: Queries) => Promise<T>): Promise<T>;
  /** One statement under a caller's rights in one round trip; values and results are text. */
  statementAsCaller(
    caller: Caller,
    statement: {
      text: string;
      values: (string | null)[];
      readOnly: boolean;
      request?: RequestOfStatement;
    },
  ): Promise<StatementResult>;
}

/** The product's database: our own work as its owner, and callers' work under their rights. */
export interface Database extends Queries, CallersWork {
  /**
   * Several statements that happen together or not at all, as the owner (past row level security). A statement waits for
   * another one's lock for `lockMs` at most, if given; then it fails with SQLSTATE 55P03.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>, limits?: { readonly lockMs?: number }): Promise<T>;
  /**
   * Callers' work in a pool of its own with a third as many connections, so that a flood of one service does
   * not keep another from checking rights.
   */
  readonly realtime: CallersWork;
  /** The connections of each pool now: open, in use, and requests that wait for one. */
  poolState(): Readonly<Record<'own' | 'callers' | 'realtime', PoolState>>;
  /**
   * Calls `heard` for every NOTIFY on `channel` (SQL identifier). All callers share one connection. When it
   * breaks it is opened again, and `resumed` is called once, because notifications may have been missed.
   * Resolves with a function that stops listening. @throws the driver's error when there is no connection
   */
  listen(
    channel: string,
    heard: (payload: string) => void,
    resumed?: () => void,
  ): Promise<() => Promise<void>>;
  /** How the owner connects, for a library with its own pool (the job queue). */
  readonly owner: pg.ClientConfig;
  close(): Promise<void>;
}

/** The state of a pool of connections. */
export interface PoolState {
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
}

/** Statements of callers without a session that may wait for a connection; further ones are refused. */
const MAX_ANONYMOUS_WAITING = 300;
/** The pool of realtime has this fraction of the callers' connections, but at least the minimum. */
const REALTIME_PART = 3;
const LEAST_REALTIME = 2;

/**
 * Opens the pools. `owner` migrates and does our own work. `api` is the login role `authenticator`, which has
 * no rights and can only become one of CALLER_ROLES (docs/contracts/platform.md §8).
 */
export function createDatabase(options: {
  owner: pg.ClientConfig;
  api: pg.ClientConfig;
  poolSize: number;
  log: Log;
  tracing?: Tracing;
}): Database {
  const { log, tracing = NO_TRACING } = options;
  const common = { max: options.poolSize, idleTimeoutMillis: 30_000, connectionTimeoutMillis: 10_000 };
  const ownerPool = new pg.Pool({ ...options.owner, ...common, application_name: 'northline' });
  const apiPool = new pg.Pool({ ...options.api, ...common, application_name: 'northline api' });
  const realtimePool = new pg.Pool({
    ...options.api,
    ...common,
    max: Math.max(LEAST_REALTIME, Math.ceil(options.poolSize / REALTIME_PART)),
    application_name: 'northline realtime',
  });
  // While we stop, the embedded server may end before the last connection has been closed.
  let closing = false;
  for (const pool of [ownerPool, apiPool, realtimePool]) {
    pool.on('error', (error) =>
      log[closing ? 'debug' : 'warn']({ err: error }, 'a database connection broke'),
    );
    // The pool watches a connection only while it is idle. When a connection breaks between two statements,
    // the next statement fails and so ends its own transaction. Without this listener the error would end the
    // process.
    pool.on('connect', (client) => {
      client.on('error', () => {});
      // Compiling a statement takes longer than running it, and PostgreSQL overrates tables that it never analysed.
      void client.query('set jit = off').catch(() => {});
    });
  }
  const notifications = new NotificationListener(options.owner, log);
  return {
    ...queriesOn(<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) =>
      traced(tracing, text, () => withClient(ownerPool, (client) => runPrepared<Row>(client, text, values))),
    ),
    owner: options.owner,
    transaction: (work, { lockMs } = {}) =>
      tracing.below('transaction', DATABASE_FACTS, () =>
        withClient(ownerPool, (client) =>
          inTransaction(
            client,
            lockMs === undefined ? 'begin' : `begin; set local lock_timeout = ${lockMs}`,
            () => work(clientQueries(client, tracing)),
          ).catch((error: Error) => {
            throw sqlState(error)?.code === DEADLOCK ? asUnavailable(error) : error;
          }),
        ),
      ),
    ...callersOn(apiPool, tracing),
    realtime: callersOn(realtimePool, tracing),
    poolState: () => ({
      own: stateOf(ownerPool),
      callers: stateOf(apiPool),
      realtime: stateOf(realtimePool),
    }),
    listen: (channel, heard, resumed) => notifications.listen(channel, heard, resumed),
    async close() {
      closing = true;
      await notifications.close();
      await Promise.all([ownerPool, apiPool, realtimePool].map((pool) => pool.end()));
    },
  };
}

/** SQLSTATE of a transaction that PostgreSQL ended, as it and another one waited for each other. */
const DEADLOCK = '40P01';
const UNAVAILABLE = 'database_unavailable';

/** Connections whose rollback failed: the pool must not hand them out again. */
const unusable = new WeakSet<pg.PoolClient>();
const rollBack = (client: pg.PoolClient): Promise<unknown> =>
  client.query('rollback').catch(() => unusable.add(client));

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: Error) => {
    throw asUnavailable(error);
  });
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    if (isConnectionError(error)) broken = error as Error;
    throw broken === undefined ? error : asUnavailable(error as Error);
  } finally {
    client.release(broken ?? unusable.has(client));
  }
}

async function inTransaction<T>(client: pg.PoolClient, begin: string, work: () => Promise<T>): Promise<T> {
  await client.query(begin);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await rollBack(client);
    throw error;
  }
}

function callersOn(pool: pg.Pool, tracing: Tracing): CallersWork {
  const anonymous = new FairQueue({
    places: Math.max(1, Math.floor((pool.options.max ?? LEAST_REALTIME) / 2)),
  });
  const withCaller = <T>(caller: Caller, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    if (caller.role !== 'anon') return withClient(pool, work);
    if (anonymous.waiting('anon') >= MAX_ANONYMOUS_WAITING)
      throw asUnavailable(new Error('too many visitors wait'));
    return anonymous.run('anon', () => withClient(pool, work));
  };
  return {
    asCaller: async (caller, work) =>
      tracing.below('transaction', { ...DATABASE_FACTS, 'northline.role': caller.role }, () =>
        withCaller(caller, (client) => {
          const claims = client.escapeLiteral(JSON.stringify(caller.claims));
          const limit = statementTimeoutOf(caller);
          const limited = limit === undefined ? '' : `, set_config('statement_timeout', '${limit}', true)`;
          const become = `select set_config('role', '${caller.role}', true), set_config('request.jwt.claims', ${claims}, true)${limited}`;
          return inTransaction(client, `begin; ${become}`, () => work(clientQueries(client, tracing)));
        }),
      ),
    statementAsCaller: async (caller, { text, values, readOnly, request }) =>
      traced(tracing, text, () =>
        withCaller(caller, async (client) => {
          const statement = new CallerStatement(client as unknown as pg.Client, caller, {
            text,
            values,
            readOnly,
            request,
          });
          client.query(statement);
          try {
            return await statement.done;
          } catch (error) {
            if (!isConnectionError(error)) await rollBack(client);
            throw error;
          }
        }),
      ),
  };
}

function stateOf(pool: pg.Pool): PoolState {
  return { size: pool.totalCount, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount };
}

type Ask = <Row extends pg.QueryResultRow>(
  text: string,
  values: readonly unknown[],
) => Promise<pg.QueryResult<Row>>;

function queriesOn(ask: Ask): Queries {
  const queries = {
    many: async (text: string, values: readonly unknown[] = []) => (await ask<never>(text, values)).rows,
    maybe: async (text: string, values: readonly unknown[] = []) => (await ask<never>(text, values)).rows[0],
    async one(text: string, values: readonly unknown[] = []) {
      const row = (await ask<never>(text, values)).rows[0];
      if (row === undefined) throw new Error('the statement returned no row');
      return row;
    },
    run: async (text: string, values: readonly unknown[] = []) => (await ask(text, values)).rowCount ?? 0,
  };
  return queries as Queries;
}

function clientQueries(client: pg.PoolClient, tracing: Tracing): Queries {
  return queriesOn((text, values) => traced(tracing, text, () => client.query(text, [...values])));
}

const DATABASE_FACTS = { 'db.system.name': 'postgresql' };

/** Runs a statement in a span with its name; the span includes the wait for a connection. */
function traced<T>(tracing: Tracing, text: string, work: () => Promise<T>): Promise<T> {
  if (activeTrace() === undefined) return work();
  const name = statementName(text);
  return tracing.below(name, { ...DATABASE_FACTS, 'db.query.summary': name }, work);
}

/**
 * Whether a statement failed for a reason outside itself: its connection, a deadlock, a cancellation, a lack
 * of resources. The same statement may succeed later.
 */
export function isPassingError(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code);
  return isConnectionError(error) || code === UNAVAILABLE || /^(40|53|55|57)/.test(code);
}

/**
 * Classes 08 (connection), 57P (shutdown, starting up), 53 (resources) and socket errors: the caller may
 * retry.
 */
function isConnectionError(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return (
    /^(08|57P0[123]|53[23]00|E[A-Z]+$)/.test(code ?? '') ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      message ?? '',
    )
  );
}

/** 503 with Retry-After, so that clients keep their session and try again (docs/contracts/platform.md §1). */
function asUnavailable(error: Error): ServiceError {
  return new ServiceError(
    503,
    UNAVAILABLE,
    'The service is starting or busy. Please try again in a moment.',
    {
      headers: { 'retry-after': '1' },
      cause: error,
    },
  );
}

/** The SQLSTATE and constraint of an error of the database, or undefined for any other error. */
export function sqlState(error: unknown): { code: string; constraint: string | undefined } | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return undefined;
  return { code: error.code, constraint: error.constraint };
}
