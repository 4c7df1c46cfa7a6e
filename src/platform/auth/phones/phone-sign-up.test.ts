import { randomInt } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { codeInSms, readSms, readSmsCode } from '../../../../tests/support/auth/sms-read.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { ask } from '../../../../tests/support/test-database.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';

/** An unused number in the range reserved for fiction. */
const newPhone = (): string => `+447700${randomInt(100_000, 999_999)}`;

describe('where accounts are confirmed by a code', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ settings: { AUTH_AUTOCONFIRM: 'false' } });
  });
  afterAll(() => app.close());

  test('sign-up by phone sends a code, which confirms the number and signs in; the password works then', async () => {
    const client = newClient(app);
    const phone = newPhone();
    const { data } = await client.auth.signUp({ phone, password: PASSWORD, options: { data: { a: 1 } } });
    expect(data.session).toBeNull();
    expect(data.user).toMatchObject({
      phone: phone.slice(1),
      email: '',
      app_metadata: { provider: 'phone', providers: ['phone'] },
      identities: [{ provider: 'phone', identity_data: { phone: phone.slice(1), phone_verified: false } }],
    });
    const early = await client.auth.signInWithPassword({ phone, password: PASSWORD });
    expect(early.error).toMatchObject({ status: 400, code: 'phone_not_confirmed' });
    const wrong = await client.auth.verifyOtp({ phone, token: '000000', type: 'sms' });
    expect(wrong.error).toMatchObject({ status: 403, code: 'otp_expired' });
    const token = await readSmsCode(app.url, phone);
    const { data: verified } = await client.auth.verifyOtp({ phone, token, type: 'sms' });
    expect(verified.user).toMatchObject({ phone_confirmed_at: expect.any(String), user_metadata: { a: 1 } });
    expect((await client.auth.verifyOtp({ phone, token, type: 'sms' })).error).toMatchObject({
      code: 'otp_expired',
    });
    const again = await newClient(app).auth.signInWithPassword({ phone, password: PASSWORD });
    expect(again.error).toBeNull();
    expect(again.data.user?.id).toBe(data.user?.id);
  });

  test('a taken number gets the same reply, and its owner a message without a code', async () => {
    const phone = newPhone();
    const first = newClient(app);
    await first.auth.signUp({ phone, password: PASSWORD });
    const before = await readSms(app.url, phone);
    const known = await first.auth.verifyOtp({ phone, token: codeInSms(before), type: 'sms' });
    const { data } = await newClient(app).auth.signUp({ phone, password: `${PASSWORD} 2` });
    expect(data.user?.id).not.toBe(known.data.user?.id);
    expect(data.user?.identities).toHaveLength(1);
    expect((await readSms(app.url, phone, before.id)).text).toContain('already has an account');
  });

  test('a one-time login by phone removes the password that somebody else prepared', async () => {
    const phone = newPhone();
    await newClient(app).auth.signUp({ phone, password: PASSWORD });
    const prepared = await readSms(app.url, phone);
    const { data } = await newClient(app).auth.signInWithOtp({ phone });
    expect(data).toMatchObject({ messageId: expect.any(String) });
    const message = await readSms(app.url, phone, prepared.id);
    const owner = newClient(app);
    const { error } = await owner.auth.verifyOtp({ phone, token: codeInSms(message), type: 'sms' });
    expect(error).toBeNull();
    const thief = await newClient(app).auth.signInWithPassword({ phone, password: PASSWORD });
    expect(thief.error).toMatchObject({ code: 'invalid_credentials' });
  });

  test('without create_user an unknown number gets the same reply and no message', async () => {
    const phone = newPhone();
    const unknown = await callAuth(app, 'POST', '/otp', { body: { phone, create_user: false } });
    expect(unknown).toMatchObject({ status: 200, body: { message_id: expect.any(String) } });
    const sent = await app.resources.sms.kept(100);
    expect(sent.filter(({ to }) => to === phone.slice(1))).toEqual([]);
  });

  test('an account without a mail address changes its number and its password by codes', async () => {
    const client = newClient(app);
    const phone = newPhone();
    await client.auth.signInWithOtp({ phone });
    const first = await readSms(app.url, phone);
    await client.auth.verifyOtp({ phone, token: codeInSms(first), type: 'sms' });
    expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
    expect((await client.auth.reauthenticate()).error).toBeNull();
    const nonce = await readSmsCode(app.url, phone, first.id);
    const changed = await client.auth.updateUser({ password: `${PASSWORD} new`, nonce });
    expect(changed.error).toBeNull();

    const next = newPhone();
    const { data } = await client.auth.updateUser({ phone: next });
    expect(data.user).toMatchObject({ phone: phone.slice(1), new_phone: next.slice(1) });
    const code = await readSms(app.url, next);
    expect((await client.auth.resend({ type: 'phone_change', phone: next })).error).toBeNull();
    const token = await readSmsCode(app.url, next, code.id);
    const { data: moved } = await client.auth.verifyOtp({ phone: next, token, type: 'phone_change' });
    expect(moved.user).toMatchObject({ phone: next.slice(1) });
    expect(moved.user?.new_phone).toBeUndefined();
    const other = await newClient(app).auth.signInWithPassword({ phone, password: `${PASSWORD} new` });
    expect(other.error).toMatchObject({ code: 'invalid_credentials' });
  });

  /** An account that was opened by the code of a text message. */
  async function openedByCode() {
    const [client, phone] = [newClient(app), newPhone()];
    await client.auth.signInWithOtp({ phone });
    const message = await readSms(app.url, phone);
    const { data } = await client.auth.verifyOtp({ phone, token: codeInSms(message), type: 'sms' });
    return { client, phone, message, id: data.user?.id };
  }

  test('a confirmed number signs in by a code again, but not by a code from before it was given up', async () => {
    const { client, phone, message, id } = await openedByCode();
    await client.auth.signInWithOtp({ phone });
    const next = await readSms(app.url, phone, message.id);
    const again = await client.auth.verifyOtp({ phone, token: codeInSms(next), type: 'sms' });
    expect(again.data.user?.id).toBe(id);
    await client.auth.signInWithOtp({ phone });
    const token = await readSmsCode(app.url, phone, next.id);
    await app.resources.database.run('update auth.users set phone = $2 where id = $1', [
      id,
      newPhone().slice(1),
    ]);
    const left = await client.auth.verifyOtp({ phone, token, type: 'sms' });
    expect(left.error).toMatchObject({ status: 403, code: 'otp_expired' });
  });

  test.each([
    ['went to another account meanwhile', 'insert into auth.users (phone) values ($1)'],
    ['is not wanted any more', 'update auth.users set phone_change = null where phone_change = $1'],
  ])('a code for a number that %s changes nothing', async (_name, change) => {
    const { client, phone } = await openedByCode();
    const wanted = newPhone();
    await client.auth.updateUser({ phone: wanted });
    const token = await readSmsCode(app.url, wanted);
    await app.resources.database.run(uncheckedSql(change, 'composed'), [wanted.slice(1)]);
    const { error } = await client.auth.verifyOtp({ phone: wanted, token, type: 'phone_change' });
    expect(error).toMatchObject({ status: 403, code: 'otp_expired' });
    expect((await client.auth.getUser()).data.user?.phone).toBe(phone.slice(1));
  });

  test('a later sign-up takes over a number that nobody confirmed, with its own password', async () => {
    const phone = newPhone();
    await newClient(app).auth.signUp({ phone, password: PASSWORD });
    const older = await readSms(app.url, phone);
    await newClient(app).auth.signUp({ phone, password: `${PASSWORD} later` });
    const newer = await readSmsCode(app.url, phone, older.id);
    const { error } = await newClient(app).auth.verifyOtp({ phone, token: newer, type: 'sms' });
    expect(error).toBeNull();
    const signIn = (password: string) => newClient(app).auth.signInWithPassword({ phone, password });
    expect((await signIn(PASSWORD)).error?.code).toBe('invalid_credentials');
    expect((await signIn(`${PASSWORD} later`)).error).toBeNull();
  });

  test.each([
    ['/resend', { type: 'sms' }, 'Type provided requires a phone number'],
    [
      '/otp',
      { phone: '+447700900198', channel: 'post' },
      'Invalid channel, supported values are sms and whatsapp',
    ],
  ])('POST %s with %j is refused: %s', async (path, body, message) => {
    const reply = await callAuth(app, 'POST', path, { body });
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation_failed', message } });
  });

  test('a number that was never confirmed does not prove anybody for a new password', async () => {
    const { client, id } = await openedByCode();
    await app.resources.database.run('update auth.users set phone_confirmed_at = null where id = $1', [id]);
    expect((await client.auth.reauthenticate()).error).toMatchObject({
      status: 422,
      code: 'phone_not_confirmed',
    });
  });

  test('the code of a sign-up is sent again', async () => {
    const phone = newPhone();
    const client = newClient(app);
    await client.auth.signUp({ phone, password: PASSWORD });
    const first = await readSms(app.url, phone);
    const { error } = await client.auth.resend({ type: 'sms', phone });
    expect(error).toBeNull();
    const token = await readSmsCode(app.url, phone, first.id);
    expect((await client.auth.verifyOtp({ phone, token, type: 'sms' })).error).toBeNull();
  });
});

