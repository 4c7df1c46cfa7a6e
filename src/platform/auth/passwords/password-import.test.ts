import { hash as hashBcrypt } from 'bcryptjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth, newClient, newEmail, PASSWORD } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { createPasswords } from '../../../kernel/resources/crypto/passwords.ts';
import { passwordRules, requireStrongPassword } from './password-strength.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ realPasswords: true });
});
afterAll(() => app.close());

const create = (email: string, password_hash: string) =>
  callAuth(app, 'POST', '/admin/users', {
    bearer: app.serviceKey,
    body: { email, password_hash, email_confirm: true },
  });
const signIn = (email: string, password: string) =>
  newClient(app).auth.signInWithPassword({ email, password });
const storedHash = async (email: string) =>
  (await app.resources.database.one('select encrypted_password from auth.users where email = $1', [email]))
    .encrypted_password;

test.each([
  ['bcrypt $2a$', async () => (await hashBcrypt(PASSWORD, 5)).replace(/^\$2b/, '$2a')],
  ['bcrypt $2b$', () => hashBcrypt(PASSWORD, 5)],
  [
    'argon2i of another cost',
    async () => '$argon2i$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$iWh06vD8Fy27wf9npn6FXWiCX4K6pW6Ue1Bnzz07Z8A',
  ],
])(
  'an account with a hash of %s signs in, and is stored by our own rule from then on',
  async (kind, make) => {
    const email = newEmail();
    const password = kind.startsWith('argon2i ') ? 'password' : PASSWORD;
    const imported = await make();
    expect((await create(email, imported)).status).toBe(200);
    expect((await signIn(email, `${password}x`)).error).toMatchObject({ code: 'invalid_credentials' });
    expect(await storedHash(email)).toBe(imported);
    expect((await signIn(email, password)).error).toBeNull();
    const kept = await storedHash(email);
    expect(kept).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await signIn(email, password)).error).toBeNull();
    expect(await storedHash(email)).toBe(kept);
  },
);

test('our own hash stays, and so does bcrypt of a longer password than it uses', async () => {
  const [own, long] = [newEmail(), newEmail()];
  const longPassword = 'a harbour at night, '.repeat(5);
  const [ownHash, longHash] = [await createPasswords().hash(PASSWORD), await hashBcrypt(longPassword, 5)];
  await create(own, ownHash);
  await create(long, longHash);
  expect((await signIn(own, PASSWORD)).error).toBeNull();
  expect((await signIn(long, longPassword)).error).toBeNull();
  expect([await storedHash(own), await storedHash(long)]).toEqual([ownHash, longHash]);
});

test.each([
  'plain text',
  '$2b$31$c29tZXNhbHRzb21lc2FsdHNvbWVzYWx0c29tZXNhbHRzb21lc2Fs',
  '$2b$10$short',
  '$argon2id$v=19$m=65536',
  '$6$rounds=5000$salt$hash',
])('the hash %s is refused', async (text) => {
  expect(await create(newEmail(), text)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
});

test('an unknown kind of hash opens nothing, and a password with a NUL is refused', async () => {
  const passwords = createPasswords({ algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 });
  for (const stored of ['plain words', '', '$argon2id$broken', undefined])
    expect(await passwords.verify(stored, 'plain words'), String(stored)).toBe(false);
  const rules = passwordRules(app.resources.settings);
  const owner = { email: null, metadata: {}, brand: 'Northline' };
  expect(() => requireStrongPassword(`${PASSWORD}\0`, rules, owner)).toThrow(
    'Password cannot hold a null character',
  );
  expect(() => requireStrongPassword(PASSWORD, rules, owner)).not.toThrow();
});
