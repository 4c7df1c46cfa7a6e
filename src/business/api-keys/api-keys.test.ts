import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callWithKey, newApiKey } from '../../../tests/support/customers/api-keys.ts';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../tests/support/customers/operator-client.ts';
import { createCustomer } from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { manageOperators } from '../../cli/operators-command.ts';
import { API_RIGHTS } from '../../kernel/contract/api-rights.ts';
import { type ApiKeyList, type ConsoleApiKeyPage, MOST_KEYS } from './api-key.contract.ts';
import { hashOfKey } from './api-key-store.server.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp();
  operator = await newOperator(app);
});
afterAll(() => app.close());

const keysOf = async ({ client }: Pick<TestAccount, 'client'>): Promise<ApiKeyList> => {
  const { data, error } = await client.functions.invoke('api-keys', { method: 'GET' });
  expect(error).toBeNull();
  return data as ApiKeyList;
};

async function enquiry(): Promise<string> {
  const id = `ENQ-1-${randomUUID().slice(0, 8)}`;
  await app.resources.database.run(
    `insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash, due_at)
     values ($1, 'Priya Shah', 'priya@example.com', 'App Builder', 'a', 't', now() + interval '1 day')`,
    [id],
  );
  return id;
}

test('a key is shown once, stored as a hash, and opens the functions of its rights alone', async () => {
  const customer = await newAccount(app);
  const { key, made } = await newApiKey(customer, ['documents:read']);
  expect(key).toMatch(/^nlk_[\w-]{49}$/);
  expect(made).toMatchObject({ hint: key.slice(-4), rights: ['documents:read'], last_used_at: null });

  const stored = JSON.stringify(await app.resources.database.many('select * from private.api_keys'));
  expect(stored).not.toContain(key.slice(4, 40));
  expect(JSON.stringify(await keysOf(customer))).not.toContain(key.slice(4, 40));

  expect(await callWithKey(app, key, 'list-documents', {})).toMatchObject({
    status: 200,
    body: { documents: [], next: null },
  });
  expect((await keysOf(customer)).keys[0]?.last_used_at).not.toBeNull();
  expect(await callWithKey(app, key, 'analyze', { file_id: randomUUID() })).toMatchObject({
    status: 403,
    body: { code: 'right_missing', error: 'This API key does not have the right documents:write.' },
  });
  for (const name of ['api-keys', 'export-account', 'team', 'operator-mails', 'no-such-function']) {
    expect((await callWithKey(app, key, name)).body.code, name).toMatch(/key_not_accepted|not_found/);
  }
});

test('the time of the last use is written at most every five minutes', async () => {
  const customer = await newAccount(app);
  const { key, made } = await newApiKey(customer, ['documents:read']);
  await callWithKey(app, key, 'list-documents', {});
  const first = (await keysOf(customer)).keys[0]?.last_used_at;
  await callWithKey(app, key, 'list-documents', {});
  expect((await keysOf(customer)).keys[0]?.last_used_at).toBe(first);
  await app.resources.database.run(
    `update private.api_keys set last_used_at = now() - interval '6 minutes' where id = $1`,
    [made.id],
  );
  await callWithKey(app, key, 'list-documents', {});
  expect(Date.parse((await keysOf(customer)).keys[0]?.last_used_at ?? '')).toBeGreaterThanOrEqual(
    Date.parse(first ?? ''),
  );
});

test('a revoked key ends at once in every process, and an expired one by itself', async () => {
  const beside = await startTestApp({ beside: app });
  const customer = await newAccount(app);
  const { key, made } = await newApiKey(customer, ['documents:read']);
  expect((await callWithKey(beside, key, 'list-documents', {})).status).toBe(200);
  expect((await customer.client.functions.invoke('end-api-key', { body: { id: made.id } })).error).toBeNull();
  for (const process of [beside, app]) {
    expect(await callWithKey(process, key, 'list-documents', {})).toMatchObject({
      status: 401,
      body: { code: 'key_ended', error: 'This API key was revoked. Make a new one.' },
    });
  }
  await beside.close();

  const late = await newApiKey(customer, ['documents:read']);
  await app.resources.database.run('update private.api_keys set expires_at = now() where id = $1', [
    late.made.id,
  ]);
  expect(await callWithKey(app, late.key, 'list-documents', {})).toMatchObject({
    status: 401,
    body: { code: 'key_expired', error: 'This API key has expired. Make a new one.' },
  });
});

test('nobody revokes the key of somebody else, but an operator sees and revokes all', async () => {
  const [customer, other] = [await newAccount(app), await newAccount(app)];
  const { key, made } = await newApiKey(customer, ['documents:read']);
  const { error } = await other.client.functions.invoke('end-api-key', { body: { id: made.id } });
  expect(error?.context.status).toBe(404);
  await expect(askConsole('end-api-key', other, { id: made.id })).rejects.toMatchObject({ status: 403 });
  await expect(askConsole('api-keys', other)).rejects.toMatchObject({ status: 403 });

  const { rows } = await askConsole<ConsoleApiKeyPage>(`api-keys?q=${customer.email}`, operator);
  expect(rows).toMatchObject([{ id: made.id, email: customer.email, is_mine: false }]);
  await askConsole('end-api-key', operator, { id: made.id });
  expect((await callWithKey(app, key, 'list-documents', {})).body.code).toBe('key_ended');
  expect((await keysOf(customer)).keys[0]?.ended_by).toBe('operator');
  await expect(askConsole('end-api-key', operator, { id: made.id })).rejects.toMatchObject({ status: 404 });
});