describe('where accounts confirm themselves', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  test('sign-up by phone returns a session, once for each number', async () => {
    const phone = newPhone();
    const { data } = await newClient(app).auth.signUp({ phone, password: PASSWORD });
    expect(data.session?.user).toMatchObject({
      phone: phone.slice(1),
      phone_confirmed_at: expect.any(String),
    });
    const again = await newClient(app).auth.signUp({ phone, password: PASSWORD });
    expect(again.error).toMatchObject({ status: 422, code: 'user_already_exists' });
    const { client } = await signUpPerson(app);
    expect((await client.auth.updateUser({ phone })).error).toMatchObject({
      status: 422,
      code: 'phone_exists',
    });
  });

  test('the operator makes, finds and changes accounts with a number', async () => {
    const phone = newPhone();
    const admin = (method: string, path: string, body?: object) =>
      callAuth(app, method, `/admin/users${path}`, { bearer: app.serviceKey, body });
    const made = await admin('POST', '', { phone, password: PASSWORD, phone_confirm: true });
    expect(made.body).toMatchObject({ phone: phone.slice(1), phone_confirmed_at: expect.any(String) });
    expect((await admin('POST', '', { phone })).body.code).toBe('phone_exists');
    expect((await admin('POST', '', { phone, email: newEmail() })).body.code).toBe('phone_exists');
    const found = await admin('GET', `?filter=${phone.slice(1)}`);
    expect(found.body.users).toMatchObject([{ id: made.body.id }]);
    const next = newPhone();
    expect((await admin('PUT', `/${made.body.id}`, { phone: next })).body).toMatchObject({
      phone: next.slice(1),
    });
    const signedIn = await newClient(app).auth.signInWithPassword({ phone: next, password: PASSWORD });
    expect(signedIn.error).toBeNull();
  });
});

