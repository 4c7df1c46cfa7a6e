import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openRest } from '../../../tests/support/rest-requests.ts';
import { startTestApp } from '../../../tests/support/test-app.ts';

const rest = openRest(`
  create table public.notes (id int primary key)`);

async function asOwner<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client(rest.app.databaseUrl);
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

test('a seed of a hosted project finds pgcrypto with and without its schema', async () => {
  const rows = await asOwner(async (owner) => {
    await owner.query('create extension if not exists pgcrypto with schema extensions');
    await owner.query('create extension if not exists "uuid-ossp" with schema extensions');
    const { rows } = await owner.query(
      `select crypt('word', gen_salt('bf')) <> '' as short, extensions.crypt('word', extensions.gen_salt('bf')) <> '' as long,
         uuid_generate_v4() is not null as id`,
    );
    return rows;
  });
  expect(rows).toEqual([{ short: true, long: true, id: true }]);
});

test('a migration of a hosted project sets what the reference reads, and the log says that nothing does here', async () => {
  const said: string[] = [];
  const reset = () =>
    asOwner((owner) => owner.query('alter role authenticator reset "pgrst.db_aggregates_enabled"'));
  await asOwner((owner) => owner.query(`alter role authenticator set pgrst.db_aggregates_enabled = 'true'`));
  onTestFinished(async () => void (await reset()));
  const second = await startTestApp({
    beside: rest.app,
    settings: { LOG_LEVEL: 'warn' },
    logTo: { write: (line: string) => void said.push(line) },
  });
  await second.close();
  expect(said.filter((line) => line.includes('pgrst.db_aggregates_enabled'))).toEqual([
    expect.stringContaining('the data API does not read these settings'),
  ]);
});

test('a token says what is wrong with its claims or its account', async () => {
  const said = async (claims: Record<string, unknown>) => {
    const token = await rest.app.resources.tokens.sign({
      role: 'authenticated',
      aud: 'authenticated',
      ...claims,
    } as never);
    const reply = await rest.ask('GET notes', { authorization: `Bearer ${token}` });
    const { code, message } = reply.json() as { code: string; message: string };
    return [reply.status, code, message];
  };
  const exp = Math.floor(Date.now() / 1000) + 600;
  const sub = '11111111-1111-4111-8111-111111111111';
  expect(await said({ sub, exp })).toEqual([
    401,
    'PGRST303',
    'The account of the JWT does not exist, or its session has ended',
  ]);
  expect(await said({ sub, exp, role: 'other' })).toMatchObject([
    401,
    'PGRST303',
    expect.stringMatching('^The JWT is not one of'),
  ]);
  for (const name of ['exp', 'nbf', 'iat']) {
    expect(await said({ sub, exp, [name]: 'soon' })).toEqual([
      401,
      'PGRST303',
      `The JWT '${name}' claim must be a number`,
    ]);
  }
  expect(await said({ sub, exp, aud: 5 })).toEqual([
    401,
    'PGRST303',
    "The JWT 'aud' claim must be a string or an array of strings",
  ]);
  expect(await said({ sub, exp, nbf: exp })).toEqual([401, 'PGRST303', 'JWT not yet valid']);
});
