import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDocuments } from '../../../../packages/document-reader/src/samples/make-documents.fixture.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { upload } from '../../../../tests/support/customers/analysis-customer.ts';
import { insertUser, type TestUser } from '../../../../tests/support/customers/plan-purchase.ts';
import { openPushBrowser } from '../../../../tests/support/customers/push-browser.ts';
import { type PushService, startPushService } from '../../../../tests/support/servers/push-service.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { tellFinishedAnalyses } from './finished-notice.server.ts';

let app: TestApp;
let service: PushService;
beforeAll(async () => {
  service = await startPushService();
  app = await startTestApp({ settings: { PUSH_ALLOW_HOSTS: service.host } });
});
afterAll(async () => {
  await app.close();
  await service.close();
});

const SINCE = new Date(Date.now() - 60_000).toISOString();

async function addAnalysis(user: TestUser, name: string, state: 'queued' | 'completed' | 'failed') {
  const { database } = app.resources;
  const client = createClient(app.url, app.anonKey, { accessToken: async () => user.token });
  const lease = makeDocuments()['tenancy-agreement.pdf'];
  const id = await upload({ id: user.id, token: user.token, client }, name, lease);
  await database.run(
    `insert into private.analyses (file_id, user_id, target, state, deadline_at, finished_at, context)
     values ($1, $2, 'embedded', $3, now() + interval '1 hour', case when $3 = 'queued' then null else now() end, '{}')`,
    [id, user.id, state],
  );
}

async function newCustomer(): Promise<TestUser> {
  const user = await insertUser(app);
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 9)
     on conflict (user_id) do update set credits = 9`,
    [user.id],
  );
  return user;
}

const mailsTo = async (address: string) =>
  (await app.resources.mailer.kept(100)).filter(({ to }) => to === address);

test('one mail reports a batch, once all its analyses have ended', async () => {
  claims('You may close the page: the work goes on, and you are told by mail when the report is ready.');
  const user = await newCustomer();
  await addAnalysis(user, 'lease.pdf', 'completed');
  await addAnalysis(user, 'scan.pdf', 'failed');
  await addAnalysis(user, 'long.pdf', 'queued');
  expect(await tellFinishedAnalyses(app.resources, { userId: user.id, since: SINCE })).toBe(false);
  expect(await mailsTo(user.email)).toEqual([]);

  await app.resources.database.run(
    "update private.analyses set state = 'completed', finished_at = now() where user_id = $1 and state = 'queued'",
    [user.id],
  );
  expect(await tellFinishedAnalyses(app.resources, { userId: user.id, since: SINCE })).toBe(true);
  const mails = await mailsTo(user.email);
  expect(mails.map(({ subject }) => subject)).toEqual(['2 documents are ready']);
  expect(mails[0]?.text).toContain('Ready to read: lease.pdf, long.pdf.');
  expect(mails[0]?.text).toContain('Could not be read; your files say why: scan.pdf.');
  expect(mails[0]?.text).toContain(`Open your files: ${app.resources.siteUrl}/dashboard`);
});

test('people who switched these mails off get none, but their browsers still show the notice', async () => {
  const user = await newCustomer();
  const browser = await openPushBrowser(app, service, user.id);
  await app.resources.database.run(
    `update auth.users set raw_user_meta_data = '{"notices": {"analysis": false}}' where id = $1`,
    [user.id],
  );
  await addAnalysis(user, 'lease.pdf', 'completed');
  expect(await tellFinishedAnalyses(app.resources, { userId: user.id, since: SINCE })).toBe(true);
  expect(await mailsTo(user.email)).toEqual([]);
  await expect.poll(() => browser.received.length).toBe(1);
  expect(browser.received[0]).toMatchObject({
    title: 'Your document is ready',
    body: 'Ready to read: lease.pdf.',
    path: '/dashboard',
  });
});

test('analyses that ended before the batch are not in its mail', async () => {
  const user = await newCustomer();
  await addAnalysis(user, 'old.pdf', 'completed');
  const later = new Date(Date.now() + 60_000).toISOString();
  expect(await tellFinishedAnalyses(app.resources, { userId: user.id, since: later })).toBe(true);
  expect(await mailsTo(user.email)).toEqual([]);
});
