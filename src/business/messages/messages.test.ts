import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { enrolledPerson, signInAgain } from '../../../tests/support/auth/authenticator.ts';
import { claims } from '../../../tests/support/claims.ts';
import {
  askConsole,
  newOperator,
  type TestAccount,
} from '../../../tests/support/customers/operator-client.ts';
import { callFunction } from '../../../tests/support/customers/plan-purchase.ts';
import { openPushBrowser } from '../../../tests/support/customers/push-browser.ts';
import { emailOf } from '../../../tests/support/customers/team-people.ts';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { overtake } from '../../../tests/support/held-lock.ts';
import { type PushService, startPushService } from '../../../tests/support/servers/push-service.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { OperatorOverview } from '../console/console.contract.ts';
import { sendMessageMails } from './message-mails.server.ts';
import {
  type ConsoleThread,
  type ConsoleThreadPage,
  type ConsoleThreadRow,
  MESSAGE_LIMITS,
  type ThreadEntry,
} from './messages.contract.ts';

let app: TestApp;
let service: PushService;
let operator: TestAccount;
beforeAll(async () => {
  service = await startPushService();
  app = await startTestApp({ settings: { PUSH_ALLOW_HOSTS: service.host } });
  operator = await newOperator(app);
});
afterAll(async () => {
  await app?.close();
  await service?.close();
});

const many = <Row extends object = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  app.resources.database.many(uncheckedSql<Row>(text, 'composed'), values);

const asConsole = <T>(
  name: string,
  body?: object,
  account: Pick<TestAccount, 'client'> = operator,
): Promise<T> => askConsole<T>(name, account, body);

const send = (who: Pick<UploadingCustomer, 'token'>, body: object, at = app) =>
  callFunction(at, 'send-message', who.token, body);

const threadOf = async ({ id }: { id: string }, more = ''): Promise<ConsoleThread> =>
  asConsole<ConsoleThread>(`thread?user_id=${id}${more}`);

/** A file of the customer, with its id. */
async function fileOf(who: UploadingCustomer, name: string): Promise<string> {
  expect(await who.upload(name, 'The rent is 900 pounds.')).toBe('stored');
  const { data } = await who.client.from('user_files').select('id').eq('file_name', name).single();
  return data?.id;
}

/** A message of the agency, written `secondsAgo` seconds ago. */
async function writeTo({ id }: { id: string }, words: string, secondsAgo: number): Promise<string> {
  const [row] = await many<{ id: string }>(
    `with written as (select private.write_message($1, true, $2, '{}') as id)
     select id from written`,
    [id, words],
  );
  await many("update northline_app.messages set sent_at = now() - $2 * interval '1 second' where id = $1", [
    row?.id,
    secondsAgo,
  ]);
  return row?.id ?? '';
}

const messagesOf = async (who: UploadingCustomer) =>
  (
    await who.client
      .schema('northline_app')
      .from('messages')
      .select('id, from_agency, body, read_at')
      .order('sent_at')
  ).data ?? [];

