import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDocuments } from '../../../packages/document-reader/src/samples/make-documents.fixture.ts';
import { claims } from '../../../tests/support/claims.ts';
import { AUTH_HOST, confirmed, writeMail } from '../../../tests/support/customers/mailed-documents.ts';
import { insertUser, type TestUser } from '../../../tests/support/customers/plan-purchase.ts';
import { type Clamd, EICAR, startClamd } from '../../../tests/support/servers/clamd-server.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { suppress } from '../../kernel/resources/mailer/suppressions.ts';
import { writeAllowances } from '../files/credit-reservation.server.ts';
import { INBOX_FUNCTIONS, type InboxView, REFUSALS } from './inbox.contract.ts';
import { mailInSecret, signatureOf } from './inbox-context.server.ts';

const MAILBOX = 'documents@agency.example';
const BRAND = 'Harbour & Finch';
const PDF = makeDocuments()['tenancy-agreement.pdf'] ?? Buffer.alloc(0);
const pdf = (name: string) => ({ name, type: 'application/pdf', content: PDF });

let app: TestApp;
let clamd: Clamd;
beforeAll(async () => {
  clamd = await startClamd(64 * 1024 * 1024);
  app = await startTestApp({
    settings: { MAIL_IN_ADDRESS: MAILBOX, MAIL_IN_AUTH_HOST: AUTH_HOST, CLAMD_URL: clamd.url, BRAND },
  });
});
afterAll(async () => {
  await app.close();
  await clamd.close();
});

