import { createClient } from '@supabase/supabase-js';
import { newEmail, PASSWORD, type World } from '../calling-world.ts';
import { spreadFetch } from '../record-calls.ts';
import { newWebAuthenticator } from '../web-authenticator.ts';

/** Sign-in by other providers, by a company's single sign-on, and identities of one account. */
export async function callProviders(world: World): Promise<void> {
  const { visitor, make, issuer } = world;
  const member = world.connect();
  await member.auth.signUp({ email: newEmail(), password: PASSWORD });
  const token = await tokenOf(issuer);
  const person = world.connect();
  const domain = { domain: 'acme.example', options: { skipBrowserRedirect: true } };
  const link = { provider: 'google' as const, options: { skipBrowserRedirect: true } };
  await make('Auth', 'visitor', [
    [
      'auth.signInWithOAuth()',
      () => visitor.auth.signInWithOAuth({ provider: 'google', options: { skipBrowserRedirect: true } }),
      ({ url }) => new URL(url).pathname,
    ],
    [
      'auth.signInWithIdToken()',
      () => person.auth.signInWithIdToken({ provider: 'google', token }),
      ({ user }) => user.app_metadata.provider,
    ],
    [
      'auth.signInWithIdToken() that nobody signed',
      () => visitor.auth.signInWithIdToken({ provider: 'google', token: 'nonsense' }),
    ],
    [
      'auth.signInWithIdToken() of no such provider',
      () => visitor.auth.signInWithIdToken({ provider: 'apple', token }),
    ],
    ['auth.signInWithSSO()', () => visitor.auth.signInWithSSO(domain), ({ url }) => new URL(url).host],
    [
      'auth.signInWithSSO() of no such domain',
      () => visitor.auth.signInWithSSO({ ...domain, domain: 'nobody.example' }),
    ],
  ]);
  await make('Auth', 'user', [
    ['auth.linkIdentity()', () => member.auth.linkIdentity(link), ({ url }) => new URL(url).pathname],
    [
      'auth.linkIdentity({ token })',
      async () => member.auth.linkIdentity({ provider: 'google', token: await tokenOf(issuer) }),
      ({ user }) => user.app_metadata.providers.join(),
    ],
    [
      'auth.linkIdentity({ token }) of somebody else',
      () => member.auth.linkIdentity({ provider: 'google', token }),
    ],
    ['auth.unlinkIdentity()', async () => member.auth.unlinkIdentity(await identityOf(member, 'google'))],
    [
      'auth.unlinkIdentity() of the last one',
      async () => member.auth.unlinkIdentity(await identityOf(member, 'email')),
    ],
  ]);
  await callPasskeys(world);
}

/** An ID token for a new person, from the provider beside the cases. */
async function tokenOf(issuer: string): Promise<string> {
  return (await fetch(`${issuer}/test-token`)).text();
}

async function identityOf(client: ReturnType<World['connect']>, provider: string) {
  const { data } = await client.auth.getUserIdentities();
  const found = data?.identities.find((identity) => identity.provider === provider);
  if (found === undefined) throw new TypeError(`no identity of ${provider}`);
  return found;
}

/**
 * Keys belong to one address, so one process receives the answers that name it; another gives the challenge.
 */
async function callPasskeys({ origins, anonKey, visitor, service, make }: World): Promise<void> {
  const home = origins.at(-1) ?? '';
  const client = createClient(home, anonKey, {
    auth: { persistSession: false, autoRefreshToken: false, storageKey: newEmail() },
    global: { fetch: spreadFetch([home]) },
  });
  const device = await newWebAuthenticator(home.replace('127.0.0.1', 'localhost'));
  const { data: signedUp } = await client.auth.signUp({ email: newEmail(), password: PASSWORD });
  const userId = signedUp.user?.id ?? '';
  let started = { challenge_id: '', options: { challenge: '', user: { id: '' } } };
  let asked = { challenge_id: '', options: { challenge: '' } };
  let passkeyId = '';
  const { passkey } = client.auth;
  await make('Auth', 'user', [
    [
      'auth.passkey.startRegistration()',
      async () => {
        const result = await passkey.startRegistration();
        if (result.data !== null) started = result.data as unknown as typeof started;
        return result;
      },
      ({ options }) => options.rp.id,
    ],
    [
      'auth.passkey.verifyRegistration()',
      async () => {
        const { challenge, user } = started.options;
        const credential = (await device.create(challenge, user.id)) as never;
        const result = await passkey.verifyRegistration({ challengeId: started.challenge_id, credential });
        passkeyId = result.data?.id ?? '';
        return result;
      },
    ],
    ['auth.passkey.list()', () => passkey.list(), (list) => list.length],
    [
      'auth.passkey.update()',
      () => passkey.update({ passkeyId, friendlyName: 'Work' }),
      ({ friendly_name }) => friendly_name,
    ],
  ]);
  await make('Auth', 'visitor', [
    [
      'auth.passkey.startAuthentication()',
      async () => {
        const result = await visitor.auth.passkey.startAuthentication();
        if (result.data !== null) asked = result.data as unknown as typeof asked;
        return result;
      },
    ],
    ...(['auth.passkey.verifyAuthentication()', 'auth.passkey.verifyAuthentication() again'] as const).map(
      (name) =>
        [
          name,
          async () => {
            const credential = (await device.get(asked.options.challenge)) as never;
            return passkey.verifyAuthentication({ challengeId: asked.challenge_id, credential });
          },
        ] as const,
    ),
  ]);
  await make('Administration', 'service', [
    [
      'auth.admin.passkey.listPasskeys()',
      () => service.auth.admin.passkey.listPasskeys({ userId }),
      (list) => list.length,
    ],
    [
      'auth.admin.passkey.deletePasskey()',
      () => service.auth.admin.passkey.deletePasskey({ userId, passkeyId }),
    ],
  ]);
  await make('Auth', 'user', [['auth.passkey.delete() of none', () => passkey.delete({ passkeyId })]]);
}