test('a customer writes with a file, the console reads, opens and answers, and each side has what it has not read', async () => {
  claims('Between you and ….');
  const priya = await createCustomer(app, 2);
  const lease = await fileOf(priya, 'lease.txt');
  const draft = await fileOf(priya, 'draft.txt');
  expect(await threadOf(priya)).toMatchObject({ entries: [], customer: { email: emailOf(priya) } });
  expect(await send(priya, { text: ' Is this clause usual? ', files: [lease, draft, lease] })).toMatchObject({
    status: 200,
  });

  expect(await asConsole<OperatorOverview>('overview')).toMatchObject({ unreadMessages: 1 });
  const listed = async () => (await asConsole<ConsoleThreadPage>(`threads?q=${priya.id}`)).rows[0];
  expect(await listed()).toMatchObject({ unread: 1, answered: false, last_words: 'Is this clause usual?' });
  const [question] = (await threadOf(priya)).entries as [ThreadEntry];
  expect(question).toMatchObject({ body: 'Is this clause usual?', from_agency: false, read_at: null });
  expect(question.files.map(({ file_name: name }) => name)).toEqual(['draft.txt', 'lease.txt']);
  const read = { user_id: priya.id, ids: [question.id] };
  expect(await asConsole('read-thread', read)).toEqual({ marked: 1 });
  expect(await asConsole('read-thread', read)).toEqual({ marked: 0 });
  expect(await listed()).toMatchObject({ unread: 0, answered: false });

  const attached = question.files.find(({ file_name: name }) => name === 'lease.txt');
  const { url } = await asConsole<{ url: string }>('message-file', { id: attached?.id });
  expect(await (await fetch(`${app.url}${url}`)).text()).toBe('The rent is 900 pounds.');

  const answer = await asConsole<{ id: string }>('send-message', { user_id: priya.id, text: 'It is.' });
  expect(await listed()).toMatchObject({ answered: true, last_words: 'It is.' });
  const unread = async () => {
    const own = priya.client
      .schema('northline_app')
      .from('messages')
      .select('id', { count: 'exact', head: true });
    return (await own.is('from_agency', true).is('read_at', null)).count;
  };
  expect(await unread()).toBe(1);
  expect(
    (await priya.client.schema('northline_app').rpc('read_messages', { p_ids: [answer.id, question.id] }))
      .data,
  ).toBe(1);
  expect(await unread()).toBe(0);
  expect((await threadOf(priya)).entries.map(({ author }) => author)).toEqual([null, operator.email]);

  // What is withdrawn, or deleted, is opened no more; the message says that it was there.
  const own = priya.client
    .schema('northline_app')
    .from('message_files')
    .update({ file_id: null })
    .eq('id', attached?.id ?? '');
  expect((await own.select('file_name')).data).toEqual([{ file_name: 'lease.txt' }]);
  await expect(asConsole('message-file', { id: attached?.id })).rejects.toMatchObject({ status: 404 });
  expect((await priya.bucket.download(priya.path('lease.txt'))).error).toBeNull();
  await priya.client.from('user_files').delete().eq('id', draft);
  expect((await threadOf(priya)).entries[0]?.files).toMatchObject([
    { file_name: 'draft.txt', file_id: null },
    { file_name: 'lease.txt', file_id: null },
  ]);
  expect(
    (
      await many(
        `select action from private.operator_audit where action like 'message.%' and subject = any ($1) order by id`,
        [[priya.id, attached?.id]],
      )
    ).map(({ action }) => action),
  ).toEqual(['message.read', 'message.open_file', 'message.send']);
});

test("attacks: another's thread and files, forged messages, the console and too much are refused, and nothing is written", async () => {
  claims('A message takes … files at most.');
  const [owner, mallory] = [await createCustomer(app, 1), await createCustomer(app, 1)];
  const file = await fileOf(owner, 'secret.txt');
  const mine = await fileOf(mallory, 'mine.txt');
  expect((await send(owner, { text: 'Between us.', files: [file] })).status).toBe(200);
  expect((await send(mallory, { text: 'Mine.', files: [mine] })).status).toBe(200);
  const told = await writeTo(owner, 'An answer.', 0);
  const { client } = mallory;
  expect((await client.schema('northline_app').from('messages').select('body')).data).toEqual([
    { body: 'Mine.' },
  ]);
  expect((await client.schema('northline_app').from('message_files').select('file_name')).data).toEqual([
    { file_name: 'mine.txt' },
  ]);
  expect((await client.schema('northline_app').rpc('read_messages', { p_ids: [told] })).data).toBe(0);
  const forged = { user_id: mallory.id, from_agency: true, body: 'It is free for ever.' };
  expect((await client.schema('northline_app').from('messages').insert(forged)).error?.code).toBe('42501');
  expect(
    (await client.schema('northline_app').from('messages').update({ body: 'x' }).eq('user_id', owner.id))
      .error?.code,
  ).toBe('42501');
  expect(
    (await client.schema('northline_app').from('messages').delete().eq('user_id', mallory.id)).error?.code,
  ).toBe('42501');
  // Neither by sending nor by changing what is attached.
  expect((await send(mallory, { text: 'Open it.', files: [mine, file] })).status).toBe(404);
  const exchanged = client
    .schema('northline_app')
    .from('message_files')
    .update({ file_id: file })
    .eq('user_id', mallory.id);
  expect((await exchanged).error?.code).toBe('42501');
  const taken = client
    .schema('northline_app')
    .from('message_files')
    .update({ file_id: null })
    .eq('user_id', owner.id)
    .select();
  expect((await taken).data).toEqual([]);
  for (const [name, body] of [
    ['threads', undefined],
    [`thread?user_id=${owner.id}`, undefined],
    ['send-message', { user_id: owner.id, text: 'x' }],
    ['read-thread', { user_id: owner.id, ids: [] }],
    ['message-file', { id: randomUUID() }],
  ] as const)
    await expect(asConsole(name, body, mallory), name).rejects.toMatchObject({ status: 403 });

  const most = 'x'.repeat(MESSAGE_LIMITS.text);
  for (const [body, status] of [
    [{ text: ' ' }, 400],
    [{ text: `${most}x` }, 400],
    [{ text: 'x', files: Array.from({ length: MESSAGE_LIMITS.files + 1 }, () => mine) }, 400],
    [{ text: 'x', files: ['mine.txt'] }, 400],
    [{ text: most }, 200],
  ] as const)
    expect((await send(mallory, body)).status).toBe(status);
  const tooLong = asConsole('send-message', { user_id: owner.id, text: `${most}x` });
  await expect(tooLong).rejects.toMatchObject({ status: 400 });
  const nobody = asConsole('send-message', { user_id: randomUUID(), text: 'x' });
  await expect(nobody).rejects.toMatchObject({ status: 404 });
  expect((await messagesOf(mallory)).map(({ body }) => body)).toEqual(['Mine.', most]);
  expect((await send({ token: app.anonKey }, { text: 'x' })).status).toBe(401);
});

