import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAgain } from '../../../../tests/support/auth/authenticator.ts';
import { readMail } from '../../../../tests/support/auth/mail-read.ts';
import { codeInSms, readSms } from '../../../../tests/support/auth/sms-read.ts';
import { callAuth, signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_MFA_PHONE: 'true' } });
});
afterAll(() => app.close());

/** A person whose phone counts as a second factor. */
async function withPhone(phone: string) {
  const person = await signUpPerson(app);
  const { mfa } = person.client.auth;
  const { data } = await mfa.enroll({ factorType: 'phone', phone, friendlyName: 'Mobile' });
  if (data === null) throw new Error('not enrolled');
  const challenge = await mfa.challenge({ factorId: data.id, channel: 'sms' });
  const challengeId = challenge.data?.id ?? '';
  const message = await readSms(app.url, phone);
  const verified = await mfa.verify({ factorId: data.id, challengeId, code: codeInSms(message) });
  expect(verified.error).toBeNull();
  return { ...person, factorId: data.id, phone, message, challengeId };
}

test('a phone is enrolled with the code that it got, and raises the session', async () => {
  const person = await withPhone('+447700900171');
  const { mfa } = person.client.auth;
  expect((await mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
    currentLevel: 'aal2',
    currentAuthenticationMethods: [{ method: 'mfa/phone' }, { method: 'password' }],
  });
  const { data } = await mfa.listFactors();
  expect(data?.phone).toMatchObject([{ id: person.factorId, factor_type: 'phone', phone: '447700900171' }]);
  await readMail(app.url, person.email, /second factor was added/);
  const same = await mfa.enroll({ factorType: 'phone', phone: '+447700900171' });
  expect(same.error).toMatchObject({ status: 422, code: 'mfa_verified_factor_exists' });
});

test('on another device each challenge has its own code, which works once', async () => {
  const person = await withPhone('+447700900172');
  const { client } = await signInAgain(app, person);
  const { factorId } = person;
  const { data: challenge } = await client.auth.mfa.challenge({ factorId, channel: 'sms' });
  const message = await readSms(app.url, person.phone, person.message.id);
  const challengeId = challenge?.id ?? '';
  const code = codeInSms(message);
  const old = await client.auth.mfa.verify({ factorId, challengeId: person.challengeId, code });
  expect(old.error).toMatchObject({ status: 422, code: 'mfa_factor_not_found' });
  const wrong = await client.auth.mfa.verify({ factorId, challengeId, code: '12345' });
  expect(wrong.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
  expect((await client.auth.mfa.verify({ factorId, challengeId, code })).error).toBeNull();
  const twice = await client.auth.mfa.verify({ factorId, challengeId, code });
  expect(twice.error).toMatchObject({ status: 422 });
});

test('one message a minute to a number', async () => {
  const limited = await startTestApp({ settings: { AUTH_MFA_PHONE: 'true', RATE_LIMITS: 'on' } });
  const { client } = await signUpPerson(limited);
  const { data } = await client.auth.mfa.enroll({ factorType: 'phone', phone: '+447700900173' });
  const factorId = data?.id ?? '';
  expect((await client.auth.mfa.challenge({ factorId, channel: 'sms' })).error).toBeNull();
  const second = await client.auth.mfa.challenge({ factorId, channel: 'sms' });
  expect(second.error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' });
  await limited.close();
});

test('when phones are switched off later, their challenges are refused', async () => {
  const person = await withPhone('+447700900174');
  const off = await startTestApp({ beside: app });
  const { session } = await signInAgain(off, person);
  const reply = await callAuth(off, 'POST', `/factors/${person.factorId}/challenge`, {
    bearer: session.access_token,
  });
  expect(reply).toMatchObject({ status: 422, body: { code: 'mfa_phone_verify_not_enabled' } });
  await off.close();
});
