import { afterAll, beforeAll, expect, test } from 'vitest';
import { callWithKey } from '../../tests/support/customers/api-keys.ts';
import { newAccount, newOperator } from '../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../tests/support/test-app.ts';
import { API_RIGHTS } from '../kernel/contract/api-rights.ts';
import { manageApiKeys } from './api-keys-command.ts';
import { UsageError } from './command.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const run = (...words: string[]): Promise<string> => manageApiKeys(app.resources.database, words);

test('the command makes a key that works, lists it without showing it, and revokes it', async () => {
  const { email } = await newOperator(app);
  expect(await run('list', email)).toBe(`${email} has no API key.`);
  const key = await run(
    'create',
    email,
    '--name',
    'Nightly export',
    '--rights',
    'enquiries:read',
    '--days',
    '7',
  );
  expect((await callWithKey(app, key, 'operator-enquiries')).status).toBe(200);
  const listed = await run('list', email);
  expect(listed).toContain('enquiries:read  Nightly export');
  expect(listed).not.toContain(key);
  const [id = ''] = listed.split('  ');
  expect(await run('end', email, id)).toBe('The key is refused from this moment on.');
  expect((await callWithKey(app, key, 'operator-enquiries')).body.code).toBe('key_ended');
  await expect(run('end', email, id)).rejects.toThrow(`${email} has no valid key ${id}.`);
});

test('it refuses unknown accounts, rights and days in a sentence', async () => {
  const { email } = await newAccount(app);
  expect(await run('rights')).toBe(API_RIGHTS.join('\n'));
  await expect(run('list', 'nobody@example.com')).rejects.toThrow('There is no account nobody@example.com.');
  const make = (...more: string[]) => run('create', email, '--name', 'x', ...more);
  await expect(make('--rights', 'everything')).rejects.toThrow('There is no right everything');
  await expect(make('--rights', 'documents:read', '--days', '9')).rejects.toThrow(UsageError);
  await expect(make('--rights', 'calls:read')).rejects.toThrow("Only an operator's key");
  await expect(run('list')).rejects.toThrow(UsageError);
  await expect(run('create', email, '--colour', 'red')).rejects.toThrow(UsageError);
});