test('a deleted account writes nothing and gets nothing', async () => {
  const [gone, hidden] = [await createCustomer(app, 0), await createCustomer(app, 0)];
  await many('delete from auth.users where id = $1', [gone.id]);
  await many('update auth.users set deleted_at = now() where id = $1', [hidden.id]);
  for (const person of [gone, hidden]) {
    // Which of both, hangs on whether the process has heard of it yet.
    expect([401, 404]).toContain((await send(person, { text: 'Still here.' })).status);
    const written = asConsole('send-message', { user_id: person.id, text: 'Hello?' });
    await expect(written).rejects.toMatchObject({ status: 404 });
    await expect(threadOf(person)).rejects.toMatchObject({ status: 404 });
  }
  expect(
    await many('select from northline_app.messages where user_id = any ($1)', [[gone.id, hidden.id]]),
  ).toEqual([]);
});

test('before the second factor a session reads, writes and withdraws nothing of the thread', async () => {
  const person = await enrolledPerson(app);
  const id = person.session.user.id;
  const told = await writeTo({ id }, 'For your eyes.', 0);
  const { client, session } = await signInAgain(app, person);
  expect((await client.schema('northline_app').from('messages').select('body')).data).toEqual([]);
  expect((await client.schema('northline_app').from('message_files').select('id')).data).toEqual([]);
  expect((await client.schema('northline_app').rpc('enquiries_in_thread')).data).toEqual([]);
  expect((await client.schema('northline_app').rpc('read_messages', { p_ids: [told] })).error?.code).toBe(
    '42501',
  );
  expect((await send({ token: session.access_token }, { text: 'x' })).status).toBe(403);
  expect((await person.client.schema('northline_app').from('messages').select('body')).data).toEqual([
    { body: 'For your eyes.' },
  ]);
});

test('who floods the thread is stopped for a while', async () => {
  const limited = await startTestApp({ beside: app, settings: { RATE_LIMITS: 'on' } });
  onTestFinished(() => limited.close());
  const eager = await createCustomer(app, 0);
  let status = 200;
  for (let tries = 0; status === 200 && tries < 60; tries += 1)
    ({ status } = await send(eager, { text: 'Hello?' }, limited));
  expect(status).toBe(429);
});