/** Posts a mail as a provider does. */
async function post(
  raw: string | Buffer,
  change: { body?: Buffer; seconds?: number } = {},
): Promise<Response> {
  const body = Buffer.from(raw);
  const id = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1000) - (change.seconds ?? 0));
  return fetch(`${app.url}/webhooks/mail-in`, {
    method: 'POST',
    headers: {
      'content-type': 'message/rfc822',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,AAAA ${signatureOf(mailInSecret(app.resources), body, { id, timestamp })}`,
    },
    body: new Uint8Array(change.body ?? body),
  });
}

async function call(user: TestUser, name: string, body?: object): Promise<Response> {
  return fetch(`${app.url}/functions/v1/${name}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      apikey: app.anonKey,
      authorization: `Bearer ${user.token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

interface Customer extends TestUser {
  readonly inbox: string;
}

/** A customer with a proven address, credits and an address for mails. */
async function newCustomer(credits = 20): Promise<Customer> {
  const user = await insertUser(app);
  const { database } = app.resources;
  await database.run('update auth.users set email_proven_at = now() where id = $1', [user.id]);
  await database.run('insert into public.customers (user_id, credits) values ($1, 0)', [user.id]);
  if (credits > 0)
    await database.run(
      "select private.correct_credits((select id from public.customers where user_id = $1), $2, 'for a test')",
      [user.id, credits],
    );
  const view = (await (await call(user, 'new-inbox-address', {})).json()) as InboxView;
  return { ...user, inbox: view.address ?? '' };
}

const filesOf = (user: TestUser) =>
  app.resources.database.many(
    'select file_name, mime_type, file_size, status from public.user_files where user_id = $1 order by created_at, file_name',
    [user.id],
  );
const creditsOf = async (user: TestUser) =>
  (await app.resources.database.one('select credits from public.customers where user_id = $1', [user.id]))
    .credits;
const mailsTo = async (address: string) =>
  (await app.resources.mailer.kept(200)).filter(({ to }) => to === address.toLowerCase());
const viewOf = async (user: TestUser) => (await (await call(user, 'inbox')).json()) as InboxView;

describe('a mail to a customer’s address', () => {
  test('each attachment becomes a document with a credit of its own and is analysed; the sender is told once', async () => {
    const ada = await newCustomer();
    expect(ada.inbox).toMatch(/^documents\+[a-z2-7]{20}@agency\.example$/);
    const mail = writeMail({
      from: ada.email,
      to: `"Papers" <${ada.inbox.toUpperCase()}>`,
      subject: 'Two bills',
      parts: [
        pdf('water.pdf'),
        { name: 'notes.txt', type: 'application/octet-stream', content: 'Total due: 12.50' },
      ],
    });
    const reply = await post(mail);
    expect([reply.status, await reply.json()]).toEqual([200, { taken: 1 }]);
    expect(await filesOf(ada)).toMatchObject([
      { file_name: 'water.pdf', mime_type: 'application/pdf', file_size: String(PDF.length) },
      { file_name: 'notes.txt', mime_type: 'text/plain' },
    ]);
    expect(await creditsOf(ada)).toBe(18);
    const analyses = await app.resources.database.many('select 1 from private.analyses where user_id = $1', [
      ada.id,
    ]);
    expect(analyses).toHaveLength(2);
    const answers = (await mailsTo(ada.email)).filter(({ subject }) => subject.includes('Two bills'));
    expect(answers.map(({ subject }) => subject)).toEqual(['Your documents have arrived: Two bills']);
    expect(answers[0]?.text).toContain('Taken: water.pdf');
    expect(answers[0]?.text).toContain('Taken: notes.txt');
    expect(answers[0]?.text).not.toContain('Not taken');
    expect(answers[0]?.from).toContain(BRAND);
    expect((await viewOf(ada)).mails).toMatchObject([
      {
        sender: ada.email,
        subject: 'Two bills',
        state: 'done',
        documents: [{ name: 'water.pdf' }, { name: 'notes.txt' }],
      },
    ]);

    // Another server delivers the same mail again.
    await post(`Received: from b.example\r\n${mail}`);
    expect(await filesOf(ada)).toHaveLength(2);
    expect(await creditsOf(ada)).toBe(18);
    expect((await mailsTo(ada.email)).filter(({ subject }) => subject.includes('Two bills'))).toHaveLength(1);
  });

  test('a mail inside the mail gives its attachments; a mail without any is a document itself', async () => {
    const ada = await newCustomer();
    const inner = writeMail({
      from: 'x@y.example',
      to: 'z@y.example',
      subject: 'Inner',
      headers: [],
      parts: [pdf('inner.pdf')],
    });
    const bare = writeMail({
      from: 'x@y.example',
      to: 'z@y.example',
      subject: 'A note',
      headers: [],
      text: 'Pay 5 by May.',
    });
    await post(
      writeMail({
        from: ada.email,
        to: ada.inbox,
        parts: [
          { type: 'message/rfc822', content: inner },
          { type: 'message/rfc822', content: bare },
          { name: 'logo.png', type: 'image/png', content: Buffer.alloc(900, 1), isInline: true },
          { name: 'sign.p7s', type: 'application/pkcs7-signature', content: 'x' },
        ],
      }),
    );
    expect((await filesOf(ada)).map(({ file_name: name }) => name)).toEqual(['inner.pdf', 'A note.eml']);
    await post(
      writeMail({
        from: ada.email,
        to: ada.inbox,
        subject: 'Rent',
        id: '<2@a.example>',
        text: 'The rent is 900.',
      }),
    );
    expect((await filesOf(ada)).at(-1)).toMatchObject({ file_name: 'Rent.eml', mime_type: 'message/rfc822' });
  });

  test('while the last credit is reserved for another upload, the mail is asked for again and not refused', async () => {
    const ada = await newCustomer(1);
    const reserve = () =>
      app.resources.database.asCaller(
        { role: 'service_role', userId: undefined, claims: { role: 'service_role' } },
        (queries) => queries.one('select public.use_credits($1, 1, $2) as used', [ada.id, 'File upload']),
      );
    expect(await reserve()).toEqual({ used: true });
    const mail = writeMail({ from: ada.email, to: ada.inbox, subject: 'Later', parts: [pdf('late.pdf')] });
    const reply = await post(mail);
    expect(reply.status).toBe(503);
    expect(await reply.text()).toContain('A credit is reserved for another upload: try again.');
    expect(await filesOf(ada)).toEqual([]);
  });

  test('attachments that cannot be documents are named with the reason, and take no credit', async () => {
    claims('The reason: ….');
    const ada = await newCustomer(60);
    const many = Array.from({ length: 47 }, (_, at) => ({
      name: `n${at}.txt`,
      type: 'text/plain',
      content: `Page ${at}`,
    }));
    await post(
      writeMail({
        from: ada.email,
        to: ada.inbox,
        subject: 'Odd ones',
        parts: [
          { name: 'setup.exe', type: 'application/pdf', content: 'MZ' },
          { name: 'fake.pdf', type: 'application/pdf', content: '<script>' },
          { name: 'empty.txt', type: 'text/plain', content: '' },
          { name: 'virus.txt', type: 'text/plain', content: `x ${EICAR}` },
          ...many,
        ],
      }),
    );
    expect(await filesOf(ada)).toHaveLength(46);
    expect(await creditsOf(ada)).toBe(60 - 46);
    const [mail] = (await viewOf(ada)).mails;
    const reasons = mail?.documents.flatMap(({ name, reason }) =>
      reason === null ? [] : [`${name}: ${reason}`],
    );
    expect(reasons).toEqual([
      'setup.exe: type',
      'fake.pdf: type',
      'empty.txt: empty',
      'virus.txt: malware',
      'n46.txt: many',
    ]);
    const [answer] = (await mailsTo(ada.email)).filter(({ subject }) => subject.includes('Odd ones'));
    expect(answer?.text).toContain('Not taken: setup.exe. The reason: files of this type cannot be read.');
    expect(answer?.text).toContain('Not taken: empty.txt. The reason: the file is empty.');
    expect(answer?.text).toContain('Not taken: virus.txt. The reason: the file contains malware.');
    expect(answer?.text).toContain('Not taken: n46.txt. The reason: a mail may have 50 attachments.');
  });

  test('without a credit, or with a full storage, nothing is stored and the sender learns why', async () => {
    const poor = await newCustomer(1);
    await post(writeMail({ from: poor.email, to: poor.inbox, parts: [pdf('a.pdf'), pdf('b.pdf')] }));
    expect((await filesOf(poor)).map(({ file_name: name }) => name)).toEqual(['a.pdf']);
    expect((await mailsTo(poor.email))[0]?.text).toContain(
      'Not taken: b.pdf. The reason: there is no credit left.',
    );

    const full = await newCustomer();
    const { database } = app.resources;
    await database.run('update private.plan_allowances set megabytes = 0');
    await post(writeMail({ from: full.email, to: full.inbox, parts: [pdf('a.pdf')] }));
    await writeAllowances(app.resources);
    expect(await filesOf(full)).toEqual([]);
    expect(await creditsOf(full)).toBe(20);
    const [told] = await mailsTo(full.email);
    expect(told?.subject).toBe('Nothing was taken from your mail: Bills');
    expect(told?.text).toContain('Not taken: a.pdf. The reason: the storage is full.');

    const leaving = await newCustomer();
    await database.run("update auth.users set deletion_due_at = now() + interval '7 days' where id = $1", [
      leaving.id,
    ]);
    await post(writeMail({ from: leaving.email, to: leaving.inbox, parts: [pdf('a.pdf')] }));
    expect(await filesOf(leaving)).toEqual([]);
    expect((await mailsTo(leaving.email))[0]?.text).toContain(
      'The mail was not taken. The reason: the account is being deleted.',
    );

    const silent = await newCustomer();
    await post(writeMail({ from: silent.email, to: silent.inbox, text: ' ' }));
    expect((await mailsTo(silent.email))[0]?.text).toContain('it has neither an attachment nor a text');
  });

  test('a paused account takes nothing and answers nothing, and an erased one is not found', async () => {
    const ada = await newCustomer();
    const { database } = app.resources;
    await database.run("update auth.users set banned_until = now() + interval '1 day' where id = $1", [
      ada.id,
    ]);
    expect(
      await (await post(writeMail({ from: ada.email, to: ada.inbox, parts: [pdf('a.pdf')] }))).json(),
    ).toEqual({ taken: 0 });
    await database.run('update auth.users set banned_until = null where id = $1', [ada.id]);
    await post(writeMail({ from: ada.email, to: ada.inbox, parts: [pdf('a.pdf')] }));
    expect(await filesOf(ada)).toHaveLength(1);
    const { data } = await database.one('select private.personal_data_of($1, null, null) as data', [ada.id]);
    expect(Object.keys(data as object)).toEqual(
      expect.arrayContaining(['private.inbox_addresses', 'private.inbox_mails', 'private.inbox_documents']),
    );
    expect(JSON.stringify(data)).not.toContain(ada.inbox.slice(10, 30));
    await database.run('delete from auth.users where id = $1', [ada.id]);
    expect(
      await (await post(writeMail({ from: ada.email, to: ada.inbox, parts: [pdf('a.pdf')] }))).json(),
    ).toEqual({ taken: 0 });
    expect(await database.many('select 1 from private.inbox_mails where user_id = $1', [ada.id])).toEqual([]);
  });

  test('a new address ends the one before', async () => {
    const ada = await newCustomer();
    const { address } = (await (await call(ada, 'new-inbox-address', {})).json()) as InboxView;
    expect(address).not.toBe(ada.inbox);
    expect(
      await (await post(writeMail({ from: ada.email, to: ada.inbox, parts: [pdf('a.pdf')] }))).json(),
    ).toEqual({ taken: 0 });
    expect(
      await (await post(writeMail({ from: ada.email, to: address ?? '', parts: [pdf('a.pdf')] }))).json(),
    ).toEqual({ taken: 1 });
  });
});

describe('who may send', () => {
  test('mails of strangers and forged senders are listed, take nothing and get no answer', async () => {
    const ada = await newCustomer();
    const forged = [
      [],
      [confirmed(ada.email).replaceAll('pass', 'fail')],
      [confirmed(ada.email).replace(AUTH_HOST, 'mx.evil.example')],
      [confirmed('x@evil.example')],
      [`Authentication-Results: ${AUTH_HOST}; dmarc=fail`, confirmed(ada.email)],
    ];
    for (const [at, headers] of forged.entries())
      await post(
        writeMail({
          from: ada.email,
          to: ada.inbox,
          id: `<${at}@a.example>`,
          headers,
          parts: [pdf('a.pdf')],
        }),
      );
    await post(writeMail({ from: 'eve@evil.example', to: ada.inbox, parts: [pdf('a.pdf')] }));
    expect(await filesOf(ada)).toEqual([]);
    expect(await mailsTo(ada.email)).toEqual([]);
    expect(await mailsTo('eve@evil.example')).toEqual([]);
    const { mails } = await viewOf(ada);
    expect(mails.map(({ sender, reason }) => `${sender} ${reason}`).sort()).toEqual(
      ['eve@evil.example sender', ...forged.map(() => `${ada.email} forged`)].sort(),
    );
    expect(REFUSALS.sender).toBe('the sender is not in your list');
    expect(REFUSALS.forged).toBe('the mail server could not confirm the sender');
  });

  test('members of the team may, until they leave it', async () => {
    const [ada, ben] = [await newCustomer(), await newCustomer(0)];
    const { database } = app.resources;
    const { id } = await database.one("insert into northline_app.teams (name) values ('Quay') returning id");
    for (const [user, role] of [
      [ada, 'owner'],
      [ben, 'member'],
    ] as const)
      await database.run(
        'insert into northline_app.team_members (user_id, team_id, role) values ($1, $2, $3)',
        [user.id, id, role],
      );
    expect((await viewOf(ada)).senders).toEqual([
      { address: ada.email, kind: 'account', proven: true },
      { address: ben.email, kind: 'team', proven: true },
    ]);
    await post(writeMail({ from: ben.email, to: ada.inbox, parts: [pdf('of-ben.pdf')] }));
    expect((await filesOf(ada)).map(({ file_name: name }) => name)).toEqual(['of-ben.pdf']);
    expect(await filesOf(ben)).toEqual([]);
    expect((await mailsTo(ben.email)).map(({ subject }) => subject)).toEqual([
      'Your documents have arrived: Bills',
    ]);
    await database.run('delete from northline_app.team_members where user_id = $1', [ben.id]);
    await post(writeMail({ from: ben.email, to: ada.inbox, id: '<9@b.example>', parts: [pdf('late.pdf')] }));
    expect(await filesOf(ada)).toHaveLength(1);
  });

  test('an address that was proven by its mail may, and an account’s former address may not', async () => {
    claims('If you do not know this account, you can ignore this mail.');
    const [ada, eve] = [await newCustomer(), await newCustomer()];
    const scanner = `scanner-${randomUUID().slice(0, 8)}@office.example`;
    // Other mails to it are stopped; this one was asked for.
    await suppress(app.resources.database, {
      address: scanner,
      reason: 'complaint',
      source: 'notice',
      detail: '',
    });
    const asked = (await (
      await call(ada, 'ask-inbox-sender', { address: scanner.toUpperCase() })
    ).json()) as InboxView;
    expect(asked.senders).toContainEqual({ address: scanner, kind: 'added', proven: false });
    await post(writeMail({ from: scanner, to: ada.inbox, parts: [pdf('early.pdf')] }));
    expect(await filesOf(ada)).toEqual([]);
    const [mail] = await mailsTo(scanner);
    expect(mail?.subject).toBe('May documents come from this address?');
    expect(mail?.text).toContain(`${ada.email} asks to send documents to ${BRAND} from this address.`);
    expect(mail?.text).toContain('The link works for 3 days, in the account that asked.');
    const token = /#mail-sender=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
    const others = await call(eve, 'prove-inbox-sender', { token });
    expect([others.status, ((await others.json()) as { code: string }).code]).toEqual([404, 'bad_proof']);
    expect((await call(ada, 'prove-inbox-sender', { token: `${token}x` })).status).toBe(404);
    expect((await call(ada, 'prove-inbox-sender', { token })).status).toBe(200);
    await post(writeMail({ from: scanner, to: ada.inbox, id: '<2@s.example>', parts: [pdf('scan.pdf')] }));
    expect((await filesOf(ada)).map(({ file_name: name }) => name)).toEqual(['scan.pdf']);

    await call(ada, 'remove-inbox-sender', { address: scanner });
    expect((await call(ada, 'prove-inbox-sender', { token })).status).toBe(404);
    await post(writeMail({ from: scanner, to: ada.inbox, id: '<3@s.example>', parts: [pdf('late.pdf')] }));
    expect(await filesOf(ada)).toHaveLength(1);

    const now = `${randomUUID()}@new.example`;
    await app.resources.database.run(
      'update auth.users set email = $2, email_proven_at = now() where id = $1',
      [ada.id, now],
    );
    await post(writeMail({ from: ada.email, to: ada.inbox, id: '<4@a.example>', parts: [pdf('old.pdf')] }));
    expect(await filesOf(ada)).toHaveLength(1);
    await post(writeMail({ from: now, to: ada.inbox, id: '<5@a.example>', parts: [pdf('new.pdf')] }));
    expect((await filesOf(ada)).map(({ file_name: name }) => name)).toEqual(['scan.pdf', 'new.pdf']);
  });

  test('programs and lists get documents in, but no answer', async () => {
    const ada = await newCustomer();
    const signs = [
      'Auto-Submitted: auto-generated',
      'Precedence: bulk',
      'Return-Path: <>',
      'List-Id: <a.b>',
      'X-Auto-Response-Suppress: All',
    ];
    for (const [at, sign] of signs.entries())
      await post(
        writeMail({
          from: ada.email,
          to: ada.inbox,
          id: `<${at}@p.example>`,
          headers: [sign, confirmed(ada.email)],
          parts: [pdf(`${at}.pdf`)],
        }),
      );
    expect(await filesOf(ada)).toHaveLength(signs.length);
    expect(await mailsTo(ada.email)).toEqual([]);
  });
});

describe('an account whose own address is not proven', () => {
  test('takes nothing from it until its link was opened, and is not named to others', async () => {
    const ada = await newCustomer();
    await app.resources.database.run('update auth.users set email_proven_at = null where id = $1', [ada.id]);
    await post(writeMail({ from: ada.email, to: ada.inbox, parts: [pdf('a.pdf')] }));
    expect(await filesOf(ada)).toEqual([]);
    await call(ada, 'ask-inbox-sender', { address: ada.email });
    const [mail] = await mailsTo(ada.email);
    expect(mail?.text).toContain(`Somebody asks to send documents to ${BRAND} from this address.`);
    expect(mail?.text).not.toContain(ada.email);
    await call(ada, 'prove-inbox-sender', { token: /#mail-sender=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '' });
    expect((await viewOf(ada)).senders).toEqual([{ address: ada.email, kind: 'added', proven: true }]);
    await post(writeMail({ from: ada.email, to: ada.inbox, id: '<2@a.example>', parts: [pdf('a.pdf')] }));
    expect(await filesOf(ada)).toHaveLength(1);
  });

  test('a customer adds at most 20 addresses', async () => {
    const ada = await newCustomer();
    for (let at = 0; at < 20; at += 1)
      expect((await call(ada, 'ask-inbox-sender', { address: `a${at}@b.example` })).status).toBe(200);
    const more = await call(ada, 'ask-inbox-sender', { address: 'a20@b.example' });
    expect([more.status, ((await more.json()) as { code: string }).code]).toEqual([409, 'too_many_senders']);
    expect((await call(ada, 'ask-inbox-sender', { address: 'a1@b.example, x@y.example' })).status).toBe(400);
  });
});

describe('POST /webhooks/mail-in', () => {
  test('refuses a mail that is unsigned, changed, old or too large, before anything is stored', async () => {
    const ada = await newCustomer();
    const mail = writeMail({ from: ada.email, to: ada.inbox, parts: [pdf('a.pdf')] });
    expect((await fetch(`${app.url}/webhooks/mail-in`, { method: 'POST', body: mail })).status).toBe(400);
    expect((await post(mail, { body: Buffer.from(`${mail} `) })).status).toBe(400);
    expect((await post(mail, { seconds: 400 })).status).toBe(400);
    expect((await post(Buffer.alloc(41 * 1024 * 1024, 'x'))).status).toBe(413);
    expect(await filesOf(ada)).toEqual([]);
    expect((await post(mail)).status).toBe(200);
  });

  test('takes a mail whose bytes are not text, and one that is no mail at all', async () => {
    const ada = await newCustomer();
    const head = Buffer.from(
      `${confirmed(ada.email)}\r\nFrom: ${ada.email}\r\nTo: ${ada.inbox}\r\nContent-Type: text/plain\r\n\r\n`,
    );
    expect((await post(Buffer.concat([head, Buffer.from([0xe9, 0xff, 0xfe, 0x41])]))).status).toBe(200);
    expect(await filesOf(ada)).toHaveLength(1);
    expect(await (await post(Buffer.from([0, 1, 2, 3]))).json()).toEqual({ taken: 0 });
  });

  test('is off, with the functions, where no address is set', async () => {
    const off = await startTestApp();
    try {
      expect((await fetch(`${off.url}/webhooks/mail-in`, { method: 'POST', body: 'x' })).status).toBe(404);
      const user = await insertUser(off);
      const headers = {
        ...{ apikey: off.anonKey, authorization: `Bearer ${user.token}` },
        'content-type': 'application/json',
      };
      const read = await fetch(off.url + INBOX_FUNCTIONS.read, { headers });
      expect([read.status, await read.json()]).toEqual([200, { off: true }]);
      const changed = await fetch(off.url + INBOX_FUNCTIONS.address, { method: 'POST', headers, body: '{}' });
      expect([changed.status, await changed.json()]).toMatchObject([404, { code: 'inbox_off' }]);
    } finally {
      await off.close();
    }
  });
});
