import type { GenerateLinkParams } from '@supabase/supabase-js';
import { newEmail, PASSWORD, type World } from '../calling-world.ts';

/** Accounts as an administrator sees them, and every kind of link. */
export async function callAdmin(world: World): Promise<void> {
  const { visitor, user, service } = world;
  const { admin } = service.auth;
  let id = '';
  const create = async () => {
    const made = await admin.createUser({ email: newEmail(), password: PASSWORD, email_confirm: true });
    id = made.data.user?.id ?? '';
    return made;
  };
  const { data } = await user.auth.getSession();
  const token = data.session?.access_token ?? '';
  const refused = world.connect(world.anonKey);
  await world.make('Administration', 'visitor', [
    ['auth.admin.listUsers()', () => visitor.auth.admin.listUsers()],
    ['auth.admin.createUser()', () => refused.auth.admin.createUser({ email: newEmail() })],
    ['auth.admin.signOut() of no session', () => visitor.auth.admin.signOut('nothing')],
  ]);
  await world.make('Administration', 'service', [
    ['auth.admin.createUser()', create],
    ['auth.admin.createUser() of a taken address', () => admin.createUser({ email: world.email })],
    [
      'auth.admin.listUsers()',
      () => admin.listUsers({ page: 1, perPage: 1 }),
      ({ users, nextPage }) => `${users.length}, next ${nextPage}`,
    ],
    ['auth.admin.getUserById()', () => admin.getUserById(id)],
    [
      'auth.admin.updateUserById()',
      () => admin.updateUserById(id, { user_metadata: { a: 1 }, app_metadata: { plan: 'x' } }),
      ({ user: one }) => `${one.user_metadata.a}, ${one.app_metadata.plan}`,
    ],
    [
      'auth.admin.updateUserById() to ban',
      () => admin.updateUserById(id, { ban_duration: '1h' }),
      ({ user: one }) => typeof one.banned_until,
    ],
    [
      'auth.admin.inviteUserByEmail()',
      () => admin.inviteUserByEmail(newEmail()),
      ({ user: one }) => typeof one.invited_at,
    ],
    [
      'auth.admin.mfa.listFactors()',
      () => admin.mfa.listFactors({ userId: id }),
      ({ factors }) => factors.length,
    ],
    [
      'auth.admin.mfa.deleteFactor() of none',
      () => admin.mfa.deleteFactor({ userId: id, id: '00000000-0000-4000-8000-000000000000' }),
    ],
    ['auth.admin.signOut()', () => admin.signOut(token, 'others')],
    ['auth.admin.deleteUser() softly', () => admin.deleteUser(id, true)],
    ['auth.admin.deleteUser()', () => admin.deleteUser(id)],
    ['auth.admin.getUserById() of nobody', () => admin.getUserById(id)],
  ]);
  await callLinks(world);
}

async function callLinks(world: World): Promise<void> {
  const known = newEmail();
  await world.service.auth.admin.createUser({ email: known, password: PASSWORD, email_confirm: true });
  const { admin } = world.service.auth;
  const links: readonly GenerateLinkParams[] = [
    { type: 'signup', email: newEmail(), password: PASSWORD },
    { type: 'invite', email: newEmail() },
    { type: 'magiclink', email: known },
    { type: 'recovery', email: known },
    { type: 'email_change_current', email: known, newEmail: newEmail() },
  ];
  for (const params of links) {
    let hash = '';
    await world.make('Administration', 'service', [
      [
        `auth.admin.generateLink({ type: '${params.type}' })`,
        async () => {
          const made = await admin.generateLink(params);
          hash = made.data.properties?.hashed_token ?? '';
          return made;
        },
        ({ properties }) => properties.verification_type,
      ],
    ]);
    const client = world.connect();
    const type = params.type === 'email_change_current' ? 'email_change' : (params.type as 'signup');
    await world.make('Auth', 'visitor', [
      [
        `auth.verifyOtp() of the link of type ${params.type}`,
        () => client.auth.verifyOtp({ token_hash: hash, type }),
        ({ session }) => (session === null ? 'no session yet' : 'session'),
      ],
    ]);
  }
  await world.make('Administration', 'service', [
    [
      "auth.admin.generateLink({ type: 'recovery' }) of nobody",
      () => admin.generateLink({ type: 'recovery', email: newEmail() }),
    ],
  ]);
}
