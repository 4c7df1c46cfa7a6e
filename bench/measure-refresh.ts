import http from 'node:http';
import pg from 'pg';
import { SERVICES } from '../src/kernel/contract/routes.ts';
import { rateByDriver } from './support/driver-run.ts';
import { type Figure, shown } from './support/figure.ts';
import { interleave } from './support/interleave.ts';
import { ownerConfig } from './support/owner-connection.ts';
import { newPerson } from './support/people.ts';
import type { Product } from './support/product.ts';

const SECONDS = 2;
const SESSIONS = 4;

/**
 * Refreshes per second, each with the token from the one before, compared with the minimal transaction of a
 * rotation.
 */
export async function measureRefresh(product: Product): Promise<Figure> {
  const tokens = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const { client } = await newPerson(product);
      return (await client.auth.getSession()).data.session?.refresh_token ?? '';
    }),
  );
  const pool = new pg.Pool({ ...(await ownerConfig(product.dataDir)), max: SESSIONS });
  const { rows } = await pool.query<{ id: string }>(
    'select id from auth.sessions order by created_at desc limit $1',
    [SESSIONS],
  );
  const agent = new http.Agent({ keepAlive: true, maxSockets: SESSIONS });
  let turn = 0;
  try {
    const [own = 0, bare = 0] = await interleave([
      () => refreshRate(product, agent, tokens),
      () =>
        rateByDriver(pool, SESSIONS, SECONDS, (client) => {
          turn += 1;
          return rotate(client, rows[turn % rows.length]?.id ?? '');
        }),
    ]);
    const ratio = own / bare;
    return {
      name: 'Session refresh',
      measured: shown(own, '/s'),
      against: `${shown(bare, '/s')} lock, update, audit row, commit by driver`,
      ratio,
      aim: 'at least 0.3',
      met: ratio >= 0.3,
    };
  } finally {
    agent.destroy();
    await pool.end();
  }
}

async function refreshRate(product: Product, agent: http.Agent, tokens: string[]): Promise<number> {
  const until = Date.now() + SECONDS * 1000;
  const started = performance.now();
  let count = 0;
  const chain = async (at: number): Promise<void> => {
    while (Date.now() < until) {
      tokens[at] = await refresh(product, agent, tokens[at] ?? '');
      count += 1;
    }
  };
  await Promise.all(tokens.map((_, at) => chain(at)));
  return count / ((performance.now() - started) / 1000);
}

function refresh(product: Product, agent: http.Agent, token: string): Promise<string> {
  const body = JSON.stringify({ refresh_token: token });
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        agent,
        host: '127.0.0.1',
        port: product.port,
        method: 'POST',
        path: `${SERVICES.auth}/token?grant_type=refresh_token`,
        headers: {
          apikey: product.anonKey,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        reply.on('end', () => {
          if (reply.statusCode !== 200) reject(new Error(`refresh: ${reply.statusCode} ${text}`));
          else resolve((JSON.parse(text) as { refresh_token: string }).refresh_token);
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** What every rotation needs: the session's lock, its new counter, a line in the audit log. */
async function rotate(client: pg.PoolClient, session: string): Promise<void> {
  await client.query('begin');
  await client.query('select * from auth.sessions where id = $1 for update', [session]);
  await client.query('update auth.sessions set updated_at = now() where id = $1 returning *', [session]);
  await client.query("insert into auth.audit_log_entries (action) values ('token_refreshed')");
  await client.query('commit');
}
