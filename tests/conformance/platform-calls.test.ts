import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEmail, PASSWORD } from '../support/auth-client.ts';
import { startTestApp, type TestApp } from '../support/start-test-app.ts';
import { callsPage, type RecordedCall, record, recordingFetch } from './record-calls.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.resources.database.run(`
    create table public.notes (id int primary key, user_id uuid default auth.uid(), body text);
    alter table public.notes enable row level security;
    create policy own on public.notes to authenticated using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
    grant all on public.notes to authenticated, service_role;
    create function public.add(a int, b int) returns int language sql immutable as 'select a + b';
    select realtime.watch('public.notes')`);
});
afterAll(() => app.close());

type Call = readonly [name: string, run: () => PromiseLike<unknown>];
const calls: RecordedCall[] = [];
const newClient = (key = app.anonKey) =>
  createClient(app.url, key, {
    auth: { persistSession: false, autoRefreshToken: false, storageKey: newEmail() },
    global: { fetch: recordingFetch },
  });

async function make(service: string, caller: string, list: readonly Call[]): Promise<void> {
  for (const [name, run] of list) calls.push(await record([service, caller, name], run));
}

test('every call has the outcome that the table in docs/ says', { timeout: 120_000 }, async () => {
  const email = newEmail();
  const [visitor, user, service] = [newClient(), newClient(), newClient(app.serviceKey)];
  await callAuth(visitor, user, email);
  await callAdmin(visitor, service);
  await callData(visitor, user);
  await callStorage(visitor, user, service);
  await callRealtime(user);
  await callFunctions(visitor);
  await make('Auth', 'user', [
    ["auth.signOut({ scope: 'others' })", () => user.auth.signOut({ scope: 'others' })],
    ['auth.signOut()', () => user.auth.signOut()],
    ['auth.getUser() without a session', () => user.auth.getUser()],
  ]);
  await Promise.all([visitor, user, service].map((client) => client.realtime.disconnect()));
  await expect(callsPage(calls)).toMatchFileSnapshot('../../docs/platform-calls.md');
});

async function callAuth(visitor: SupabaseClient, user: SupabaseClient, email: string): Promise<void> {
  const wrong = { email, password: 'not the password' };
  await make('Auth', 'visitor', [
    ['auth.signUp()', () => user.auth.signUp({ email, password: PASSWORD })],
    ['auth.signUp() again', () => visitor.auth.signUp({ email, password: PASSWORD })],
    ['auth.signUp() with a weak password', () => visitor.auth.signUp({ email: newEmail(), password: 'a' })],
    ['auth.signInWithPassword()', () => user.auth.signInWithPassword({ email, password: PASSWORD })],
    ['auth.signInWithPassword() with a wrong one', () => visitor.auth.signInWithPassword(wrong)],
    ['auth.resetPasswordForEmail()', () => visitor.auth.resetPasswordForEmail(newEmail())],
    ['auth.signInWithOtp()', () => visitor.auth.signInWithOtp({ email: newEmail() })],
    [
      'auth.verifyOtp() with a wrong code',
      () => visitor.auth.verifyOtp({ email, token: '000000', type: 'email' }),
    ],
    ['auth.resend()', () => visitor.auth.resend({ type: 'signup', email: newEmail() })],
    [
      'auth.refreshSession() with no such token',
      () => visitor.auth.refreshSession({ refresh_token: 'nothing' }),
    ],
  ]);
  await make('Auth', 'user', [
    ['auth.getUser()', () => user.auth.getUser()],
    ['auth.getClaims()', () => user.auth.getClaims()],
    ['auth.refreshSession()', () => user.auth.refreshSession()],
    ['auth.updateUser({ data })', () => user.auth.updateUser({ data: { name: 'Anna' } })],
    ['auth.updateUser() with the same password', () => user.auth.updateUser({ password: PASSWORD })],
    ['auth.reauthenticate()', () => user.auth.reauthenticate()],
    ['auth.getUserIdentities()', () => user.auth.getUserIdentities()],
    ['auth.mfa.listFactors()', () => user.auth.mfa.listFactors()],
  ]);
}

async function callAdmin(visitor: SupabaseClient, { auth }: SupabaseClient): Promise<void> {
  let id = '';
  const create = async () => {
    const made = await auth.admin.createUser({ email: newEmail(), password: PASSWORD, email_confirm: true });
    id = made.data.user?.id ?? '';
    return made;
  };
  await make('Administration', 'visitor', [['auth.admin.listUsers()', () => visitor.auth.admin.listUsers()]]);
  await make('Administration', 'service', [
    ['auth.admin.createUser()', create],
    ['auth.admin.listUsers()', () => auth.admin.listUsers()],
    ['auth.admin.getUserById()', () => auth.admin.getUserById(id)],
    ['auth.admin.updateUserById()', () => auth.admin.updateUserById(id, { user_metadata: { a: 1 } })],
    ['auth.admin.generateLink()', () => auth.admin.generateLink({ type: 'magiclink', email: newEmail() })],
    ['auth.admin.inviteUserByEmail()', () => auth.admin.inviteUserByEmail(newEmail())],
    ['auth.admin.deleteUser()', () => auth.admin.deleteUser(id)],
    ['auth.admin.getUserById() of nobody', () => auth.admin.getUserById(id)],
  ]);
}

async function callData(visitor: SupabaseClient, user: SupabaseClient): Promise<void> {
  const notes = () => user.from('notes');
  await make('Data', 'user', [
    ['from().insert()', () => notes().insert({ id: 1, body: 'a' })],
    ['from().insert().select()', () => notes().insert({ id: 2, body: 'b' }).select()],
    ['from().insert() of a key that is there', () => notes().insert({ id: 1 })],
    ['from().upsert() of a new row', () => notes().upsert({ id: 3, body: 'c' })],
    ['from().upsert() of a row that is there', () => notes().upsert({ id: 3, body: 'd' })],
    ['from().select()', () => notes().select()],
    [
      "from().select('*', { count: 'exact' }).range(0, 0)",
      () => notes().select('*', { count: 'exact' }).range(0, 0),
    ],
    ["from().select('*', { head: true })", () => notes().select('*', { head: true, count: 'exact' })],
    ['from().select().single()', () => notes().select().eq('id', 1).single()],
    ['from().select().single() of none', () => notes().select().eq('id', 9).single()],
    ['from().select().maybeSingle() of none', () => notes().select().eq('id', 9).maybeSingle()],
    ['from().select().csv()', () => notes().select().csv()],
    ['from().select() of no such column', () => notes().select('nothing')],
    ['from() of no such table', () => user.from('nothing').select()],
    ['from().update().eq()', () => notes().update({ body: 'x' }).eq('id', 1)],
    ['from().update() without a condition', () => notes().update({ body: 'x' })],
    ['from().delete().eq()', () => notes().delete().eq('id', 1)],
    ['rpc()', () => user.rpc('add', { a: 1, b: 2 })],
    ['rpc() with get', () => user.rpc('add', { a: 1, b: 2 }, { get: true })],
    ['rpc() of no such function', () => user.rpc('nothing')],
  ]);
  await make('Data', 'visitor', [
    ['from().select() without the right', () => visitor.from('notes').select()],
  ]);
}

async function callStorage(
  visitor: SupabaseClient,
  user: SupabaseClient,
  service: SupabaseClient,
): Promise<void> {
  const { data } = await user.auth.getUser();
  const path = `${data.user?.id}/letter.txt`;
  const text = new Blob(['Dear reader'], { type: 'text/plain' });
  const files = () => user.storage.from('user-uploads');
  await make('Storage', 'service', [
    ['storage.createBucket()', () => service.storage.createBucket('pictures', { public: true })],
    ['storage.listBuckets()', () => service.storage.listBuckets()],
    ['storage.getBucket() of none', () => service.storage.getBucket('nothing')],
    ['storage.from().upload()', () => service.storage.from('pictures').upload('a.txt', text)],
    ['storage.from().upload() again', () => service.storage.from('pictures').upload('a.txt', text)],
    ['storage.from().download()', () => service.storage.from('pictures').download('a.txt')],
    ['storage.from().info()', () => service.storage.from('pictures').info('a.txt')],
    ['storage.from().exists()', () => service.storage.from('pictures').exists('a.txt')],
    ['storage.from().copy()', () => service.storage.from('pictures').copy('a.txt', 'b.txt')],
    ['storage.from().move()', () => service.storage.from('pictures').move('b.txt', 'c.txt')],
    ['storage.from().move() of none', () => service.storage.from('pictures').move('b.txt', 'd.txt')],
    [
      'storage.from().createSignedUrls()',
      () => service.storage.from('pictures').createSignedUrls(['a.txt', 'c.txt'], 60),
    ],
    [
      'storage.from().createSignedUploadUrl()',
      () => service.storage.from('pictures').createSignedUploadUrl('e.txt'),
    ],
    ['storage.updateBucket()', () => service.storage.updateBucket('pictures', { public: false })],
    ['storage.deleteBucket() with objects in it', () => service.storage.deleteBucket('pictures')],
    ['storage.from().list()', () => service.storage.from('pictures').list()],
    ['storage.from().createSignedUrl()', () => service.storage.from('pictures').createSignedUrl('a.txt', 60)],
    ['storage.from().remove()', () => service.storage.from('pictures').remove(['a.txt'])],
  ]);
  await make('Storage', 'user', [
    ['storage.from().upload() without a credit', () => files().upload(path, text)],
    ['storage.from().download() of none', () => files().download(path)],
    ['storage.from().list()', () => files().list(data.user?.id)],
  ]);
  await make('Storage', 'visitor', [['storage.createBucket()', () => visitor.storage.createBucket('mine')]]);
}

async function callRealtime(user: SupabaseClient): Promise<void> {
  const status = (channel: RealtimeChannel) =>
    new Promise((resolve) => {
      channel.subscribe((word) => resolve(word === 'SUBSCRIBED' ? {} : { error: { code: word } }));
    });
  const changes = { event: '*', schema: 'public', table: 'notes' } as const;
  const room = user.channel('room');
  await make('Realtime', 'user', [
    [
      "channel().on('postgres_changes').subscribe()",
      () => status(user.channel('a').on('postgres_changes', changes, () => {})),
    ],
    [
      'channel().subscribe() of no watched table',
      () => status(user.channel('b').on('postgres_changes', { ...changes, table: 'nothing' }, () => {})),
    ],
    [
      'channel().subscribe() of a private one',
      () => status(user.channel('c', { config: { private: true } })),
    ],
    ['channel().subscribe()', () => status(room)],
    ['channel().httpSend()', () => room.httpSend('say', { text: 'hello' })],
    [
      'channel().track()',
      async () => ((await room.track({ here: true })) === 'ok' ? {} : { error: { code: 'refused' } }),
    ],
  ]);
  await user.removeAllChannels();
}

async function callFunctions(visitor: SupabaseClient): Promise<void> {
  await make('Functions', 'visitor', [
    ["functions.invoke('nothing')", () => visitor.functions.invoke('nothing')],
    [
      "functions.invoke('enquiry') with nothing in it",
      () => visitor.functions.invoke('enquiry', { body: {} }),
    ],
    ["functions.invoke('analyze')", () => visitor.functions.invoke('analyze', { body: {} })],
  ]);
}
