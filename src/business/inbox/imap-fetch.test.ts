import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { AUTH_HOST, writeMail } from '../../../tests/support/customers/mailed-documents.ts';
import { insertUser, type TestUser } from '../../../tests/support/customers/plan-purchase.ts';
import { startImapServer, type TestImapServer } from '../../../tests/support/servers/imap-server.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { checkDatabase } from '../monitoring/installation-check.server.ts';
import { fetchMails } from './imap-fetch.server.ts';
import type { InboxContext } from './inbox-context.server.ts';

const TOKEN = 'abcdefghij234567abcd';
const INBOX = `documents+${TOKEN}@agency.example`;
const SETTINGS = { MAIL_IN_ADDRESS: 'documents@agency.example', MAIL_IN_AUTH_HOST: AUTH_HOST };

let app: TestApp;
let imap: TestImapServer;
let ada: TestUser;
beforeAll(async () => {
  app = await startTestApp({ settings: SETTINGS });
});
afterAll(() => app.close());
beforeEach(async () => {
  imap = await startImapServer();
  onTestFinished(() => imap.close());
  const { database } = app.resources;
  await database.run('delete from private.inbox_addresses');
  ada = await insertUser(app);
  await database.run('update auth.users set email_proven_at = now() where id = $1', [ada.id]);
  await database.run('insert into public.customers (user_id, credits) values ($1, 0)', [ada.id]);
  await database.run(
    "select private.correct_credits((select id from public.customers where user_id = $1), 20, 'for a test')",
    [ada.id],
  );
  await database.run('insert into private.inbox_addresses (user_id, token) values ($1, $2)', [ada.id, TOKEN]);
});

/** What reads the mailbox; `analyse` fails as often as the test says, as a database that is away does. */
function contextOf(failures = 0, url = imap.url): InboxContext {
  let left = failures;
  return {
    resources: { ...app.resources, settings: { ...app.resources.settings, MAIL_IN_IMAP_URL: url } },
    scan: async () => {},
    analyse: async () => {
      left -= 1;
      if (left >= 0) throw new Error('the database is away');
    },
  };
}

const mail = (id: string, to = INBOX) =>
  writeMail({
    from: ada.email,
    to,
    id: `<${id}@a.example>`,
    subject: id,
    parts: ['one', 'two'].map((name) => ({
      name: `${id}-${name}.txt`,
      type: 'text/plain',
      content: `${id} ${name}`,
    })),
  });
const names = async () =>
  (await app.resources.database.many('select file_name from public.user_files where user_id = $1', [ada.id]))
    .map(({ file_name: name }) => name)
    .sort();
const answers = async () => (await app.resources.mailer.kept(100)).filter(({ to }) => to === ada.email);
const credits = async () =>
  (await app.resources.database.one('select credits from public.customers where user_id = $1', [ada.id]))
    .credits;

test('the mailbox’s new mails are taken once, and are flagged as read; others’ mails are passed over', async () => {
  const first = imap.deliver(mail('first'));
  imap.deliver(writeMail({ from: 'x@y.example', to: 'documents@agency.example' }));
  expect(await fetchMails(contextOf())).toBe(2);
  expect(await names()).toEqual(['first-one.txt', 'first-two.txt']);
  expect(imap.flagsOf(first)).toEqual(['\\Seen']);
  const second = imap.deliver(mail('second'));
  expect(await fetchMails(contextOf())).toBe(1);
  expect(await fetchMails(contextOf())).toBe(0);
  expect(imap.flagsOf(second)).toEqual(['\\Seen']);
  expect(await names()).toHaveLength(4);
  expect(await answers()).toHaveLength(2);
  expect(imap.commands).toContain('LOGIN');
});

test.each([
  ['while it reads the mail', /BODY\.PEEK\[\]/],
  ['while it sets the flag', /STORE/],
  ['while it looks for mails', /SEARCH/],
])('a connection that breaks %s loses nothing and doubles nothing', async (_when, cutAt) => {
  imap.deliver(mail('broken'));
  imap.cutAt = cutAt;
  // The round may end well: only the flag was not set.
  await fetchMails(contextOf()).catch(() => undefined);
  expect(imap.commands.some((line) => cutAt.test(line))).toBe(true);
  imap.cutAt = undefined;
  await fetchMails(contextOf());
  expect(await names()).toEqual(['broken-one.txt', 'broken-two.txt']);
  expect(await answers()).toHaveLength(1);
  expect(await credits()).toBe(18);
});

test('a mail whose taking was interrupted goes on where it stopped, with one answer', async () => {
  const uid = imap.deliver(mail('late'));
  await expect(fetchMails(contextOf(1))).rejects.toThrow('the database is away');
  expect(await names()).toHaveLength(2);
  expect(await answers()).toEqual([]);
  expect(imap.flagsOf(uid)).toEqual([]);
  // As if the process had died before the second attachment was noted.
  await app.resources.database.run(
    "delete from public.user_files where user_id = $1 and file_name = 'late-two.txt'",
    [ada.id],
  );
  await app.resources.database.run("delete from private.inbox_documents where name = 'late-two.txt'");
  await fetchMails(contextOf());
  expect(await names()).toEqual(['late-one.txt', 'late-two.txt']);
  expect(await answers()).toHaveLength(1);
  expect(imap.flagsOf(uid)).toEqual(['\\Seen']);
});

