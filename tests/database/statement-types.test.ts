import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCatalogueNames } from '../../scripts/database/statements/nullability.ts';
import { statementFiles } from '../../scripts/database/statements/statement-file.ts';
import { findStatements } from '../../scripts/database/statements/statement-search.ts';
import { StatementTypes } from '../../scripts/database/statements/statement-types.ts';
import { templateAddress } from '../support/test-app.ts';

let client: pg.Client;
let types: StatementTypes;

beforeAll(async () => {
  client = new pg.Client({ connectionString: templateAddress() });
  await client.connect();
  types = await StatementTypes.open(client, await readCatalogueNames(client));
});

afterAll(() => client.end());

/** `name: type` of each column. */
async function columnsOf(text: string): Promise<string[]> {
  return (await types.describe(text)).row.map(({ name, type }) => `${name}: ${type}`);
}

test.each([
  [
    'a required and an optional column',
    'select id, email from auth.users',
    ['id: string', 'email: string | null'],
  ],
  [
    'the side of an outer join that may be missing',
    'select u.id, c.id as customer, c.credits from auth.users u left join public.customers c on c.user_id = u.id',
    ['id: string', 'customer: string | null', 'credits: number | null'],
  ],
  [
    'the same in a subquery and a common table expression',
    `with c as (select id, user_id from public.customers) select x.id, x.customer from (
       select u.id, c.id as customer from auth.users u left join c on c.user_id = u.id) x`,
    ['id: string', 'customer: string | null'],
  ],
  [
    'both sides of a full join',
    'select u.id, c.id as customer from auth.users u full join public.customers c on c.user_id = u.id',
    ['id: string | null', 'customer: string | null'],
  ],
  [
    'what the condition excludes',
    'select email, phone from auth.users where email is not null and phone = $1',
    ['email: string', 'phone: string'],
  ],
  [
    'and what a negated condition does not',
    'select email from auth.users where not (email is not null)',
    ['email: string | null'],
  ],
  [
    'aggregates, without groups and with them',
    `select count(*) as count, max(created_at) as newest, (select count(*) from auth.sessions) as sessions,
       (select max(created_at) from auth.sessions) as last from auth.users`,
    ['count: string', 'newest: Date | null', 'sessions: string', 'last: Date | null'],
  ],
  [
    'aggregates of groups',
    'select aal, max(created_at) as newest, max(not_after) as ends from auth.sessions group by aal',
    ["aal: 'aal1' | 'aal2' | 'aal3'", 'newest: Date', 'ends: Date | null'],
  ],
  [
    'expressions',
    `select coalesce(email, '') as email, exists (select from auth.sessions) as some, email = '' as empty,
       case when is_anonymous then 1 end as one, raw_app_meta_data ->> 'role' as role, lower(id::text) as id from auth.users`,
    [
      'email: string',
      'some: boolean',
      'empty: boolean | null',
      'one: number | null',
      'role: string | null',
      'id: string',
    ],
  ],
  [
    'a union is null where one of its branches is',
    'select id, email from auth.users union all select id, id::text from auth.sessions',
    ['id: string', 'email: string | null'],
  ],
  [
    'what a change returns',
    'update public.customers set credits = credits + 1 where user_id = $1 returning id, user_id',
    ['id: string', 'user_id: string | null'],
  ],
  [
    'a column through a view',
    'select state, last_error from operator.mails',
    ["state: 'kept' | 'waiting' | 'sent' | 'failed' | 'bounced' | 'suppressed'", 'last_error: string | null'],
  ],
  [
    'JSON by the name of its column, and unknown in an expression',
    "select payload, payload -> 'x' as x from auth.audit_log_entries",
    ["payload: JsonColumn<'auth.audit_log_entries.payload'>", 'x: unknown'],
  ],
  ['a written word', 'select max(credits) as most /* not null */ from public.customers', ['most: number']],
])('%s', async (_, text, expected) => {
  expect(await columnsOf(text)).toEqual(expected);
});

