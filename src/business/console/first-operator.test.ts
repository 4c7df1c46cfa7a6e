import { afterAll, beforeAll, expect, test } from 'vitest';
import { newClient, signUpPerson } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { manageOperators } from '../../cli/operators-command.ts';
import { firstOperatorAddress } from './first-operator.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function post(name: string, bearer: string, body: object = {}) {
  const reply = await fetch(`${app.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { apikey: app.anonKey, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as { code?: string; email?: string } };
}

const overview = async (bearer: string): Promise<number> =>
  (
    await fetch(`${app.url}/functions/v1/operator-overview`, {
      headers: { apikey: app.anonKey, authorization: `Bearer ${bearer}` },
    })
  ).status;

const tokenOf = async (): Promise<string> =>
  ((await firstOperatorAddress(app.resources)) ?? '').split('owner=')[1] ?? '';

test('the address of the first start makes one account the operator, once, and is gone then', async () => {
  const address = await firstOperatorAddress(app.resources);
  expect(address).toMatch(new RegExp(`^${app.url}/operator#owner=[\\w-]{32}$`));
  const token = await tokenOf();
  const [ann, bob] = [await signUpPerson(app), await signUpPerson(app)];
  expect(
    await post('claim-console', ann.session.access_token, { token: `${token.slice(1)}x` }),
  ).toMatchObject({
    status: 403,
    body: { code: 'wrong_token' },
  });
  const answers = await Promise.all(
    [ann, bob].map(({ session }) => post('claim-console', session.access_token, { token })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const [first, other] = answers[0]?.status === 200 ? [ann, bob] : [bob, ann];
  expect(answers.find(({ status }) => status === 200)?.body).toEqual({ email: first.email });
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('console_has_operator');

  // The right is in the next access token.
  const { data } = await first.client.auth.refreshSession();
  expect(await overview(data.session?.access_token ?? '')).toBe(200);
  expect(await overview(other.session.access_token)).toBe(403);
  expect(await firstOperatorAddress(app.resources)).toBeUndefined();
  const audit = await app.resources.database.many(
    "select actor, subject, details from private.operator_audit where action = 'operator.add'",
  );
  expect(audit).toEqual([
    { actor: first.session.user.id, subject: first.email, details: { by: 'first start', to: 'owner' } },
  ]);

  // Also after the operator has gone: a token of the first start is no way back in.
  await manageOperators(app.resources.database, ['remove', first.email]);
  expect(await firstOperatorAddress(app.resources)).toBeUndefined();
  expect((await post('claim-console', other.session.access_token, { token })).status).toBe(409);
});

test('whoever has not confirmed an address does not get the console', async () => {
  const fresh = await startTestApp({ settings: { AUTH_ANONYMOUS: 'true' } });
  try {
    const client = newClient(fresh);
    const { data } = await client.auth.signInAnonymously();
    const token = ((await firstOperatorAddress(fresh.resources)) ?? '').split('owner=')[1] ?? '';
    const reply = await fetch(`${fresh.url}/functions/v1/claim-console`, {
      method: 'POST',
      headers: {
        apikey: fresh.anonKey,
        authorization: `Bearer ${data.session?.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ token }),
    });
    expect([reply.status, await reply.json()]).toMatchObject([403, { code: 'address_unconfirmed' }]);
  } finally {
    await fresh.close();
  }
});