test('enquiries with the address of an account stand in its thread once that is proven, with the answers', async () => {
  const owen = await createCustomer(app, 0);
  const enquiry = (id: string, words: string, reasons: string[]) =>
    many(
      `insert into public.enquiries (id, name, email, enquiry_type, additional_notes, suspect_reasons, address_hash,
         text_hash, created_at)
       values ($1, 'Owen', upper($2), 'App Builder', $3, $4, 'a', 't', now() - interval '2 days')`,
      [id, emailOf(owen), words, reasons],
    );
  const [first, spam] = [`ENQ-1-${randomUUID().slice(0, 8)}`, `ENQ-2-${randomUUID().slice(0, 8)}`];
  await enquiry(first, 'Can you build it?', ['no proof of work']);
  await enquiry(spam, 'Buy now', ['many links', 'same text again']);
  await asConsole('act', { do: 'enquiry.reply', id: first, text: 'Gladly.' });
  await send(owen, { text: 'And now?' });
  const bodies = async () => (await threadOf(owen)).entries.map(({ body }) => body);
  const seen = async () =>
    ((await owen.client.schema('northline_app').rpc('enquiries_in_thread')).data as ThreadEntry[])
      .map(({ body }) => body)
      .sort();

  // Anybody may sign up with somebody else's address.
  expect(await seen()).toEqual([]);
  expect(await bodies()).toEqual(['And now?']);
  await many('update auth.users set email_proven_at = now() where id = $1', [owen.id]);
  expect(await seen()).toEqual(['Can you build it?', 'Gladly.']);
  expect(await bodies()).toEqual(['Can you build it?', 'Gladly.', 'And now?']);
  expect((await threadOf(owen)).entries[0]).toMatchObject({ about: 'App Builder', from_agency: false });
  // What looks like advertising, and may be another's words, waits until somebody has looked at it.
  await asConsole('act', { do: 'enquiry.not_suspect', id: spam });
  expect(await seen()).toEqual(['Buy now', 'Can you build it?', 'Gladly.']);
});

test('the agency’s messages are mailed after a minute unless they were read, and those of ten minutes in one mail', async () => {
  const anna = await createCustomer(app, 0);
  const mails = async () =>
    (await app.resources.mailer.kept(200)).filter(({ to }) => to === emailOf(anna)).toReversed();
  const look = () => sendMessageMails(app.resources);
  await app.resources.database.transaction(async (queries) => {
    const run = (text: string) => queries.many(uncheckedSql<object>(text, 'composed'), [anna.id]);
    await run("select private.write_message($1, true, E'The draft is ready.\\n\\nShall we send it?', '{}')");
    await run("update northline_app.messages set sent_at = now() + interval '1 hour' where user_id = $1");
  });
  await look();
  expect(await mails()).toEqual([]);
  const age = () =>
    many("update northline_app.messages set sent_at = now() - interval '2 minutes' where user_id = $1", [
      anna.id,
    ]);
  await age();
  await look();
  await look();
  expect((await mails()).map(({ subject }) => subject)).toEqual([
    `A message from ${app.resources.settings.BRAND}`,
  ]);
  const text = (await mails())[0]?.text.replace(/\s+/g, ' ') ?? '';
  for (const words of [
    'The draft is ready. Shall we send it?',
    `Read and answer: ${app.resources.siteUrl}/dashboard/messages`,
    'Answer in your dashboard. An answer to this mail does not come into the thread.',
  ])
    expect(text).toContain(words);

  // Within the ten minutes nothing is sent; what was read until then is never mailed.
  const early = await writeTo(anna, 'Read at once.', 120);
  for (let n = 1; n <= 12; n += 1) await writeTo(anna, `Point ${n}.`, 200 - n);
  await anna.client.schema('northline_app').rpc('read_messages', { p_ids: [early] });
  await look();
  expect(await mails()).toHaveLength(1);
  const pass = () => passTenMinutes(anna);
  await pass();
  await look();
  const [, later] = await mails();
  expect(later?.subject).toBe(`12 messages from ${app.resources.settings.BRAND}`);
  expect(later?.text).toContain('Point 1.');
  expect(later?.text).toContain('Point 10.');
  expect(later?.text).not.toMatch(/Point 11|Read at once/);
  expect(later?.text).toContain('There are 2 more in the thread.');

  // The switch of the Account tab.
  await many(`update auth.users set raw_user_meta_data = '{"notices": {"messages": false}}' where id = $1`, [
    anna.id,
  ]);
  await pass();
  await writeTo(anna, 'Not by mail.', 120);
  await look();
  await many("update auth.users set raw_user_meta_data = '{}' where id = $1", [anna.id]);
  await look();
  expect(await mails()).toHaveLength(2);
});

const passTenMinutes = ({ id }: { id: string }) =>
  many(
    `update private.message_notes n set told_at = told_at - interval '11 minutes' from northline_app.messages m
      where m.id = n.message_id and m.user_id = $1`,
    [id],
  );

/** How often a customer's browsers were told of messages, delivered or not. */
async function noticesOf({ id }: { id: string }): Promise<number> {
  const rows = await many<{ told_at: Date }>(
    `select distinct n.told_at from private.message_notes n join northline_app.messages m on m.id = n.message_id
      where m.user_id = $1 and m.from_agency and n.told_at is not null`,
    [id],
  );
  return rows.length;
}

