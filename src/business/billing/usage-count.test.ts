import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askConsole, newOperator } from '../../../tests/support/customers/operator-client.ts';
import {
  buyPlan,
  callFunction,
  insertUser,
  settle,
  type TestUser,
} from '../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { AVATARS_BUCKET, avatarPath } from '../../kernel/contract/avatars.ts';
import { COURSE_CREDIT_DESCRIPTION } from '../../kernel/contract/limits.ts';
import type { CustomerAccount } from '../console/console.contract.ts';
import type { CustomerRecord } from '../console/records/customer-record.contract.ts';
import type { BillingOverview } from './subscription/billing-management.contract.ts';
import { subscriptionsOf } from './subscription/billing-read.web.ts';
import { type Allowances, subscriptionOf as heldOf } from './subscription/subscription-read.web.ts';

const MEGABYTE = 1024 * 1024;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** The published client, signed in as a user. */
function clientOf(user: TestUser) {
  return createClient(app.url, app.anonKey, { accessToken: async () => user.token });
}

/** Uploads a file by the specified calls; returns its id. */
async function upload(user: TestUser, name: string): Promise<string> {
  const client = clientOf(user);
  const spent = await client.rpc('use_credits', {
    p_user_id: user.id,
    p_amount: 1,
    p_description: 'Document Analysis',
  });
  expect(spent).toMatchObject({ data: true, error: null });
  const path = `${user.id}/${Date.now()}_${name}`;
  const stored = await client.storage
    .from('user-uploads')
    .upload(path, new Blob(['Some words.\n'], { type: 'text/plain' }));
  expect(stored.error).toBeNull();
  const { data, error } = await client
    .from('user_files')
    .insert({
      user_id: user.id,
      file_path: path,
      file_name: name,
      file_type: 'document',
      file_size: 12,
      mime_type: 'text/plain',
    })
    .select('id')
    .single();
  expect(error).toBeNull();
  return data?.id;
}

async function report(user: TestUser, fileId: string, pages: number | null): Promise<void> {
  await app.resources.database.run(
    `insert into northline_app.analysis_reports (file_id, user_id, analysis_id, report, blocks)
     values ($1, $2, gen_random_uuid(), $3, '[]')`,
    [fileId, user.id, JSON.stringify({ document: { pages } })],
  );
}

/** Reads the view by the specified call: numbers, at most one row. */
async function subscriptionOf(user: TestUser) {
  const { data, error } = await clientOf(user).from('user_subscription').select('*').maybeSingle();
  expect(error).toBeNull();
  return data;
}

test('a document plan counts the pages of its reports, a document without pages as one', async () => {
  const user = await insertUser(app);
  expect(await subscriptionOf(user)).toBeNull();
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  await report(user, await upload(user, 'seven.txt'), 7);
  await report(user, await upload(user, 'plain.txt'), null);
  const seen = await subscriptionOf(user);
  expect(seen).toMatchObject({ document_pages_used: 8, course_uploads_used: 0, video_minutes_used: 0 });
  expect(seen?.current_period_end).toBeGreaterThan(Date.now() / 1000);
});

/** What the pages show, by the calls that they make. */
async function shownTo(user: TestUser) {
  const client = clientOf(user);
  const { data } = await client.schema('northline_app').rpc('account_allowances');
  const overview = (await callFunction(app, 'billing-overview', user.token, {})) as unknown as {
    body: BillingOverview;
  };
  return { allowances: data as Allowances, billed: subscriptionsOf(overview.body) };
}

test('credits that the agency takes back are no documents of this month', async () => {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  await upload(user, 'one.txt');
  const operator = await newOperator(app);
  const taken = { do: 'customer.credits', id: user.id, amount: -20, reason: 'Given by mistake' };
  expect(await askConsole('act', operator, taken)).toEqual({ done: true });
  const { body } = await callFunction(app, 'billing-overview', user.token, {});
  expect(body.usage).toMatchObject({ used: 1, included: 25, left: 4 });
});