test('a mailbox that was made anew, with other numbers, doubles nothing', async () => {
  imap.deliver(mail('kept'));
  await fetchMails(contextOf());
  imap.renumber();
  expect(await fetchMails(contextOf())).toBe(1);
  expect(await names()).toHaveLength(2);
  expect(await answers()).toHaveLength(1);
});

test('one process reads at a time', async () => {
  for (let at = 0; at < 3; at += 1) imap.deliver(mail(`m${at}`));
  const rounds = await Promise.all([fetchMails(contextOf()), fetchMails(contextOf())]);
  expect(rounds).toContain(3);
  expect(rounds).toContain(undefined);
  expect(await names()).toHaveLength(6);
  expect(await answers()).toHaveLength(3);
});

test('a mail that fails again and again is given up, so that the ones behind it come in', async () => {
  imap.deliver(mail('stuck'));
  imap.deliver(mail('behind'));
  await app.resources.database.run(
    `insert into private.inbox_mails (user_id, digest, sender, subject, attempts)
     select $1, '\\x00', 'x', 'x', 1`,
    [ada.id],
  );
  await expect(fetchMails(contextOf(1))).rejects.toThrow();
  await app.resources.database.run(
    "update private.inbox_mails set attempts = 21 where user_id = $1 and subject = 'stuck'",
    [ada.id],
  );
  await app.resources.database.run("delete from private.inbox_documents where name = 'stuck-two.txt'");
  await fetchMails(contextOf());
  expect((await answers()).map(({ text }) => text).join()).toContain(
    'Not taken: stuck-two.txt. The reason: it could not be stored, please send it again.',
  );
  expect(await names()).toContain('behind-two.txt');
});

test('the last credit, which a killed upload still holds, is waited for', async () => {
  const { database } = app.resources;
  await database.run('update public.customers set credits = 2 where user_id = $1', [ada.id]);
  const held = await database.asCaller(
    { role: 'service_role', userId: undefined, claims: { role: 'service_role' } },
    (queries) => queries.one("select public.use_credits($1, 1, 'held') as used", [ada.id]),
  );
  expect(held.used).toBe(true);
  imap.deliver(mail('poor'));
  // The attachment before takes the reserved credit in its place, so only the second one waits.
  await expect(fetchMails(contextOf())).rejects.toThrow('A credit is reserved for another upload');
  expect(await answers()).toEqual([]);
  await database.run('select private.return_reserved_credit($1)', [ada.id]);
  await fetchMails(contextOf());
  expect(await names()).toEqual(['poor-one.txt', 'poor-two.txt']);
  expect(await answers()).toHaveLength(1);
});

test('a mail that is too large is answered without being read', async () => {
  const large = Buffer.concat([
    Buffer.from(writeMail({ from: ada.email, to: INBOX, subject: 'Film' })),
    Buffer.alloc(41 * 1024 * 1024, 'x'),
  ]);
  imap.deliver(large);
  await fetchMails(contextOf());
  expect(imap.commands.some((line) => /PEEK\[\]/.test(line))).toBe(false);
  expect((await answers())[0]?.text).toContain(
    'The mail was not taken. The reason: the mail is larger than 40 MB.',
  );
});

test('more than 200 mails of a day are refused', async () => {
  await app.resources.database.run(
    `insert into private.inbox_mails (user_id, digest, sender, subject, state)
     select $1, decode(md5(n::text), 'hex'), 'a@b.example', 'x', 'done' from generate_series(1, 200) as n`,
    [ada.id],
  );
  imap.deliver(mail('next'));
  await fetchMails(contextOf());
  expect(await names()).toEqual([]);
  expect((await answers())[0]?.text).toContain('more than 200 mails came within a day');
});

test('the doctor says why the mailbox cannot be read', async () => {
  const url = imap.url.replace('harbour', 'wrong');
  const { settings } = contextOf(0, url).resources;
  const found = async () =>
    (await checkDatabase(app.resources.database, settings, new Date())).map(({ what }) => what).join();
  await expect(fetchMails(contextOf(0, url))).rejects.toThrow();
  expect(await found()).toContain('The mailbox of MAIL_IN_IMAP_URL cannot be read: Wrong name or password');
  await fetchMails(contextOf());
  expect(await found()).not.toContain('MAIL_IN_IMAP_URL');
  await app.resources.database.run("update private.inbox_mailbox set checked_at = now() - interval '1 hour'");
  expect(await found()).toContain('The mailbox of MAIL_IN_IMAP_URL has not been read for half an hour.');
});

test('the running product reads its mailbox by itself', async () => {
  imap.deliver(mail('own'));
  const second = await startTestApp({ beside: app, settings: { ...SETTINGS, MAIL_IN_IMAP_URL: imap.url } });
  onTestFinished(() => second.close());
  await expect.poll(names).toEqual(['own-one.txt', 'own-two.txt']);
});