test('a mail that cannot be written holds up no other thread, and is sent once when it can be', async () => {
  const [mara, piet] = [await createCustomer(app, 0), await createCustomer(app, 0)];
  const mailsTo = async (who: UploadingCustomer) =>
    (await app.resources.mailer.kept(200)).filter(({ to }) => to === emailOf(who)).length;
  const lift = () => many('alter table private.mails drop constraint if exists none_to_mara');
  await many(
    `alter table private.mails add constraint none_to_mara check (recipient <> '${emailOf(mara)}') not valid`,
  );
  onTestFinished(async () => void (await lift()));
  for (const who of [mara, piet]) await writeTo(who, 'The draft is ready.', 120);
  await sendMessageMails(app.resources);
  expect([await mailsTo(mara), await noticesOf(mara)]).toEqual([0, 0]);
  expect([await mailsTo(piet), await noticesOf(piet)]).toEqual([1, 1]);
  await lift();
  await sendMessageMails(app.resources);
  await sendMessageMails(app.resources);
  expect([await mailsTo(mara), await noticesOf(mara)]).toEqual([1, 1]);
  expect(await mailsTo(piet)).toBe(1);
});

test('browsers that show notices tell of the agency’s messages, without their words, also where the mails are switched off', async () => {
  const nora = await createCustomer(app, 0);
  const browser = await openPushBrowser(app, service, nora.id);
  await many(`update auth.users set raw_user_meta_data = '{"notices": {"messages": false}}' where id = $1`, [
    nora.id,
  ]);
  // Each look tells of what is due once, also the one of the background.
  const told = async (count: number) => {
    await sendMessageMails(app.resources);
    await expect.poll(() => browser.received.length).toBe(count);
    return browser.received.at(-1);
  };
  const brand = app.resources.settings.BRAND;
  const notice = { body: 'Open your messages to read and answer.', path: PAGES.messages.path };
  await writeTo(nora, 'The draft is ready.', 120);
  expect(await told(1)).toMatchObject({ title: `New message from ${brand}`, ...notice });
  await app.resources.database.transaction(async (queries) => {
    const run = (text: string) => queries.many(uncheckedSql<object>(text, 'composed'), [nora.id]);
    await run("select private.write_message($1, true, 'Another draft.', '{}')");
    await run("select private.write_message($1, true, 'And its letter.', '{}')");
    await run("update northline_app.messages set sent_at = now() - interval '2 minutes' where user_id = $1");
  });
  // A customer without mails also gets one notice in ten minutes.
  await sendMessageMails(app.resources);
  expect(await noticesOf(nora)).toBe(1);
  await passTenMinutes(nora);
  expect(await told(2)).toMatchObject({ title: `2 new messages from ${brand}`, ...notice });
  expect(JSON.stringify(browser.received)).not.toContain('raft');
  expect((await app.resources.mailer.kept(200)).filter(({ to }) => to === emailOf(nora))).toEqual([]);
});

test('a notice that waits for its push service is taken back once nothing is unread, and stays while something is', async () => {
  const olga = await createCustomer(app, 0);
  const browser = await openPushBrowser(app, service, olga.id);
  browser.answer = 503;
  const waiting = () =>
    many<{ attempts: number }>(
      `select n.attempts from private.push_notices n join private.push_subscriptions s on s.id = n.subscription_id
        where s.user_id = $1`,
      [olga.id],
    );
  const first = await writeTo(olga, 'The draft is ready.', 120);
  await sendMessageMails(app.resources);
  await expect.poll(waiting).toEqual([{ attempts: 1 }]);
  const second = await writeTo(olga, 'Another draft.', 10);
  await app.resources.database.transaction((queries) =>
    app.resources.push.send(queries, olga.id, {
      title: 'Your document is ready',
      body: 'Ready to read: lease.pdf.',
      path: '/dashboard',
    }),
  );
  const read = (id: string) => olga.client.schema('northline_app').rpc('read_messages', { p_ids: [id] });
  expect(await read(first)).toMatchObject({ data: 1 });
  expect(await waiting()).toHaveLength(2);
  expect(await read(second)).toMatchObject({ data: 1 });
  // The message about the document is not among these.
  expect(await waiting()).toHaveLength(1);
});