test('one message a minute to a number, and none where numbers are switched off', async () => {
  const app = await startTestApp({ settings: { RATE_LIMITS: 'on' } });
  const phone = newPhone();
  expect((await newClient(app).auth.signInWithOtp({ phone })).error).toBeNull();
  const second = await callAuth(app, 'POST', '/otp', { body: { phone } });
  expect(second).toMatchObject({ status: 429, body: { code: 'over_sms_send_rate_limit' } });
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
  await app.close();
  const off = await startTestApp({ settings: { AUTH_PHONE: 'false' } });
  for (const [path, body] of [
    ['/signup', { phone, password: PASSWORD }],
    ['/otp', { phone }],
    ['/token?grant_type=password', { phone, password: PASSWORD }],
    ['/resend', { type: 'sms', phone }],
    ['/verify', { type: 'sms', phone, token: '123456' }],
  ] as const) {
    const reply = await callAuth(off, 'POST', path, { body });
    expect(reply, path).toMatchObject({ status: 400, body: { code: 'phone_provider_disabled' } });
  }
  await off.close();
});

test('messages go to Twilio in the form of its REST API, and its refusal is reported without its words', async () => {
  const seen: { url: string; authorization: string; form: URLSearchParams }[] = [];
  const provider = http.createServer(async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const form = new URLSearchParams(text);
    seen.push({ url: request.url ?? '', authorization: request.headers.authorization ?? '', form });
    reply.setHeader('content-type', 'application/json');
    if (form.get('To')?.endsWith('0')) {
      reply.writeHead(400);
      reply.end(JSON.stringify({ code: 21211, message: "Invalid 'To' Phone Number", status: 400 }));
    } else {
      reply.writeHead(201);
      reply.end(JSON.stringify({ sid: 'SM0123456789abcdef0123456789abcdef', status: 'queued' }));
    }
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const app = await startTestApp({
    settings: { SMS_URL: `http://AC01:to%2Fken@${host}?from=+15550100`, OUTBOUND_ALLOW_HOSTS: host },
  });
  const ok = await newClient(app).auth.signInWithOtp({ phone: '+447700900121' });
  expect(ok.data).toMatchObject({ messageId: 'SM0123456789abcdef0123456789abcdef' });
  const byChat = await newClient(app).auth.signInWithOtp({
    phone: '+447700900122',
    options: { channel: 'whatsapp' },
  });
  expect(byChat.error).toBeNull();
  expect(seen[0]).toMatchObject({
    url: '/2010-04-01/Accounts/AC01/Messages.json',
    authorization: `Basic ${Buffer.from('AC01:to/ken').toString('base64')}`,
  });
  expect(Object.fromEntries(seen[0]?.form ?? [])).toEqual({
    To: '+447700900121',
    From: '+15550100',
    Body: expect.stringMatching(/^\d{6} is your Northline code/),
  });
  expect(seen[1]?.form.get('To')).toBe('whatsapp:+447700900122');
  expect(seen[1]?.form.get('From')).toBe('whatsapp:+15550100');
  const refused = await newClient(app).auth.signInWithOtp({ phone: '+447700900120' });
  expect(refused.error).toMatchObject({ status: 422, code: 'sms_send_failed' });
  expect(refused.error?.message).not.toContain('Invalid');
  await app.close();
  provider.close();
});

test('a broken mailbox is our fault and not a refusal by a provider; the log has failures that nobody waits for', async () => {
  const lines: string[] = [];
  const app = await startTestApp({
    settings: { AUTH_AUTOCONFIRM: 'false', LOG_LEVEL: 'warn' },
    logTo: { write: (line: string) => void lines.push(line) },
  });
  onTestFinished(() => app.close());
  const phone = newPhone();
  await newClient(app).auth.signUp({ phone, password: PASSWORD });
  await ask(app.databaseUrl, 'alter table private.text_messages rename to away');
  const fault = await callAuth(app, 'POST', '/otp', { body: { phone } });
  expect(fault).toMatchObject({ status: 500, body: { code: 'unexpected_failure' } });
  const resent = await callAuth(app, 'POST', '/resend', { body: { type: 'sms', phone } });
  expect(resent).toMatchObject({ status: 200, body: { message_id: expect.any(String) } });
  await expect
    .poll(() => lines.filter((line) => line.includes('a text message was not sent')))
    .toHaveLength(1);
  expect(lines.join()).not.toContain(phone.slice(1));
});
