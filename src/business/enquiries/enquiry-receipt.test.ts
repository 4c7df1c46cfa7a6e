import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { ENQUIRY_SERVICES } from '../../kernel/contract/enquiries.ts';
import { enquiryRules } from './enquiry-check.server.ts';
import type { Enquiry } from './enquiry-mails.server.ts';
import { webhookBody } from './enquiry-mails.server.ts';
import { issueChallenge } from './proof-of-work/proof-of-work.server.ts';
import { solve } from './proof-of-work/proof-of-work.web.ts';

let app: TestApp;
let client: SupabaseClient;
beforeAll(async () => {
  app = await startTestApp({ settings: { CONTACT_EMAIL: 'agency@example.com' } });
  client = createClient(app.url, app.anonKey);
});
afterAll(() => app.close());
// All tests send from one address, which alone would look suspicious.
beforeEach(() => app.resources.database.run('delete from public.enquiries'));

const complete = {
  name: 'Priya Shah',
  email: 'priya@example.com',
  phone: '+44 20 7946 0000',
  company_name: 'Shah & Sons',
  website: 'shah.example',
  enquiry_type: 'Business Tier',
  additional_notes: 'Two offices.\nOne switchboard.',
};

/** The proof that the form's page computes while the visitor types for a minute. */
const proof = () =>
  solve(issueChallenge(app.resources.keys, 4, Date.now() - 60_000), new AbortController().signal);

/** Sends a body; returns the reply and the row that was stored. */
async function send(name: 'enquiry' | 'course-inquiry', body: object) {
  const { data, error } = await client.functions.invoke(name, { body: { proof: await proof(), ...body } });
  const failure = error === null ? undefined : await error.context.json();
  const row = data
    ? await app.resources.database.one('select * from public.enquiries where id = $1', [data.id])
    : undefined;
  return { receipt: data as { id: string } | null, failure, row, status: error?.context.status };
}

const mailsTo = async (address: string) =>
  (await app.resources.mailer.kept(200)).filter((mail) => mail.to === address);