test('browsers are not told of what is read in the moment in which they would be', async () => {
  const pia = await createCustomer(app, 0);
  const browser = await openPushBrowser(app, service, pia.id);
  await writeTo(pia, 'The draft is ready.', 120);
  await overtake(app, () => sendMessageMails(app.resources), [
    `with held as (select pg_advisory_xact_lock(hashtext('message_mails'), hashtext($1::uuid::text)))
     update northline_app.messages set read_at = now() from held where user_id = $1::uuid`,
    [pia.id],
  ]);
  expect([await noticesOf(pia), browser.requests]).toEqual([0, 0]);
});

test('a customer’s message is mailed to the agency with the names of its files, and an answer goes to the customer', async () => {
  claims('Ask us anything: what you write reaches us by mail as well.');
  const ben = await createCustomer(app, 1);
  const file = await fileOf(ben, 'plan.txt');
  await send(ben, { text: 'Please look at this.', files: [file] });
  await sendMessageMails(app.resources);
  const mails = await many<{ recipient: string; subject: string; body_text: string }>(
    'select recipient, subject, body_text from private.mails where reply_to = $1',
    [emailOf(ben)],
  );
  expect(mails).toMatchObject([
    { recipient: app.resources.settings.CONTACT_EMAIL, subject: `A message from ${emailOf(ben)}` },
  ]);
  const text = mails[0]?.body_text.replace(/\s+/g, ' ') ?? '';
  for (const words of [
    'Please look at this. Attached: plan.txt',
    `${app.resources.siteUrl}/operator/messages/${ben.id}`,
    'An answer to this mail goes to the customer, but does not come into the thread.',
  ])
    expect(text).toContain(words);
});

test('the console lists threads with unread messages first, page by page, finds words in them, and reads a long one piece by piece', async () => {
  claims('What customers wrote, unread first.', 'Only the newest … are shown here.');
  await many(
    `with people as (
       insert into auth.users (email) select 'list-' || n || '@customers.example' from generate_series(1, 52) n returning id)
     insert into northline_app.messages (user_id, from_agency, body) select id, true, 'Welcome aboard' from people`,
  );
  const rows: ConsoleThreadRow[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: ConsoleThreadPage = await asConsole<ConsoleThreadPage>(`threads?after=${after}`);
    rows.push(...page.rows);
    after = page.next;
  }
  expect(rows.length).toBeGreaterThan(52);
  expect(new Set(rows.map(({ user_id: id }) => id)).size).toBe(rows.length);
  const read = rows.findIndex(({ unread }) => unread === 0);
  expect(read).toBeGreaterThan(0);
  expect(rows.slice(read).filter(({ unread }) => unread > 0)).toEqual([]);

  const [last] = rows as [ConsoleThreadRow];
  await asConsole('send-message', { user_id: last.user_id, text: 'About the 100 % offer' });
  await asConsole('send-message', { user_id: last.user_id, text: 'And one more word.' });
  const found = await asConsole<ConsoleThreadPage>(`threads?q=${encodeURIComponent('100 %')}`);
  expect(found.rows.map(({ user_id: id }) => id)).toEqual([last.user_id]);
  expect((await asConsole<ConsoleThreadPage>('threads?q=nobody+writes+like+this')).rows).toEqual([]);
  const waiting = await asConsole<ConsoleThreadPage>('threads?list=waiting');
  expect(waiting.rows.filter(({ answered }) => answered)).toEqual([]);
  const piece = await threadOf({ id: last.user_id }, '&most=2');
  expect(piece.entries.map(({ body }) => body)).toEqual(['About the 100 % offer', 'And one more word.']);
  expect(piece.hasEarlier).toBe(true);
});

test('the export of an account has its thread, and with the account all of it goes', async () => {
  const carl = await createCustomer(app, 1);
  const file = await fileOf(carl, 'letter.txt');
  await send(carl, { text: 'Keep this.', files: [file] });
  await writeTo(carl, 'We do.', 0);
  const reply = await callFunction(app, 'export-account', carl.token, {});
  const data = reply.body.data as unknown as Record<string, { body: string }[]>;
  expect(data['northline_app.messages']?.map(({ body }) => body).sort()).toEqual(['Keep this.', 'We do.']);
  expect(data['northline_app.message_files']).toMatchObject([{ file_name: 'letter.txt', file_id: file }]);
  await many('delete from auth.users where id = $1', [carl.id]);
  const left = await many<{ count: number }>(
    `select (select count(*) from northline_app.messages where user_id = $1)::int
          + (select count(*) from northline_app.message_files where user_id = $1)::int as count`,
    [carl.id],
  );
  expect(left).toEqual([{ count: 0 }]);
});
