import { randomBytes } from 'node:crypto';
import pg from 'pg';
import {
  freePort,
  freshDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '../../bench/support/product.ts';
import { startEmbeddedPostgres } from '../../src/kernel/resources/database/embedded-postgres.ts';
import type { Random } from '../histories/random.ts';

/** Several processes of one installation on one PostgreSQL; any of them may be killed and restarts. */
export interface StormServers {
  readonly anonKey: string;
  readonly serviceKey: string;
  /** Processes that answer now. */
  living(): readonly Product[];
  /** Their ports. */
  ports(): readonly number[];
  /** Kills one of them with SIGKILL and starts it again; resolves when it answers. */
  killOne(): Promise<void>;
  readonly kills: () => number;
  /** A connection to the database as its owner. */
  readonly owner: pg.Client;
  close(): Promise<void>;
}

/** Starts PostgreSQL and `count` processes on it; `random` decides which one is killed. */
export async function startStormServers(
  count: number,
  random: Random,
  further: Record<string, string> = {},
): Promise<StormServers> {
  const [postgresDir, dataDir] = [freshDataDir(), freshDataDir()];
  const password = randomBytes(12).toString('hex');
  const postgres = await startEmbeddedPostgres(postgresDir, password);
  const owner = new pg.Client({ ...postgres.owner });
  await owner.connect();
  const socket = encodeURIComponent(String(postgres.owner.host));
  const settings = {
    DATABASE_URL: `postgres://northline:${password}@localhost/${postgres.owner.database}?host=${socket}`,
    DATABASE_POOL: '6',
    LOG_LEVEL: 'error',
    ...further,
  };
  const products = new Map<number, Product>();
  const start = async (port: number) => {
    const product = await startProduct(dataDir, port, settings);
    products.set(port, product);
  };
  for (let index = 0; index < count; index += 1) await start(await freePort());
  const ports = [...products.keys()];
  const [first] = products.values();
  let kills = 0;
  return {
    anonKey: first?.anonKey ?? '',
    serviceKey: first?.serviceKey ?? '',
    living: () => [...products.values()],
    ports: () => [...products.keys()],
    kills: () => kills,
    async killOne() {
      const port = random.pick(ports);
      const product = products.get(port);
      // It is down already and is starting again.
      if (product === undefined) return;
      products.delete(port);
      kills += 1;
      await product.kill();
      await start(port);
    },
    owner,
    async close() {
      await Promise.all([...products.values()].map((product) => product.stop()));
      await owner.end();
      await postgres.stop();
      for (const folder of [dataDir, postgresDir]) removeDataDir(folder);
    },
  };
}