test('only an operator’s key has the rights of the agency, and loses them with the operator', async () => {
  const customer = await newAccount(app);
  await expect(newApiKey(customer, ['enquiries:read'])).rejects.toMatchObject({
    status: 403,
    code: 'right_missing',
  });
  const former = await newOperator(app);
  const { key } = await newApiKey(former, API_RIGHTS);
  expect((await callWithKey(app, key, 'operator-enquiries')).status).toBe(200);
  await manageOperators(app.resources.database, ['remove', former.email]);
  expect((await callWithKey(app, key, 'operator-enquiries')).body.code).toBe('right_missing');
  expect((await callWithKey(app, key, 'list-documents', {})).status).toBe(200);
});

test('a key of a locked or deleted account is not valid', async () => {
  const customer = await newAccount(app);
  const { key } = await newApiKey(customer, ['documents:read']);
  const { database } = app.resources;
  await database.run(`update auth.users set banned_until = now() + interval '1 day' where email = $1`, [
    customer.email,
  ]);
  expect((await callWithKey(app, key, 'list-documents', {})).body.code).toBe('bad_key');
  await database.run('update auth.users set banned_until = null where email = $1', [customer.email]);
  expect((await callWithKey(app, key, 'list-documents', {})).status).toBe(200);
  await database.run('delete from auth.users where email = $1', [customer.email]);
  expect((await callWithKey(app, key, 'list-documents', {})).body.code).toBe('bad_key');
});

test('a key from before the second factor waits for a new one that was made with it', async () => {
  const customer = await newAccount(app);
  const { key } = await newApiKey(customer, ['documents:read']);
  await app.resources.database.run(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
     select gen_random_uuid(), id, 'phone', 'totp', 'verified', 'x', now(), now() from auth.users where email = $1`,
    [customer.email],
  );
  expect(await callWithKey(app, key, 'list-documents', {})).toMatchObject({
    status: 403,
    body: { code: 'insufficient_aal' },
  });
});

test('what a key changes is recorded before it is done, once for each idempotency key', async () => {
  const { key, made } = await newApiKey(operator, ['enquiries:write']);
  const id = await enquiry();
  const note = { do: 'enquiry.note', id, note: 'from a program' };
  const named = { 'idempotency-key': 'note-1' };
  expect((await callWithKey(app, key, 'operator-act', note, named)).status).toBe(200);
  expect(await callWithKey(app, key, 'operator-act', note, named)).toMatchObject({
    status: 409,
    body: { code: 'already_done' },
  });
  const missing = { ...note, id: 'no-such-enquiry' };
  const again = { 'idempotency-key': 'note-2' };
  for (const _ of [1, 2]) {
    expect((await callWithKey(app, key, 'operator-act', missing, again)).body.code).toBe('nothing_to_do');
  }
  const { database } = app.resources;
  expect(
    await database.many(
      'select action, subject, outcome from private.api_key_writes where key_id = $1 order by id',
      [made.id],
    ),
  ).toEqual([
    { action: 'enquiry.note', subject: id, outcome: 'done' },
    { action: 'enquiry.note', subject: 'no-such-enquiry', outcome: 'nothing_to_do' },
    { action: 'enquiry.note', subject: 'no-such-enquiry', outcome: 'nothing_to_do' },
  ]);
  const audit = await database.one(
    'select details from private.operator_audit where subject = $1 order by id desc limit 1',
    [id],
  );
  expect(audit.details).toMatchObject({ api_key: made.id });
  expect(
    (await callWithKey(app, key, 'operator-act', { do: 'mail.lift', address: 'a@b.example' })).body.code,
  ).toBe('key_not_accepted');
});

test('a guessed or mistyped key is refused by its checksum, and a key in an address always', async () => {
  const { key } = await newApiKey(await newAccount(app), ['documents:read']);
  expect(hashOfKey(key)).toHaveLength(32);
  const mistyped = `${key.slice(0, 20)}${key[20] === 'a' ? 'b' : 'a'}${key.slice(21)}`;
  for (const wrong of [mistyped, key.slice(0, -1), `${key}x`, 'nlk_', key.toUpperCase()]) {
    expect(hashOfKey(wrong), wrong).toBeUndefined();
  }
  expect((await callWithKey(app, mistyped, 'list-documents', {})).body).toMatchObject({
    code: 'bad_key',
    error: 'This API key is not valid.',
  });
  expect((await callWithKey(app, key, `list-documents?apikey=${key}`, {})).body.code).toBe('key_in_address');
  expect((await callWithKey(app, app.anonKey, `list-documents?key=${key}`, {})).body.code).toBe(
    'key_in_address',
  );
  const header = await fetch(`${app.url}/functions/v1/list-documents`, {
    method: 'POST',
    headers: { apikey: key },
  });
  expect((await header.json()).code).toBe('key_not_accepted');
});

test('an account has at most twenty valid keys, and two requests at once do not make one more', async () => {
  const customer = await createCustomer(app, 0);
  for (let n = 1; n < MOST_KEYS; n += 1) await newApiKey(customer, ['documents:read'], `Key ${n}`);
  const outcomes = await Promise.allSettled([
    newApiKey(customer, ['documents:read']),
    newApiKey(customer, ['documents:read']),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await keysOf(customer)).keys).toHaveLength(MOST_KEYS);
});