test('with a plan of each line the larger storage counts, and course uploads are counted apart', async () => {
  const user = await insertUser(app);
  expect((await shownTo(user)).allowances).toEqual({
    plans: [],
    storage_limit_bytes: 250 * MEGABYTE,
    picture_bytes: 0,
  });
  // The course plan is the newer one, and its storage is smaller.
  for (const price of ['price_documents_pro', 'price_courses_essential']) {
    await buyPlan(app, user.token, price, user.email);
    await settle(app);
  }
  for (const name of ['one.txt', 'two.txt']) await upload(user, name);
  await clientOf(user).rpc('use_credits', {
    p_user_id: user.id,
    p_amount: 1,
    p_description: COURSE_CREDIT_DESCRIPTION,
  });
  await app.resources.database.run(
    'insert into northline_app.course_uploads (object_id, user_id, seconds, bytes) values (gen_random_uuid(), $1, 61, 9)',
    [user.id],
  );
  const { allowances, billed } = await shownTo(user);
  const enforced = await app.resources.database.one('select private.storage_limit_bytes($1) as bytes', [
    user.id,
  ]);
  expect(allowances.storage_limit_bytes).toBe(Number(enforced.bytes));
  expect(allowances.storage_limit_bytes).toBe(1000 * MEGABYTE);
  const documents = heldOf(app.resources.site.plans, allowances, 'documents');
  const courses = heldOf(app.resources.site.plans, allowances, 'courses');
  expect(documents).toMatchObject({ price_id: 'price_documents_pro', used: 2 });
  expect(courses).toMatchObject({ price_id: 'price_courses_essential', used: 1, video_minutes_used: 2 });
  expect(billed.map(({ plan, usage }) => [plan.line, usage.used, usage.included, usage.left])).toEqual([
    ['documents', 2, 100, 98],
    ['courses', 1, 1, 0],
  ]);
  // The console shows both plans of the customer.
  const { customer } = await askConsole<CustomerAccount>(`customer?id=${user.id}`, await newOperator(app));
  expect(customer.plans.map(({ price_id, status }) => [price_id, status]).sort()).toEqual([
    ['price_courses_essential', 'active'],
    ['price_documents_pro', 'active'],
  ]);
});

test('the account’s picture uses the storage, and the Files tab and the console say so', async () => {
  const user = await insertUser(app);
  await app.resources.database.run('insert into public.customers (user_id, credits) values ($1, 1)', [
    user.id,
  ]);
  await upload(user, 'one.txt');
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const stored = await clientOf(user)
    .storage.from(AVATARS_BUCKET)
    .upload(avatarPath(user.id), picture, { contentType: 'image/png' });
  expect(stored.error).toBeNull();
  const { used } = await app.resources.database.one(
    'select private.storage_used_bytes($1)::float8 as used /* not null */',
    [user.id],
  );
  expect(used).toBe(picture.length + 12);
  expect((await shownTo(user)).allowances.picture_bytes).toBe(picture.length);
  const { storage } = await askConsole<CustomerRecord>(`customer?id=${user.id}`, await newOperator(app));
  expect(storage).toEqual({ used, limit: 250 * MEGABYTE });
});

test('a document is no course upload, and nobody sees another person’s plan', async () => {
  const user = await insertUser(app);
  const stranger = await insertUser(app);
  await buyPlan(app, user.token, 'price_courses_professional', user.email);
  await settle(app);
  await upload(user, 'lesson.txt');
  expect(await subscriptionOf(user)).toMatchObject({ tier: 'professional', course_uploads_used: 0 });
  expect(await subscriptionOf(stranger)).toBeNull();
  const { data } = await clientOf(stranger).from('subscriptions').select('*');
  expect(data).toEqual([]);
});

test('the public key sees neither subscriptions nor the view, and nobody can write them', async () => {
  const visitor = createClient(app.url, app.anonKey);
  expect((await visitor.from('user_subscription').select('*')).error).not.toBeNull();
  expect((await visitor.from('subscriptions').select('*')).error).not.toBeNull();
  const user = await insertUser(app);
  const row = {
    customer_id: 'cus_x',
    subscription_id: 'sub_x',
    price_id: 'p',
    tier: 'basic',
    status: 'active',
  };
  expect((await clientOf(user).from('subscriptions').insert(row)).error).not.toBeNull();
});
