import pg from 'pg';
import { ServiceError } from '../../contract/service-error.ts';
import type { Log } from '../log/log.ts';
import type { Caller } from './caller.ts';
import { CallerStatement, type StatementResult } from './caller-statement.ts';
import { runPrepared } from './prepared-statements.ts';

/** What a piece of work may ask inside a transaction. Text is SQL with `$1`; values never go into the text. */
export interface Queries {
  /** All rows. int8 and numeric arrive as strings. */
  many<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The first row or undefined. */
  maybe<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /** The only row; a missing one is a fault of ours and throws. */
  one<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row>;
  /** Number of rows touched. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

/** The product's database: our own work as its owner, and callers' work under their rights. */
export interface Database extends Queries {
  /** Several statements that happen together or not at all, as the owner (past row level security). */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Several statements under a caller's rights. Never wait for the network inside. */
  asCaller<T>(caller: Caller, work: (queries: Queries) => Promise<T>): Promise<T>;
  /** One statement under a caller's rights in one round trip; values and results are text. */
  statementAsCaller(
    caller: Caller,
    statement: {
      text: string;
      values: (string | null)[];
      readOnly: boolean;
      headers?: Record<string, string>;
    },
  ): Promise<StatementResult>;
  /**
   * Calls `heard` for every NOTIFY on `channel` (SQL identifier). The connection is
   * made again when it breaks, and `resumed` is called then: notifications may have been missed.
   */
  listen(
    channel: string,
    heard: (payload: string) => void,
    resumed?: () => void,
  ): Promise<() => Promise<void>>;
  /** How the owner connects, for a library that brings its own pool (the job queue). */
  readonly owner: pg.ClientConfig;
  close(): Promise<void>;
}

const LISTEN_RETRY_MS = 500;

/**
 * Opens the pools. `owner` migrates and does our own work; `api` is the powerless
 * login role `authenticator`, which can only become one of CALLER_ROLES (contract §8).
 */
export function createDatabase(options: {
  owner: pg.ClientConfig;
  api: pg.ClientConfig;
  poolSize: number;
  log: Log;
}): Database {
  const { log } = options;
  const common = { max: options.poolSize, idleTimeoutMillis: 30_000, connectionTimeoutMillis: 10_000 };
  const ownerPool = new pg.Pool({ ...options.owner, ...common, application_name: 'northline' });
  const apiPool = new pg.Pool({ ...options.api, ...common, application_name: 'northline api' });
  for (const pool of [ownerPool, apiPool]) {
    pool.on('error', (error) => log.warn({ err: error }, 'a database connection broke'));
  }
  const listeners = new Set<() => Promise<void>>();

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
      client.release(broken);
    }
  }

  async function inTransaction<T>(client: pg.PoolClient, begin: string, work: () => Promise<T>): Promise<T> {
    await client.query(begin);
    try {
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  }

  return {
    ...queriesOn(<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) =>
      withClient(ownerPool, (client) => runPrepared<Row>(client, text, values)),
    ),
    owner: options.owner,
    transaction: (work) =>
      withClient(ownerPool, (client) => inTransaction(client, 'begin', () => work(clientQueries(client)))),
    asCaller: (caller, work) =>
      withClient(apiPool, (client) => {
        const claims = client.escapeLiteral(JSON.stringify(caller.claims));
        const become = `select set_config('role', '${caller.role}', true), set_config('request.jwt.claims', ${claims}, true)`;
        return inTransaction(client, `begin; ${become}`, () => work(clientQueries(client)));
      }),
    statementAsCaller: (caller, { text, values, readOnly, headers }) =>
      withClient(apiPool, async (client) => {
        const statement = new CallerStatement(client as unknown as pg.Client, caller, {
          text,
          values,
          readOnly,
          headers: JSON.stringify(headers ?? {}),
        });
        client.query(statement);
        try {
          return await statement.done;
        } catch (error) {
          if (!isConnectionError(error)) await client.query('rollback').catch(() => {});
          throw error;
        }
      }),
    async listen(channel, heard, resumed) {
      let client: pg.Client | undefined;
      let closed = false;
      let retry: NodeJS.Timeout | undefined;
      const connect = async (): Promise<void> => {
        const next = new pg.Client({
          ...options.owner,
          application_name: 'northline listen',
          keepAlive: true,
        });
        next.on('error', () => {});
        next.on('notification', (message) => heard(message.payload ?? ''));
        next.once('end', () => {
          if (!closed) retry = setTimeout(again, LISTEN_RETRY_MS);
        });
        await next.connect();
        await next.query(`listen ${next.escapeIdentifier(channel)}`);
        client = next;
      };
      const again = (): void => {
        connect().then(
          () => resumed?.(),
          () => {
            if (!closed) retry = setTimeout(again, LISTEN_RETRY_MS);
          },
        );
      };
      await connect();
      const stop = async (): Promise<void> => {
        closed = true;
        clearTimeout(retry);
        listeners.delete(stop);
        await client?.end().catch(() => {});
      };
      listeners.add(stop);
      return stop;
    },
    async close() {
      await Promise.all([...listeners].map((stop) => stop()));
      await Promise.all([ownerPool.end(), apiPool.end()]);
    },
  };
}

type Ask = <Row extends pg.QueryResultRow>(
  text: string,
  values: readonly unknown[],
) => Promise<pg.QueryResult<Row>>;

function queriesOn(ask: Ask): Queries {
  return {
    many: async (text, values = []) => (await ask<never>(text, values)).rows,
    maybe: async (text, values = []) => (await ask<never>(text, values)).rows[0],
    async one(text, values = []) {
      const row = (await ask<never>(text, values)).rows[0];
      if (row === undefined) throw new Error('the statement returned no row');
      return row;
    },
    run: async (text, values = []) => (await ask(text, values)).rowCount ?? 0,
  };
}

function clientQueries(client: pg.PoolClient): Queries {
  return queriesOn((text, values) => client.query(text, [...values]));
}

/** Classes 08 (connection), 57P (shutdown, starting up), 53 (resources) and socket errors: come back later. */
function isConnectionError(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return (
    /^(08|57P0[123]|53[23]00|E[A-Z]+$)/.test(code ?? '') ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      message ?? '',
    )
  );
}

/** 503 with Retry-After, so that clients keep their session and try again (contract §1). */
function asUnavailable(error: Error): ServiceError {
  return new ServiceError(
    503,
    'database_unavailable',
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
