import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { Upload } from 'tus-js-client';
import { CREDIT_DESCRIPTION, UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import { SERVICES } from '../../src/kernel/contract/routes.ts';
import type { Keys } from '../../src/kernel/resources/crypto/keys.ts';
import { payWithCard } from '../support/customers/card-payment.ts';
import { greetedCall, voiceApi } from '../support/voice/voice-calls.ts';

/** A running product of any version. */
export interface Installation {
  readonly url: string;
  readonly keys: Keys;
  /** Address of its database, as the owner. */
  readonly database: string;
}

/** The data that was put into an installation, for another version to find. */
export interface Facts {
  readonly email: string;
  readonly password: string;
  readonly userId: string;
  readonly credits: number;
  readonly files: readonly { name: string; path: string; sha256: string; reportKind: string }[];
  readonly enquiryId: string;
  readonly callId: string;
  readonly transcript: string;
  readonly evidence: { readonly calls: number; readonly entries: number };
  readonly lessons: readonly string[];
  readonly messages: readonly string[];
  readonly bookings: readonly string[];
}

const DOCUMENTS = [
  { name: 'letter-rent-review.txt', type: 'text/plain' },
  { name: 'invoice-HF-2041.pdf', type: 'application/pdf' },
];
const PATIENCE_MS = 60_000;

/** Repeats `ask` until it finds something; for a program that fills an installation, not for a test. */
async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`It did not happen: ${what}`);
}

function must<T>({ data, error }: { data: T; error: unknown }): NonNullable<T> {
  if (error !== null) throw error;
  if (data === null || data === undefined) throw new Error('no data');
  return data;
}

async function tokenOf(client: SupabaseClient): Promise<string> {
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new Error('no session');
  return data.session.access_token;
}

const anonymous = ({ url, keys }: Installation): SupabaseClient =>
  createClient(url, keys.anon_key, { auth: { persistSession: false, autoRefreshToken: false } });

const voice = ({ url, keys }: Installation) => ({ url, resources: { keys } });

/** Lives a little in an installation: an account, a payment, files with reports, a lesson, a message, an enquiry, a call, a booking. */
export async function liveIn(installation: Installation): Promise<Facts> {
  const email = 'ada@customers.example';
  const password = 'a long old password';
  const client = anonymous(installation);
  const made = must(
    await client.auth.signUp({ email, password, options: { data: { full_name: 'Ada Okafor' } } }),
  );
  const userId = made.user?.id ?? '';
  await buy(installation, client, email);
  const files = [];
  for (const document of DOCUMENTS) files.push(await upload(installation, client, userId, document));
  await sendLesson(installation, client, userId);
  await sendMessage(installation, client);
  const enquiryId = await enquire(installation);
  const call = await callAssistant(installation);
  await book(installation, call.id);
  const { credits } = must(await client.from('customers').select('credits').single());
  const { body: evidence } = await voiceApi(voice(installation), 'GET', `/evidence?callId=${call.id}`);
  return {
    ...{ email, password, userId, credits, files, enquiryId },
    callId: call.id,
    transcript: call.artifact.transcript,
    evidence: { calls: evidence.calls, entries: evidence.entries },
    ...(await titlesOf(installation, client)),
  };
}

/** What the pages list: lessons and messages of the customer, bookings at the console. */
async function titlesOf(
  { url, keys }: Installation,
  client: SupabaseClient,
): Promise<Pick<Facts, 'lessons' | 'messages' | 'bookings'>> {
  const own = client.schema('northline_app');
  const server = createClient(url, keys.service_role_key).schema('northline_app');
  const lessons = must(await own.from('course_lessons').select('title').order('position'));
  const messages = must(await own.from('messages').select('body').order('sent_at'));
  const bookings = must(await server.from('bookings').select('name').order('starts_at'));
  return {
    lessons: lessons.map(({ title }) => title),
    messages: messages.map(({ body }) => body),
    bookings: bookings.map(({ name }) => name),
  };
}

async function sendLesson(installation: Installation, client: SupabaseClient, userId: string): Promise<void> {
  const { url, keys } = installation;
  await askOwner(
    installation,
    `insert into public.subscriptions
       (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)
     select customer_id, 'sub_course', 'price_courses_professional', 'professional', 'active', now(),
            now() + interval '21 days' from public.customers where user_id = $1`,
    [userId],
  );
  must(await client.rpc('use_credits', { p_user_id: userId, p_amount: 1, p_description: 'Course Video' }));
  const bytes = readFileSync(path.join(import.meta.dirname, '..', 'documents', 'lesson.webm'));
  const token = await tokenOf(client);
  await new Promise<void>((resolve, reject) => {
    new Upload(bytes, {
      endpoint: `${url}/storage/v1/upload/resumable`,
      headers: { authorization: `Bearer ${token}`, apikey: keys.anon_key },
      metadata: {
        bucketName: 'course-videos',
        objectName: `${userId}/${Date.now()}_welcome.webm`,
        contentType: 'video/webm',
        metadata: JSON.stringify({ name: 'welcome.webm' }),
      },
      chunkSize: 1 << 20,
      retryDelays: null,
      onSuccess: () => resolve(),
      onError: reject,
    }).start();
  });
}

