import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { ownerConfig } from '../../bench/support/owner-connection.ts';
import { installedPostgres, startSecondPostgres } from '../../scripts/checks/second-postgres.ts';
import { type Product, runProduct, temporaryFolder } from '../support/servers/product-process.ts';

/** The product in its own process, on a database that the test can stop. */
export interface OutageWorld {
  readonly product: Product;
  readonly url: string;
  readonly anonKey: string;
  /** Stops the database; resolves when it has stopped. */
  stopDatabase(): Promise<void>;
  /** Lets it start again. */
  startDatabase(): Promise<void>;
  /** Runs one statement, as a superuser on a separate connection. */
  ask<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** A connection as a superuser, which the caller ends. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** Connections of each kind that the product may have; the pools are DATABASE_POOL and the job queue's. */
export const POOL = 4;
const JOB_CONNECTIONS = 5;
/** The product from its sources, without npm between it and signals. */
const COMMAND = [process.execPath, 'src/cli/start.ts'] as const;

/** The databases on which the product is tested; a missing one is undefined. */
export const WORLDS: readonly { name: string; open: (() => Promise<OutageWorld>) | undefined }[] = [
  { name: 'the embedded database', open: openEmbeddedWorld },
  {
    name: "the system's PostgreSQL",
    open: installedPostgres() === undefined ? undefined : openSeparateWorld,
  },
];

/**
 * The product with its own database, which it starts again by itself as soon as its folder is back.
 *
 * @param folder contains everything; disposed of when the world closes
 */
export async function openEmbeddedWorld(
  settings: Record<string, string> = {},
  folder = temporaryFolder('outage'),
): Promise<OutageWorld> {
  const dataDir = path.join(folder.path, 'data');
  const data = path.join(dataDir, 'postgres', 'data');
  const away = `${data}.away`;
  const product = start(dataDir, settings);
  const world = await finish(product, dataDir, async () => {
    folder[Symbol.dispose]();
  });
  const superuser = { ...(await ownerConfig(dataDir)), user: 'postgres' };
  return {
    ...world(superuser),
    async stopDatabase() {
      renameSync(data, away);
      const lock = path.join(away, 'postmaster.pid');
      process.kill(Number(readFileSync(lock, 'utf8').split('\n')[0]), 'SIGINT');
      while (existsSync(lock)) await pause(20);
    },
    startDatabase: async () => renameSync(away, data),
  };
}

/** The product with DATABASE_URL, on a separate server for this world. */
export async function openSeparateWorld(settings: Record<string, string> = {}): Promise<OutageWorld> {
  const server = await startSecondPostgres(installedPostgres() ?? '');
  const administrator = new pg.Client({ connectionString: server.address });
  await administrator.connect();
  await administrator.query('create database northline');
  await administrator.end();
  const folder = temporaryFolder('outage');
  const dataDir = path.join(folder.path, 'data');
  const address = server.address.replace('/postgres?', '/northline?');
  const product = start(dataDir, { DATABASE_URL: address, ...settings });
  const world = await finish(product, dataDir, async () => {
    server.stop();
    folder[Symbol.dispose]();
  });
  return {
    ...world({ ...server.superuser, database: 'northline' }),
    stopDatabase: server.interrupt,
    startDatabase: server.resume,
  };
}

function start(dataDir: string, settings: Record<string, string>): Product {
  return runProduct({
    command: COMMAND,
    settings: { DATA_DIR: dataDir, DATABASE_POOL: String(POOL), RATE_LIMITS: 'off', ...settings },
  });
}

async function finish(product: Product, dataDir: string, clean: () => Promise<void>) {
  const close = async (): Promise<void> => {
    try {
      product.signal('SIGTERM', 'group');
    } catch {
      // It has ended already.
    }
    await product.ended;
    await clean();
  };
  const url = await product.url.catch(async (error: Error) => {
    await close();
    throw error;
  });
  const keys = JSON.parse(readFileSync(path.join(dataDir, 'keys.json'), 'utf8')) as { anon_key: string };
  return (superuser: pg.ClientConfig) => {
    const connect = async (): Promise<pg.Client> => {
      const client = new pg.Client(superuser);
      client.on('error', () => {});
      await client.connect();
      return client;
    };
    return {
      product,
      url,
      anonKey: keys.anon_key,
      connect,
      async ask<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
        const client = await connect();
        try {
          return (await client.query<never>(sql, [...values])).rows;
        } finally {
          await client.end();
        }
      },
      close,
    };
  };
}

/** Number of connections that listen for notifications. */
export async function countListeners(world: OutageWorld): Promise<number> {
  return (await countConnections(world))['northline listen'] ?? 0;
}

/** Number of connections beyond those of the product's pools and its listener. */
export async function countLeaked(world: OutageWorld): Promise<number> {
  const most: Record<string, number> = {
    northline: POOL,
    'northline api': POOL,
    'northline realtime': 2,
    'northline jobs': JOB_CONNECTIONS,
    'northline listen': 1,
    'northline process': 1,
  };
  const counts = Object.entries(await countConnections(world));
  return counts.reduce((sum, [name, count]) => sum + Math.max(0, count - (most[name] ?? 0)), 0);
}

async function countConnections(world: OutageWorld): Promise<Record<string, number>> {
  const rows = await world.ask<{ name: string; count: number }>(
    `select application_name as name, count(*)::int as count from pg_stat_activity
     where application_name like 'northline%' group by 1`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
