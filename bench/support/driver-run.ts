import path from 'node:path';
import pg from 'pg';
import { loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../src/kernel/resources/crypto/secrets.ts';
import { apiPassword } from '../../src/kernel/resources/database/database-open.ts';

/** Counts how often `work` is done on `connections` of a pool in `seconds`. */
export async function rateByDriver(
  pool: pg.Pool,
  connections: number,
  seconds: number,
  work: (client: pg.PoolClient) => Promise<unknown>,
): Promise<number> {
  const until = Date.now() + seconds * 1000;
  const started = performance.now();
  let count = 0;
  const one = async (): Promise<void> => {
    const client = await pool.connect();
    while (Date.now() < until) {
      await work(client);
      count += 1;
    }
    client.release();
  };
  await Promise.all(Array.from({ length: connections }, one));
  return count / ((performance.now() - started) / 1000);
}

/** A pool of the API's own login, as for the product's callers. */
export async function apiPool(dataDir: string, max: number): Promise<pg.Pool> {
  const keys = await loadKeys(dataDir);
  return new pg.Pool({
    host: path.join(dataDir, 'postgres', 'socket'),
    user: 'authenticator',
    database: 'northline',
    password: apiPassword({ password: derivedSecret(keys, 'postgres').toString('base64url') }, keys),
    max,
  });
}

/** One statement under a user's rights, as a program would run it with the plain driver. */
export async function asUser(
  client: pg.PoolClient,
  userId: string,
  { begin, sql, values }: { begin: 'begin' | 'begin read only'; sql: string; values: unknown[] },
): Promise<void> {
  await client.query(begin);
  await client.query(
    "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
    [JSON.stringify({ sub: userId, role: 'authenticated' })],
  );
  await client.query(sql, values);
  await client.query('commit');
}
