import type { SupabaseClient } from '@supabase/supabase-js';
import { newEmail, PASSWORD, type World } from '../calling-world.ts';
import { mailedAddress, pressMailedButton } from '../mailed-links.ts';
import { totpCode } from '../totp-code.ts';

/** Signing up and in, what a session can do, and links in mails. */
export async function callAuth(world: World): Promise<void> {
  const { visitor, user, email } = world;
  const wrong = { email, password: 'not the password' };
  await world.make('Auth', 'visitor', [
    ['auth.initialize()', () => visitor.auth.initialize()],
    ['auth.signUp()', () => user.auth.signUp({ email, password: PASSWORD })],
    ['auth.signUp() again', () => visitor.auth.signUp({ email, password: PASSWORD })],
    ['auth.signUp() with a weak password', () => visitor.auth.signUp({ email: newEmail(), password: 'a' })],
    ['auth.signUp() with no address', () => visitor.auth.signUp({ email: 'nobody', password: PASSWORD })],
    ['auth.signInWithPassword()', () => user.auth.signInWithPassword({ email, password: PASSWORD })],
    ['auth.signInWithPassword() with a wrong one', () => visitor.auth.signInWithPassword(wrong)],
    ['auth.resetPasswordForEmail()', () => visitor.auth.resetPasswordForEmail(newEmail())],
    ['auth.signInWithOtp()', () => visitor.auth.signInWithOtp({ email: newEmail() })],
    [
      'auth.signInWithOtp() of nobody, who is not to be made',
      () => visitor.auth.signInWithOtp({ email: newEmail(), options: { shouldCreateUser: false } }),
    ],
    [
      'auth.verifyOtp() with a wrong code',
      () => visitor.auth.verifyOtp({ email, token: '000000', type: 'email' }),
    ],
    ['auth.resend()', () => visitor.auth.resend({ type: 'signup', email: newEmail() })],
    [
      'auth.refreshSession() with no such token',
      () => visitor.auth.refreshSession({ refresh_token: 'nothing' }),
    ],
    ['auth.getSession() without one', () => visitor.auth.getSession(), ({ session }) => String(session)],
    ['auth.getUser() without a session', () => visitor.auth.getUser()],
  ]);
  await callWithSession(world);
  await callPkce(world);
  await callOtherDevice(world);
}

async function callWithSession({ user, make }: World): Promise<void> {
  const { data } = await user.auth.getSession();
  const session = data.session ?? { access_token: '', refresh_token: '' };
  const events: string[] = [];
  await make('Auth', 'user', [
    [
      'auth.onAuthStateChange()',
      async () => user.auth.onAuthStateChange((event) => void events.push(event)),
      ({ subscription }: { subscription: object }) => typeof subscription,
    ],
    ['auth.getUser()', () => user.auth.getUser()],
    ['auth.getClaims()', () => user.auth.getClaims(), ({ claims }) => `${claims.role}, ${claims.aal}`],
    ['auth.setSession()', () => user.auth.setSession(session)],
    ['auth.refreshSession()', () => user.auth.refreshSession()],
    ['auth.startAutoRefresh()', () => user.auth.startAutoRefresh()],
    ['auth.stopAutoRefresh()', () => user.auth.stopAutoRefresh()],
    [
      'auth.updateUser({ data })',
      () => user.auth.updateUser({ data: { name: 'Anna' } }),
      ({ user: { user_metadata } }) => user_metadata.name,
    ],
    [
      'auth.updateUser({ password }) without the one before',
      () => user.auth.updateUser({ password: PASSWORD }),
    ],
    [
      'auth.updateUser({ password }) with the same',
      () => user.auth.updateUser({ password: PASSWORD, current_password: PASSWORD }),
    ],
    [
      'auth.updateUser({ password })',
      () => user.auth.updateUser({ password: `${PASSWORD} new`, current_password: PASSWORD }),
    ],
    ['auth.updateUser({ email }) to no address', () => user.auth.updateUser({ email: 'nobody' })],
    ['auth.reauthenticate()', () => user.auth.reauthenticate()],
    [
      'auth.getUserIdentities()',
      () => user.auth.getUserIdentities(),
      ({ identities }) => identities.map((one: { provider: string }) => one.provider).join(', '),
    ],
  ]);
  await make('Auth', 'user', [
    [
      'auth.onAuthStateChange() has heard of',
      async () => ({ data: [...new Set(events)] }),
      (list: string[]) => list.join(', '),
    ],
  ]);
}

/** The PKCE flow from a mailed link to a session, and the code of the mail. */
async function callPkce(world: World): Promise<void> {
  const address = newEmail();
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const client = world.connect(world.anonKey, 0, { flowType: 'pkce', persistSession: true, storage });
  let code = '';
  await world.make('Auth', 'visitor', [
    ['auth.signInWithOtp() with PKCE', () => client.auth.signInWithOtp({ email: address })],
    [
      'auth.exchangeCodeForSession()',
      async () => {
        const link = await mailedAddress(world.origins[0] ?? '', address);
        code = (await pressMailedButton(world.origins[0] ?? '', link)).searchParams.get('code') ?? '';
        return client.auth.exchangeCodeForSession(code);
      },
      ({ user }) => String(user.email === address),
    ],
    [
      'auth.exchangeCodeForSession() a second time',
      async () => {
        // Only a client that has asked for a link has a verifier to send.
        await client.auth.signInWithOtp({ email: newEmail() });
        return client.auth.exchangeCodeForSession(code);
      },
    ],
    ['auth.dispose()', () => client.auth.dispose()],
  ]);
}

