import { newEmail, PASSWORD, type World } from '../calling-world.ts';
import { messagedCode } from '../mailed-links.ts';

/** A phone as an account's second factor. */
export async function callPhoneFactor(world: World): Promise<void> {
  const client = world.connect();
  await client.auth.signUp({ email: newEmail(), password: PASSWORD });
  const phone = newPhone();
  let [factorId, challengeId] = ['', ''];
  await world.make('Second factors', 'user', [
    [
      "auth.mfa.enroll({ factorType: 'phone' })",
      async () => {
        const made = await client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'mobile' });
        factorId = made.data?.id ?? '';
        return made;
      },
      ({ type }) => type,
    ],
    [
      "auth.mfa.challenge({ channel: 'sms' })",
      async () => {
        const made = await client.auth.mfa.challenge({ factorId, channel: 'sms' });
        challengeId = made.data?.id ?? '';
        return made;
      },
    ],
    [
      'auth.mfa.verify() of its code',
      async () => {
        const code = await messagedCode(world.origins[0] ?? '', phone);
        return client.auth.mfa.verify({ factorId, challengeId, code });
      },
    ],
    [
      'auth.mfa.getAuthenticatorAssuranceLevel() then',
      () => client.auth.mfa.getAuthenticatorAssuranceLevel(),
      ({ currentLevel }) => currentLevel,
    ],
  ]);
}

const newPhone = () =>
  `+4477${String(crypto.getRandomValues(new Uint32Array(1))[0])
    .padStart(10, '0')
    .slice(-8)}`;

/** Accounts without an address, and accounts by phone number. */
export async function callAccounts(world: World): Promise<void> {
  const [guest, caller, again] = [world.connect(), world.connect(), world.connect()];
  const phone = newPhone();
  const origin = world.origins[0] ?? '';
  await world.make('Auth', 'visitor', [
    ['auth.signInAnonymously()', () => guest.auth.signInAnonymously(), ({ user }) => user.is_anonymous],
    [
      'auth.updateUser({ email }) of an anonymous account',
      () => guest.auth.updateUser({ email: newEmail(), password: PASSWORD }),
      ({ user }) => user.is_anonymous,
    ],
    ['auth.signInWithOtp({ phone })', () => caller.auth.signInWithOtp({ phone })],
    [
      'auth.verifyOtp({ phone }) with a wrong code',
      () => caller.auth.verifyOtp({ phone, token: '000000', type: 'sms' }),
    ],
    [
      'auth.verifyOtp({ phone })',
      async () => caller.auth.verifyOtp({ phone, token: await messagedCode(origin, phone), type: 'sms' }),
      ({ user }) => user.app_metadata.provider,
    ],
    ['auth.updateUser({ password }) of it', () => caller.auth.updateUser({ password: PASSWORD })],
    [
      'auth.signInWithPassword({ phone })',
      () => again.auth.signInWithPassword({ phone, password: PASSWORD }),
    ],
    ["auth.resend({ type: 'sms' })", () => again.auth.resend({ type: 'sms', phone: newPhone() })],
  ]);
}
