import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ceremony, newAuthenticator } from '../../../../tests/support/auth/software-authenticator.ts';
import { callAuth, signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let here: Ceremony;
beforeAll(async () => {
  app = await startTestApp();
  here = { origin: app.url.replace('127.0.0.1', 'localhost'), unverified: true };
});
afterAll(() => app.close());

/** A signed-up person with a device, before its key is a factor. */
async function enrolled() {
  const { client, session } = await signUpPerson(app);
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Key ring' });
  expect(error).toBeNull();
  expect(data).toMatchObject({ type: 'webauthn', friendly_name: 'Key ring' });
  const factorId = data?.id ?? '';
  const device = newAuthenticator();
  // As sent over the wire: the client's own methods turn the options into browser objects.
  const challenge = async (bearer: string) => {
    const { body } = await callAuth(app, 'POST', `/factors/${factorId}/challenge`, {
      bearer,
      body: { webauthn: { rpId: 'localhost', rpOrigins: [here.origin] } },
    });
    return body as unknown as {
      id: string;
      type: string;
      webauthn: {
        type: string;
        credential_options: { publicKey: { challenge: string; user: { id: string } } };
      };
    };
  };
  const verify = (bearer: string, challengeId: string, type: string, credential_response: unknown) =>
    callAuth(app, 'POST', `/factors/${factorId}/verify`, {
      bearer,
      body: { challenge_id: challengeId, webauthn: { type, rpId: 'localhost', credential_response } },
    });
  return { bearer: session.access_token, factorId, device, challenge, verify };
}

test('a device becomes a second factor and raises a session', async () => {
  const { bearer, device, challenge, verify } = await enrolled();
  const made = await challenge(bearer);
  expect(made).toMatchObject({ type: 'webauthn', webauthn: { type: 'create' } });
  const key = device.create(made.webauthn.credential_options.publicKey, here);
  const raised = await verify(bearer, made.id, 'create', key);
  expect(raised.status).toBe(200);
  const first = raised.body as unknown as { access_token: string };
  const claims = JSON.parse(Buffer.from(first.access_token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/webauthn' }, { method: 'password' }] });

  const asked = await challenge(first.access_token);
  expect(asked.webauthn).toMatchObject({
    type: 'request',
    credential_options: { publicKey: { allowCredentials: [{ id: device.credentialId }], rpId: 'localhost' } },
  });
  const answer = device.get(asked.webauthn.credential_options.publicKey, here);
  expect((await verify(first.access_token, asked.id, 'request', answer)).status).toBe(200);
  const again = await verify(first.access_token, asked.id, 'request', answer);
  expect(again.body.code).toBe('mfa_factor_not_found');
});

test('attack: another device, origin or challenge, and a code in place of a signature, are refused', async () => {
  const { bearer, device, challenge, verify, factorId } = await enrolled();
  const made = await challenge(bearer);
  const evil = { ...here, origin: 'https://evil.example' };
  const { publicKey } = made.webauthn.credential_options;
  expect((await verify(bearer, made.id, 'create', device.create(publicKey, evil))).body.code).toBe(
    'mfa_verification_failed',
  );
  const raised = await verify(bearer, made.id, 'create', device.create(publicKey, here));
  const token = (raised.body as unknown as { access_token: string }).access_token;
  const asked = await challenge(token);
  const options = asked.webauthn.credential_options.publicKey;
  const stranger = newAuthenticator();
  stranger.create({ challenge: '', user: { id: '' } }, here);
  const answers = [
    stranger.get(options, here),
    { ...stranger.get(options, here), id: device.credentialId, rawId: device.credentialId },
    device.get(options, evil),
    device.get({ challenge: 'another' }, here),
  ];
  for (const answer of answers) {
    expect((await verify(token, asked.id, 'request', answer)).body.code).toBe('mfa_verification_failed');
  }
  const code = await callAuth(app, 'POST', `/factors/${factorId}/verify`, {
    bearer: token,
    body: { challenge_id: asked.id, code: '000000' },
  });
  expect([code.status, code.body.code]).toEqual([400, 'validation_failed']);
});

test('attack: a challenge that asked no device accepts no answer', async () => {
  const { bearer, device, challenge, verify } = await enrolled();
  const made = await challenge(bearer);
  await app.resources.database.run('update auth.mfa_challenges set webauthn_challenge = null where id = $1', [
    made.id,
  ]);
  for (const asked of ['', made.webauthn.credential_options.publicKey.challenge]) {
    const key = device.create({ challenge: asked, user: { id: '' } }, here);
    expect((await verify(bearer, made.id, 'create', key)).body.code).toBe('mfa_verification_failed');
  }
});