async function callOtherDevice(world: World): Promise<void> {
  const other = world.connect();
  const password = `${PASSWORD} new`;
  const signIn = () => other.auth.signInWithPassword({ email: world.email, password });
  await signIn();
  await world.make('Auth', 'user', [
    ["auth.signOut({ scope: 'others' })", () => world.user.auth.signOut({ scope: 'others' })],
    ['auth.getUser() after the other signed it out', () => other.auth.getUser()],
    ['auth.signInWithPassword() there again', signIn],
    ["auth.signOut({ scope: 'local' })", () => other.auth.signOut({ scope: 'local' })],
    ['auth.getUser() of the one that stayed', () => world.user.auth.getUser()],
  ]);
}

/** Second factors, on a separate account. */
export async function callFactors(world: World): Promise<void> {
  const client = world.connect(undefined, 0, { experimental: { recoveryCodes: true } });
  const { recoveryCodes } = client.auth.mfa;
  let codes: string[] = [];
  await client.auth.signUp({ email: newEmail(), password: PASSWORD });
  const first = { factorId: '', secret: '' };
  const second = { factorId: '', secret: '' };
  let challengeId = '';
  const enroll = (friendlyName: string, kept: typeof first) => async () => {
    const made = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName });
    Object.assign(kept, { factorId: made.data?.id ?? '', secret: made.data?.totp.secret ?? '' });
    return made;
  };
  await world.make('Second factors', 'user', [
    ['auth.mfa.enroll()', enroll('first', first), ({ totp }) => totp.uri.slice(0, 15)],
    ['auth.mfa.enroll() of the same name', () => enroll('first', { ...second })()],
    [
      'auth.mfa.challenge()',
      async () => {
        const made = await client.auth.mfa.challenge({ factorId: first.factorId });
        challengeId = made.data?.id ?? '';
        return made;
      },
    ],
    [
      'auth.mfa.verify() with a wrong code',
      () => client.auth.mfa.verify({ factorId: first.factorId, challengeId, code: '000000' }),
    ],
    [
      'auth.mfa.verify()',
      async () =>
        client.auth.mfa.verify({
          factorId: first.factorId,
          challengeId,
          code: await totpCode(first.secret),
        }),
    ],
    ['auth.mfa.enroll() of a second one', enroll('second', second)],
    [
      'auth.mfa.challengeAndVerify()',
      async () =>
        client.auth.mfa.challengeAndVerify({
          factorId: second.factorId,
          code: await totpCode(second.secret),
        }),
    ],
    [
      'auth.mfa.listFactors()',
      () => client.auth.mfa.listFactors(),
      ({ totp }) => totp.map((one: { friendly_name: string }) => one.friendly_name).join(', '),
    ],
    [
      'auth.mfa.getAuthenticatorAssuranceLevel()',
      () => client.auth.mfa.getAuthenticatorAssuranceLevel(),
      ({ currentLevel, nextLevel }) => `${currentLevel}, ${nextLevel}`,
    ],
    ['auth.mfa.recoveryCodes.generate()', () => recoveryCodes.generate(), ({ total }) => total],
    [
      'auth.mfa.recoveryCodes.regenerate()',
      async () => {
        const made = await recoveryCodes.regenerate();
        codes = made.data?.codes ?? [];
        return made;
      },
      ({ total }) => total,
    ],
    ['auth.mfa.recoveryCodes.verify() of a wrong one', () => recoveryCodes.verify({ code: 'wrong' })],
    ['auth.mfa.recoveryCodes.verify()', () => recoveryCodes.verify({ code: codes[0] ?? '' })],
    ['auth.mfa.recoveryCodes.verify() again', () => recoveryCodes.verify({ code: codes[0] ?? '' })],
    [
      'auth.mfa.recoveryCodes.getStatus()',
      () => recoveryCodes.getStatus(),
      ({ total, remaining }) => `${remaining} of ${total}`,
    ],
    ['auth.mfa.unenroll()', () => client.auth.mfa.unenroll({ factorId: second.factorId })],
    ['auth.mfa.recoveryCodes.unenroll()', () => recoveryCodes.unenroll()],
    ['auth.mfa.recoveryCodes.getStatus() without any', () => recoveryCodes.getStatus()],
  ]);
}

/** The end of the main session. */
export async function callSignOut({
  user,
  make,
}: {
  user: SupabaseClient;
  make: World['make'];
}): Promise<void> {
  await make('Auth', 'user', [
    ['auth.signOut()', () => user.auth.signOut()],
    ['auth.getUser() after it', () => user.auth.getUser()],
  ]);
}