describe('an enquiry', () => {
  test('is stored with every field, mailed to the agency and acknowledged to the visitor', async () => {
    claims('Your reference is ….');
    const { receipt, row } = await send('enquiry', complete);
    expect(receipt?.id).toMatch(/^ENQ-\d{13}-[a-z0-9]{9}$/);
    expect(row).toMatchObject({ ...complete, website: 'https://shah.example/', suspect_reasons: [] });
    const [toAgency] = (await mailsTo('agency@example.com')).filter(({ text }) =>
      text.includes(receipt?.id ?? '?'),
    );
    expect(toAgency?.subject).toBe('Enquiry: Business Tier from Priya Shah');
    expect(toAgency?.html).toContain('Shah &amp; Sons');
    const [toVisitor] = await mailsTo('priya@example.com');
    expect(toVisitor?.text).toContain(receipt?.id);
    expect(toVisitor?.text).not.toContain('switchboard');
  });

  test.each(ENQUIRY_SERVICES)('may name the service %s', async (enquiry_type) => {
    const { row } = await send('enquiry', { name: 'A', email: 'a@example.com', enquiry_type });
    expect(row).toMatchObject({ enquiry_type, phone: null, website: null, additional_notes: null });
  });

  test.each([
    ['name', { name: ' ' }],
    ['name', { name: 'Mallory\r\nBcc: victim@example.com' }],
    ['email', { email: 'not an address' }],
    ['email', { email: 'a@example.com, b@example.com' }],
    ['website', { website: 'javascript:alert(1)' }],
    ['website', { website: 'not a website' }],
    ['enquiry_type', { enquiry_type: 'World Peace' }],
    ['additional_notes', { additional_notes: 'x'.repeat(5001) }],
  ])('with a wrong %s is refused, naming the field', async (field, change) => {
    const { failure, status } = await send('enquiry', { ...complete, ...change });
    expect(status).toBe(400);
    expect(Object.keys(failure.fields)).toEqual([field]);
  });

  test('has the account of the caller, never one from its body', async () => {
    const { row } = await send('enquiry', {
      ...complete,
      user_id: crypto.randomUUID(),
      email: 'b@example.com',
    });
    expect(row?.user_id).toBeNull();
  });

  test('without any key is refused', async () => {
    const answer = await fetch(`${app.url}/functions/v1/enquiry`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
  });
});

describe('a course inquiry', () => {
  test('is stored under an id of its own and mailed', async () => {
    const { receipt, row } = await send('course-inquiry', {
      name: 'Owen Hill',
      email: 'owen@example.com',
      course_description: 'Bread baking in ten evenings',
    });
    expect(receipt?.id).toMatch(/^COURSE-\d{13}-[a-z0-9]{9}$/);
    expect(row).toMatchObject({ course_description: 'Bread baking in ten evenings', company_name: null });
    expect(await mailsTo('owen@example.com')).toHaveLength(1);
  });

  test('without a description is refused', async () => {
    const { failure } = await send('course-inquiry', {
      name: 'Owen',
      email: 'owen@example.com',
      course_description: ' ',
    });
    expect(failure.fields).toEqual({ course_description: 'required' });
  });
});

describe('what may be advertising', () => {
  test('the sixth from one address within ten minutes is marked', async () => {
    claims('May be advertising: ….');
    const marks: unknown[] = [];
    for (let sent = 1; sent <= 6; sent += 1) {
      const body = { ...complete, email: `visitor${sent}@example.com` };
      marks.push((await send('enquiry', body)).row?.suspect_reasons);
    }
    expect(marks).toEqual([[], [], [], [], [], ['many from one address']]);
  });

  test.each([
    ['hidden field filled', { nickname: 'bot' }],
    ['sent too fast', { elapsed_ms: 300 }],
    [
      'many links',
      { additional_notes: 'https://a.example https://b.example www.c.example http://d.example' },
    ],
  ])('is stored and marked: %s', async (reason, change) => {
    const email = `${reason.replaceAll(' ', '-')}@example.com`;
    const { row } = await send('enquiry', { ...complete, email, ...change });
    expect(row?.suspect_reasons).toContain(reason);
    expect(await mailsTo(email)).toEqual([]);
  });

  test('the same text a third time is marked, and the answer looks the same', async () => {
    const body = { ...complete, email: 'again@example.com', additional_notes: 'Buy now' };
    const answers = [await send('enquiry', body), await send('enquiry', body), await send('enquiry', body)];
    const marks = answers.map(({ row }) => row?.suspect_reasons);
    expect(marks).toEqual([[], [], ['same text again']]);
  });
});

test('nobody reads enquiries through the data service with the public key', async () => {
  const rights = await app.resources.database.one(
    `select has_table_privilege('anon', 'public.enquiries', 'select') as anon,
            has_table_privilege('authenticated', 'public.enquiries', 'select') as user`,
  );
  expect(rights).toEqual({ anon: false, user: false });
});

test("the webhook's body is the specified one, with the visitor's words escaped", () => {
  const {
    nickname: _,
    elapsed_ms: __,
    proof: ___,
    ...words
  } = enquiryRules(app.resources.site).parse({ ...complete, name: '<b>Priya</b>' });
  const enquiry: Enquiry = {
    ...words,
    id: 'ENQ-1-abc',
    course_description: null,
    user_id: null,
    timestamp: '2026-01-01T00:00:00.000Z',
  };
  const body = webhookBody(app.resources.settings, enquiry, false);
  expect(Object.keys(body)).toEqual(['type', 'to', 'from', 'subject', 'html_body', 'enquiry_data']);
  expect(body.type).toBe('enquiry_email');
  expect(body.html_body).toContain('&lt;b&gt;Priya&lt;/b&gt;');
  expect(Object.keys(body.enquiry_data).sort()).toEqual(
    [
      'additional_notes',
      'company_name',
      'email',
      'enquiry_type',
      'id',
      'name',
      'phone',
      'timestamp',
      'user_id',
      'website',
    ].sort(),
  );
});