test('a statement has the parameters that the schema requires', async () => {
  const { values } = await types.describe(
    'insert into private.uploads (id, bucket_id, name, reserved_bytes, expires_at) select $1, b, $3, $4, $5 from unnest($2::text[]) b',
  );
  expect(values).toEqual([
    'string',
    'readonly (string | null)[]',
    'string',
    'number | bigint | string',
    'Date | string',
  ]);
});

/** A value of each type that the product's statements return, and a check of its TypeScript type. */
const VALUES: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['true', (value) => typeof value === 'boolean'],
  ['1::int2', (value) => typeof value === 'number'],
  ['1::int4', (value) => typeof value === 'number'],
  ['1::int8', (value) => typeof value === 'string'],
  ['1.5::numeric', (value) => typeof value === 'string'],
  ['1.5::float8', (value) => typeof value === 'number'],
  ["'a'::text", (value) => typeof value === 'string'],
  ['gen_random_uuid()', (value) => typeof value === 'string'],
  ['now()', (value) => value instanceof Date],
  ["'a'::bytea", (value) => Buffer.isBuffer(value)],
  ["array['a']", (value) => Array.isArray(value) && typeof value[0] === 'string'],
  ['array[1, 2]', (value) => Array.isArray(value) && typeof value[0] === 'number'],
  ['array[1::int8]', (value) => Array.isArray(value) && typeof value[0] === 'string'],
  ['array[1.5::numeric]', (value) => Array.isArray(value) && typeof value[0] === 'number'],
  ['array[now()]', (value) => Array.isArray(value) && value[0] instanceof Date],
  ["array['a'::name]", (value) => typeof value === 'string'],
  ['array[gen_random_uuid()]', (value) => Array.isArray(value) && typeof value[0] === 'string'],
];
const NAMES =
  'boolean number number string string number string string Date Buffer string[] number[] string[] number[] Date[] string string[]';

test('the types are those of the values that the driver really returns', async () => {
  const text = `select ${VALUES.map(([sql], at) => `${sql} as c${at}`).join(', ')}`;
  const described = (await types.describe(text)).row.map(({ type }) => type.replace(' | null', ''));
  expect(described).toEqual(NAMES.split(' '));
  const row = Object.values((await client.query(text)).rows[0]);
  expect(VALUES.map(([sql, fits], at) => [sql, fits(row[at])])).toEqual(VALUES.map(([sql]) => [sql, true]));
});

test('statements are found through constants, imports, templates and conditions', () => {
  using folder = mkdtempDisposableSync(path.join(os.tmpdir(), 'northline-statements-'));
  writeFileSync(
    path.join(folder.path, 'columns.ts'),
    "export const COLUMNS = 'id, email';\nexport const MOST = 5;\n",
  );
  writeFileSync(
    path.join(folder.path, 'queries.ts'),
    `import { COLUMNS, MOST } from './columns.ts';
const BY_ID = prepared(\`select \${COLUMNS} from auth.users where id = $1\`);
const ORDERS = { old: 'select 1', young: 'select 2' } as const;
export async function ask(queries, by, key) {
  await queries.many(BY_ID, [1]);
  await queries.maybe(by ? \`select \${MOST}\` : 'select ' + 'now()');
  await queries.one(ORDERS[key]);
  await queries.run(\`delete from \${by}\`);
  await tool.run(by, key);
}
`,
  );
  const found = findStatements(['.'], folder.path).map(({ text, line }) => `${line} ${text}`);
  expect(found).toEqual([
    '5 select id, email from auth.users where id = $1',
    '6 select 5',
    '6 select now()',
    '7 select 1',
    '7 select 2',
  ]);
});

test('a statement that does not fit the schema is reported by file and line, with PostgreSQL’s message', async () => {
  using folder = mkdtempDisposableSync(path.join(os.tmpdir(), 'northline-statements-'));
  writeFileSync(
    path.join(folder.path, 'wrong.ts'),
    "export const ask = (queries) =>\n  queries.many('select nme from auth.users');\n",
  );
  const { faults } = await statementFiles(client, findStatements(['.'], folder.path));
  expect(faults).toEqual(['wrong.ts:2: column "nme" does not exist']);
});
