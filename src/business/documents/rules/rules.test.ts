import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Field } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { claims } from '../../../../tests/support/claims.ts';
import {
  analyze,
  type Customer,
  newCustomer,
  settled,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { suppress } from '../../../kernel/resources/mailer/suppressions.ts';
import { factsOf } from '../corrections/fact-correction.contract.ts';
import { type DocumentRule, type DryRun, MOST_SENT_A_DAY } from './rule.contract.ts';
import { applyRules } from './rule-application.server.ts';
import { fileName, isMet, planActs, type RuleDocument, wantedIn } from './rule-matching.server.ts';
import { sendReminders } from './rule-reminders.server.ts';

const field = (key: string, label: string, value: string, normalized?: string): Field => ({
  ...{ key, label, value, type: 'text', confidence: 0.9, source: 'text', cites: [] },
  ...(normalized === undefined ? {} : { normalized }),
});

const FIELDS = [
  field('supplier', 'Supplier', 'Harlow & Finch Ltd'),
  field('document_number', 'Number', 'HF/2041'),
  field('issue_date', 'Date', '2 March 2026', '2026-03-02'),
  field('due_date', 'Due date', '1 April 2026', '2026-04-01'),
  field('total', 'Total', '£360.00', '360.00'),
  field('own:1', 'Cost centre', 'CC-1200'),
];
const BILL: RuleDocument = {
  kind: 'invoice',
  title: 'Invoice HF/2041',
  fileName: 'scan0001.PDF',
  facts: factsOf(FIELDS, []),
};

describe('a rule', () => {
  test('wants everything that it names', () => {
    expect(isMet({ kind: 'invoice', sender: 'harlow', least: 300, most: 400 }, BILL)).toBe(true);
    expect(isMet({ field: { label: 'cost CENTRE', contains: 'cc-12' } }, BILL)).toBe(true);
    expect(isMet({ field: { label: 'Cost centre' } }, BILL)).toBe(true);
    for (const wanted of [
      { kind: 'receipt' as const },
      { sender: 'Harlow Ltd' },
      { least: 360.01 },
      { most: 359.99 },
      { field: { label: 'Meter' } },
      { field: { label: 'Cost centre', contains: '1300' } },
    ])
      expect(isMet(wanted, BILL), JSON.stringify(wanted)).toBe(false);
    expect(isMet({ least: 0 }, { ...BILL, facts: [] })).toBe(false);
  });

  test('looks into a file that holds several documents, and does not name the file after one of them', () => {
    const stack: RuleDocument = {
      ...{ kind: 'other', title: '2 documents', fileName: 'post.pdf', facts: [] },
      parts: [
        { ...BILL, kind: 'lease', facts: [], isPart: true },
        { ...BILL, isPart: true },
      ],
    };
    const wanted = { kind: 'invoice', sender: 'harlow' } as const;
    expect(wantedIn(wanted, stack)).toBe(stack.parts?.[1]);
    expect(wantedIn({ ...wanted, kind: 'lease' }, stack)).toBeUndefined();
    expect(wantedIn(wanted, BILL)).toBe(BILL);
    const met = wantedIn(wanted, stack) ?? BILL;
    expect(planActs({ name: '{sender}', tag: 'Energy' }, met, new Date())).toMatchObject({
      name: undefined,
      done: [
        { act: 'tag', text: 'tag “Energy”' },
        { act: 'name', text: 'keep its name, as the file holds several documents' },
      ],
    });
  });

  test('names a file by its values: safe for every system, with its ending, and not at all without a value', () => {
    claims(
      '{date} {sender} {number} {total} {due} {kind} {title} stand for its values, and so does the name of any field in such brackets.',
    );
    expect(fileName('{due} {kind}', BILL)).toBe('2026-04-01 Invoice.PDF');
    expect(fileName('{date} {sender} {number}', BILL)).toBe('2026-03-02 Harlow & Finch Ltd HF-2041.PDF');
    expect(fileName('{Cost centre} - {Meter} - {total}', BILL)).toBe('CC-1200 - 360.00.PDF');
    expect(fileName('{Meter}', BILL)).toBeUndefined();
    expect(fileName('Bill', BILL)).toBeUndefined();
    expect(fileName('{title}', { ...BILL, title: '../..\\\u0000<x>' })).toBe('x.PDF');
    expect(fileName('{title}', { ...BILL, title: 'x'.repeat(500) })).toHaveLength(200);
  });

  test('reminds before a day that is still to come', () => {
    const plan = (now: string) => planActs({ remind: { label: 'Due date', days: 3 } }, BILL, new Date(now));
    expect(plan('2026-03-10T00:00:00Z')).toMatchObject({
      remind: { day: '2026-04-01', at: new Date('2026-03-29T06:00:00Z') },
      done: [{ text: 'remind you on 2026-03-29' }],
    });
    expect(plan('2026-03-30T00:00:00Z').remind).toBeUndefined();
  });
});

describe('rules of an account', () => {
  let app: TestApp;
  /** A program of the customer: answers the proof, and keeps what it gets. */
  const received: { body: string; headers: Record<string, string> }[] = [];
  let isProving = true;
  const program = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      received.push({ body, headers: request.headers as Record<string, string> });
      const { challenge = '' } = JSON.parse(body) as { challenge?: string };
      reply.end(isProving ? JSON.stringify({ challenge }) : 'no');
    });
  });
  let webhook = '';

  beforeAll(async () => {
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(program.address() as AddressInfo).port}`;
    webhook = `http://${host}/documents`;
    app = await startTestApp({ settings: { OUTBOUND_ALLOW_HOSTS: host } });
  });
  afterAll(async () => {
    await app?.close();
    await new Promise((resolve) => program.close(resolve));
  });

  const call = (who: Customer, name: string, body: object) => callFunction(app, name, who.token, body);
  const save = (who: Customer, rule: object) =>
    call(who, 'save-rule', { name: 'Energy', active: true, ...rule });
  const bill = (who: Customer, name: string, fields: readonly Field[] = FIELDS) =>
    storeReport(app, who, { name, texts: ['A bill'], fields });
  const runsOf = (fileId: string) =>
    app.resources.database.many('select id, done from northline_app.rule_runs where file_id = $1', [fileId]);

  test('act once on each document that comes, whatever is done with it later', async () => {
    claims(
      'What is done with a document once it has been read.',
      'A rule acts once on each document that you upload from now on.',
      'Your document … names … as “…”.',
    );
    const owner = await newCustomer(app, 'rule-owner');
    await app.resources.database.run('update auth.users set email_proven_at = now() where id = $1', [
      owner.id,
    ]);
    const before = await bill(owner, 'before.txt');
    const due = field('due_date', 'Due date', '1 April 2199', '2199-04-01');
    const saved = await save(owner, {
      wanted: { kind: 'invoice', sender: 'harlow' },
      acts: {
        tag: 'Energy',
        name: '{date} {sender}',
        mail: true,
        webhook,
        remind: { label: 'Due date', days: 5 },
      },
    });
    expect(saved.status).toBe(200);
    expect(JSON.parse(received[0]?.body ?? '{}')).toMatchObject({ type: 'webhook.proof' });
    const file = await bill(owner, 'after.txt', [...FIELDS.filter(({ key }) => key !== 'due_date'), due]);
    await expect.poll(() => runsOf(file)).toHaveLength(1);
    const other = await bill(owner, 'other.txt', [field('supplier', 'Supplier', 'Somebody')]);
    const row = async (id: string) =>
      app.resources.database.one(
        `select f.file_name, t.tags from public.user_files f
           left join northline_app.file_tags t on t.file_id = f.id where f.id = $1`,
        [id],
      );
    expect(await row(file)).toEqual({ file_name: '2026-03-02 Harlow & Finch Ltd.txt', tags: ['Energy'] });
    await expect.poll(() => received.length).toBe(2);
    const [{ secret }] = ((await call(owner, 'list-rules', {})).body.rules ?? []) as unknown as [
      DocumentRule,
    ];
    const sent = received[1];
    const event = new Webhook(secret ?? '').verify(sent?.body ?? '', sent?.headers ?? {});
    expect(event).toMatchObject({ type: 'document.rule', document: { file_id: file, kind: 'invoice' } });
    const mails = async () =>
      (await app.resources.mailer.kept(50)).filter(({ to }) => to === 'rule-owner@customers.example');
    expect((await mails()).map(({ subject }) => subject)).toContain(
      'Energy: 2026-03-02 Harlow & Finch Ltd.txt',
    );

    const [told] = await mails();
    expect(told?.text).toContain('A document met your rule “Energy”.');
    expect(told?.text).toContain('It is after.txt, in the file 2026-03-02 Harlow & Finch Ltd.txt.');

    await sendReminders(app.resources, new Date('2199-03-26T00:00:00Z'));
    const reminders = async () => (await mails()).filter(({ subject }) => subject.startsWith('Due date on'));
    expect(await reminders()).toHaveLength(0);
    for (const _ of [1, 2]) await sendReminders(app.resources, new Date('2199-03-27T07:00:00Z'));
    const [reminder, ...more] = await reminders();
    expect(more).toEqual([]);
    expect(reminder?.text).toContain(
      'Your document 2026-03-02 Harlow & Finch Ltd.txt names 1 April 2199 as “Due date”.',
    );

    await analyze(app, owner.token, file);
    await settled(app, file);
    await expect
      .poll(() =>
        app.resources.database.many(
          'select file_id from private.arrived_documents where file_id = any ($1)',
          [[file, other, before]],
        ),
      )
      .toEqual([]);
    expect(await runsOf(file)).toHaveLength(1);
    expect([await runsOf(before), await runsOf(other)]).toEqual([[], []]);
    expect(received).toHaveLength(2);
    expect(await row(before)).toEqual({ file_name: 'before.txt', tags: null });
  });

  test('a dry run says what would have happened to the latest documents, and changes nothing', async () => {
    claims('… of your last … documents would have met this rule.', 'Nothing was changed.');
    const owner = await newCustomer(app, 'rule-dry');
    const file = await bill(owner, 'scan.txt');
    await bill(owner, 'other.txt', []);
    const { body } = await call(owner, 'try-rule', {
      wanted: { sender: 'Finch' },
      acts: { tag: 'Energy', name: '{number}', webhook: 'https://example.com/x' },
    });
    expect(body as unknown as DryRun).toEqual({
      looked: 2,
      met: [
        {
          file_id: file,
          file_name: 'scan.txt',
          acts: [
            { act: 'tag', text: 'tag “Energy”' },
            { act: 'name', text: 'name it “HF-2041.txt”' },
            { act: 'webhook', text: 'send to example.com' },
          ],
        },
      ],
    });
    expect(await runsOf(file)).toEqual([]);
    expect(received.filter(({ body: text }) => text.includes(file))).toEqual([]);
  });

  test('attack 36: a webhook goes only to a public address whose program answers the proof', async () => {
    claims(
      'We ask it once whether it is yours: it has to answer our question with the word “challenge” from it.',
    );
    const owner = await newCustomer(app, 'rule-proof');
    const acts = (address: string) => ({ wanted: { kind: 'invoice' }, acts: { webhook: address } });
    for (const address of ['http://169.254.169.254/latest', 'https://127.0.0.1:1/x', 'https://localhost/x'])
      expect(await save(owner, acts(address)), address).toMatchObject({
        status: 422,
        body: { code: 'webhook_not_proven' },
      });
    isProving = false;
    onTestFinished(() => {
      isProving = true;
    });
    expect(await save(owner, acts(webhook))).toMatchObject({
      status: 422,
      body: { code: 'webhook_not_proven' },
    });
    expect((await call(owner, 'list-rules', {})).body.rules).toEqual([]);
    expect((await save(owner, acts('ftp://example.com'))).status).toBe(400);
  });

  test('nobody sees, changes or removes the rules of another account, and an empty rule is refused', async () => {
    const [owner, other] = [await newCustomer(app, 'rule-mine'), await newCustomer(app, 'rule-theirs')];
    const rule = { wanted: { kind: 'invoice' }, acts: { tag: 'Energy' } };
    const { rule_id: id } = (await save(owner, rule)).body as { rule_id: string };
    expect((await save(other, { ...rule, rule_id: id })).status).toBe(404);
    expect((await call(other, 'remove-rule', { rule_id: id })).status).toBe(404);
    expect((await call(other, 'list-rules', {})).body.rules).toEqual([]);
    const theirs = await bill(other, 'theirs.txt');
    await expect
      .poll(() =>
        app.resources.database.many('select 1 from private.arrived_documents where file_id = $1', [theirs]),
      )
      .toEqual([]);
    expect(await runsOf(theirs)).toEqual([]);
    expect((await save(owner, { ...rule, wanted: {} })).status).toBe(400);
    expect((await save(owner, { ...rule, acts: {} })).status).toBe(400);
    expect((await call(owner, 'remove-rule', { rule_id: id })).status).toBe(200);
  });

  test('a process that dies while a rule acts leaves nothing of it, and the next one acts once', async () => {
    const owner = await newCustomer(app, 'rule-dies');
    await app.resources.database.run('update auth.users set email_proven_at = now() where id = $1', [
      owner.id,
    ]);
    await save(owner, {
      active: false,
      wanted: { kind: 'invoice' },
      acts: { tag: 'Energy', name: '{sender}', mail: true, webhook },
    });
    const file = await bill(owner, 'scan.txt');
    await expect
      .poll(() =>
        app.resources.database.many('select 1 from private.arrived_documents where file_id = $1', [file]),
      )
      .toEqual([]);
    await app.resources.database.run(
      'update northline_app.document_rules set active = true where user_id = $1',
      [owner.id],
    );
    const sent = () =>
      app.resources.database.many(
        "select subject from private.mails where recipient = 'rule-dies@customers.example' and subject like 'Energy: %'",
      );
    const name = () =>
      app.resources.database.one('select file_name from public.user_files where id = $1', [file]);
    const dies = app.resources.database.transaction(async (queries) => {
      await applyRules(app.resources, queries, file);
      throw new Error('died');
    });
    await expect(dies).rejects.toThrow('died');
    expect([await runsOf(file), await sent(), await name()]).toEqual([[], [], { file_name: 'scan.txt' }]);
    for (const _ of [1, 2])
      await app.resources.database.transaction((queries) => applyRules(app.resources, queries, file));
    expect(await runsOf(file)).toHaveLength(1);
    expect(await sent()).toHaveLength(1);
    expect(await name()).toEqual({ file_name: 'Harlow & Finch Ltd.txt' });
  });

  test('a mail to an address that gets none is not sent, and the run says so', async () => {
    const { database } = app.resources;
    const owner = await newCustomer(app, 'rule-stopped');
    const proven = await database.one(
      'update auth.users set email_proven_at = now() where id = $1 returning email',
      [owner.id],
    );
    await suppress(database, {
      address: proven.email ?? '',
      reason: 'operator',
      source: 'console',
      detail: '',
    });
    await save(owner, { wanted: { kind: 'invoice' }, acts: { mail: true, tag: 'Energy' } });
    const file = await bill(owner, 'stopped.txt');
    await expect
      .poll(async () => (await runsOf(file))[0]?.done)
      .toEqual([
        { act: 'tag', text: 'tag “Energy”' },
        { act: 'mail', text: 'not sent: mails to your address are stopped' },
      ]);
  });

  test('beyond the limit of a day nothing is sent, and the run says so', async () => {
    const owner = await newCustomer(app, 'rule-limit');
    const first = await bill(owner, 'first.txt');
    const saved = await save(owner, { wanted: { kind: 'invoice' }, acts: { webhook } });
    const many = Array.from({ length: MOST_SENT_A_DAY }, () => ({ act: 'webhook', text: 'send to x' }));
    await app.resources.database.run(
      'insert into northline_app.rule_runs (rule_id, file_id, user_id, done) values ($1, $2, $3, $4)',
      [saved.body.rule_id, first, owner.id, JSON.stringify(many)],
    );
    const file = await bill(owner, 'second.txt');
    await expect
      .poll(() => runsOf(file))
      .toMatchObject([{ done: [{ text: expect.stringContaining('not sent') }] }]);
    expect(received.filter(({ body }) => body.includes(file))).toEqual([]);
  });
});