async function sendMessage({ url }: Installation, client: SupabaseClient): Promise<void> {
  const reply = await fetch(`${url}${SERVICES.functions}/send-message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await tokenOf(client)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'When can we begin?' }),
  });
  if (!reply.ok) throw new Error(await reply.text());
}

/** Books as a call does, without its conversation. */
const book = (installation: Installation, callId: string): Promise<void> =>
  askOwner(
    installation,
    `insert into northline_app.bookings (starts_at, minutes, name, phone, call_id)
     values (date_trunc('hour', now()) + interval '3 years', 30, 'Grace Miller', '+442079460000', $1)`,
    [callId],
  );

async function askOwner({ database }: Installation, sql: string, values: unknown[]): Promise<void> {
  const owner = new pg.Client({ connectionString: database });
  await owner.connect();
  try {
    await owner.query(sql, values);
  } finally {
    await owner.end();
  }
}

async function buy({ url }: Installation, client: SupabaseClient, email: string): Promise<void> {
  const token = await tokenOf(client);
  const reply = await fetch(`${url}${SERVICES.checkout}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      price_id: SPECIFIED_PLANS[0]?.priceId,
      success_url: `${url}/success`,
      cancel_url: `${url}/cancel`,
      mode: 'subscription',
    }),
  });
  const { url: page } = (await reply.json()) as { url: string };
  await payWithCard(page, '4242424242424242', email);
  await eventually('the credits of the payment', async () => {
    const { data } = await client.from('customers').select('credits').maybeSingle();
    return data !== null && data.credits > 0 ? data : undefined;
  });
}

async function upload(
  { url }: Installation,
  client: SupabaseClient,
  userId: string,
  { name, type }: { name: string; type: string },
): Promise<Facts['files'][number]> {
  const body = readFileSync(path.join(import.meta.dirname, '..', 'documents', name));
  const at = `${userId}/${Date.now()}_${name}`;
  must(
    await client.rpc('use_credits', { p_user_id: userId, p_amount: 1, p_description: CREDIT_DESCRIPTION }),
  );
  must(await client.storage.from(UPLOADS_BUCKET).upload(at, body, { contentType: type }));
  const record = {
    user_id: userId,
    file_path: at,
    file_name: name,
    file_type: 'document',
    file_size: 1,
    mime_type: type,
  };
  const { id } = must(await client.from('user_files').insert(record).select('id').single());
  const token = await tokenOf(client);
  await fetch(`${url}${SERVICES.analyze}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ file_id: id }),
  });
  const { report } = await eventually(`the report of ${name}`, async () => {
    const { data } = await client
      .schema('northline_app')
      .from('analysis_reports')
      .select('report')
      .eq('file_id', id)
      .maybeSingle();
    return data ?? undefined;
  });
  return {
    name,
    path: at,
    sha256: createHash('sha256').update(body).digest('hex'),
    reportKind: report.document.kind,
  };
}

async function enquire({ url, keys }: Installation): Promise<string> {
  const reply = await fetch(`${url}${SERVICES.enquiry}`, {
    method: 'POST',
    headers: { apikey: keys.anon_key, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Grace',
      email: 'grace@visitors.example',
      enquiry_type: 'App Builder',
      additional_notes: 'Do you build booking systems?',
    }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(text);
  return JSON.parse(text).id;
}

async function callAssistant(installation: Installation) {
  const call = await greetedCall(voice(installation));
  await call.peer.close();
  return call.over();
}

/** Every sentence that is untrue about an installation in which {@link liveIn} left `facts`. */
export async function missingFrom(installation: Installation, facts: Facts): Promise<string[]> {
  const client = anonymous(installation);
  const { error } = await client.auth.signInWithPassword({ email: facts.email, password: facts.password });
  if (error !== null) throw error;
  const faults: string[] = [];
  const expectSame = (what: string, found: unknown, wanted: unknown): void => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) {
      faults.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
    }
  };
  for (const { name, path: at, sha256, reportKind } of facts.files) {
    const bytes = must(await client.storage.from(UPLOADS_BUCKET).download(at));
    const digest = createHash('sha256')
      .update(Buffer.from(await bytes.arrayBuffer()))
      .digest('hex');
    expectSame(`bytes of ${name}`, digest, sha256);
    const file = must(await client.from('user_files').select('id, status').eq('file_path', at).single());
    expectSame(`state of ${name}`, file.status, 'analyzed');
    const { report } = must(
      await client
        .schema('northline_app')
        .from('analysis_reports')
        .select('report')
        .eq('file_id', file.id)
        .single(),
    );
    expectSame(`report of ${name}`, report.document.kind, reportKind);
  }
  const { credits } = must(await client.from('customers').select('credits').single());
  expectSame('credits', credits, facts.credits);
  const ledger = must(
    await client.from('credit_transactions').select('amount, kind, state').order('created_at'),
  );
  const valid = ledger.filter(({ state }) => state !== 'returned');
  expectSame(
    'sum of the ledger',
    valid.reduce((sum, { amount }) => sum + amount, 0),
    facts.credits,
  );
  expectSame('grants', valid.filter(({ kind }) => kind === 'grant').length, 1);
  const plan = must(await client.from('user_subscription').select('subscription_status').single());
  expectSame('subscription', plan.subscription_status, 'active');
  const { body: call } = await voiceApi(voice(installation), 'GET', `/call/${facts.callId}`);
  expectSame('call', call.artifact?.transcript, facts.transcript);
  const { body: evidence } = await voiceApi(voice(installation), 'GET', `/evidence?callId=${facts.callId}`);
  expectSame('evidence', evidence, { ...facts.evidence, faults: [] });
  const server = createClient(installation.url, installation.keys.service_role_key);
  const enquiry = must(await server.from('enquiries').select('name').eq('id', facts.enquiryId).single());
  expectSame('enquiry', enquiry.name, 'Grace');
  const { lessons, messages, bookings } = facts;
  expectSame('lists', await titlesOf(installation, client), { lessons, messages, bookings });
  return faults;
}
