import { SERVICES } from '../src/kernel/contract/routes.ts';
import { apiPool, asUser, rateByDriver } from './support/driver-run.ts';
import { type Figure, shown } from './support/figure.ts';
import { interleave } from './support/interleave.ts';
import { type LoadRequest, runLoad } from './support/load.ts';
import { connectAsOwner } from './support/owner-connection.ts';
import { newPerson } from './support/people.ts';
import type { Product } from './support/product.ts';

const SECONDS = 2;
const AT_ONCE = 8;
const SELECT =
  'select id, file_name, file_size, created_at from public.user_files where user_id = $1 and deleted_at is null order by created_at desc';
const NOTES = `
  create table if not exists public.bench_notes (
    id bigint generated always as identity primary key, user_id uuid not null default auth.uid(), body text
  );
  alter table public.bench_notes enable row level security;
  drop policy if exists own on public.bench_notes;
  create policy own on public.bench_notes to authenticated using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
  grant select, insert on public.bench_notes to authenticated`;

/**
 * A signed-in person's list of files, and a row that they insert, through HTTP. Compared with the same SQL
 * under the same row level security through the driver: begin, take the role and claims, statement, commit.
 */
export async function measureRead(product: Product): Promise<Figure[]> {
  const person = await newPerson(product);
  const headers = { apikey: product.anonKey, authorization: `Bearer ${person.accessToken}` };
  const query = `select=id,file_name,file_size,created_at&user_id=eq.${person.id}&deleted_at=is.null&order=created_at.desc`;
  const owner = await connectAsOwner(product.dataDir);
  await owner.query(NOTES);
  await owner.end();
  const pool = await apiPool(product.dataDir, AT_ONCE);
  try {
    const [read = 0, readByDriver = 0] = await interleave([
      rate(product.port, { method: 'GET', path: `${SERVICES.rest}/user_files?${query}`, headers }),
      () =>
        rateByDriver(pool, AT_ONCE, SECONDS, (client) =>
          asUser(client, person.id, { begin: 'begin read only', sql: SELECT, values: [person.id] }),
        ),
    ]);
    const [insert = 0, insertByDriver = 0] = await interleave([
      rate(product.port, {
        method: 'POST',
        path: `${SERVICES.rest}/bench_notes`,
        headers: { ...headers, prefer: 'return=minimal' },
        body: '{"body":"a note"}',
      }),
      () =>
        rateByDriver(pool, AT_ONCE, SECONDS, (client) =>
          asUser(client, person.id, {
            begin: 'begin',
            sql: 'insert into public.bench_notes (body) values ($1)',
            values: ['a note'],
          }),
        ),
    ]);
    return [
      figure('Row-secured read', read, readByDriver),
      figure('Row-secured insert', insert, insertByDriver),
    ];
  } finally {
    await pool.end();
  }
}

function figure(name: string, http: number, driver: number): Figure {
  const ratio = http / driver;
  return {
    name,
    measured: shown(http, '/s'),
    against: `${shown(driver, '/s')} the same SQL through the driver`,
    ratio,
    aim: 'at least 0.5',
    met: ratio >= 0.5,
  };
}

function rate(port: number, request: LoadRequest): () => Promise<number> {
  return async () => {
    const { perSecond, refused } = await runLoad(port, request, { connections: AT_ONCE, seconds: SECONDS });
    if (refused > 0) throw new Error(`${refused} requests to ${request.path} were refused`);
    return perSecond;
  };
}
