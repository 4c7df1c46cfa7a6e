import path from 'node:path';
import pg from 'pg';
import { SERVICES } from '../src/contract/routes.ts';
import { loadKeys } from '../src/resources/crypto/keys.ts';
import { derivedSecret } from '../src/resources/crypto/secrets.ts';
import { apiPassword } from '../src/resources/database/open-database.ts';
import { type Figure, shown } from './figure.ts';
import { runLoad } from './load.ts';
import { newPerson } from './people.ts';
import type { Product } from './product.ts';

const SECONDS = 4;
const AT_ONCE = 8;
const SELECT =
  'select id, file_name, file_size, created_at from public.user_files where user_id = $1 and deleted_at is null order by created_at desc';

/**
 * A signed-in person's list of files through HTTP against the same select under the same
 * row level security through the driver: begin, take the role and claims, select, commit.
 */
export async function measureRead(product: Product): Promise<Figure> {
  const person = await newPerson(product);
  const query = `select=id,file_name,file_size,created_at&user_id=eq.${person.id}&deleted_at=is.null&order=created_at.desc`;
  const http = await runLoad(
    product.port,
    {
      method: 'GET',
      path: `${SERVICES.rest}/user_files?${query}`,
      headers: { apikey: product.anonKey, authorization: `Bearer ${person.accessToken}` },
    },
    { connections: AT_ONCE, seconds: SECONDS },
  );
  if (http.refused > 0) throw new Error(`${http.refused} reads were refused`);
  const driver = await readByDriver(product.dataDir, person.id);
  const ratio = http.perSecond / driver;
  return {
    name: 'Row-secured read',
    measured: shown(http.perSecond, '/s'),
    against: `${shown(driver, '/s')} the same SQL through the driver`,
    ratio,
    aim: 'at least 0.5',
    met: ratio >= 0.5,
  };
}

async function readByDriver(dataDir: string, userId: string): Promise<number> {
  const keys = await loadKeys(dataDir);
  const pool = new pg.Pool({
    host: path.join(dataDir, 'postgres', 'socket'),
    user: 'authenticator',
    database: 'northline',
    password: apiPassword({ password: derivedSecret(keys, 'postgres').toString('base64url') }, keys),
    max: AT_ONCE,
  });
  const claims = JSON.stringify({ sub: userId, role: 'authenticated' });
  const until = Date.now() + SECONDS * 1000;
  const started = performance.now();
  let count = 0;
  const one = async (): Promise<void> => {
    const client = await pool.connect();
    while (Date.now() < until) {
      await client.query('begin read only');
      await client.query(
        "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
        [claims],
      );
      await client.query(SELECT, [userId]);
      await client.query('commit');
      count += 1;
    }
    client.release();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const perSecond = count / ((performance.now() - started) / 1000);
  await pool.end();
  return perSecond;
}
