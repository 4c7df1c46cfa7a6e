import { expect, onTestFinished, test } from 'vitest';
import {
  analyze,
  type Customer,
  newCustomer,
  settled,
  upload,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { startAutomation } from '../../../../tests/support/servers/automation-server.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { endLateAnalyses } from './analysis-watch.server.ts';

const LETTER = 'letter-rent-review.txt';

/** An installation whose automation accepts every document and never answers. */
async function silentAutomation(): Promise<{ app: TestApp; owner: Customer }> {
  const automation = await startAutomation();
  onTestFinished(() => automation.close());
  automation.answer = () => ({ status: 202, body: '' });
  const app = await startTestApp({
    settings: {
      ANALYSIS_WEBHOOK_URL: `${automation.url}/webhook/analyse`,
      OUTBOUND_ALLOW_HOSTS: automation.host,
    },
  });
  onTestFinished(() => app.close());
  return { app, owner: await newCustomer(app, 'owner') };
}

/** Lets the built-in analyser take the automation's place. */
async function fallBack(app: TestApp): Promise<void> {
  await app.resources.database.run(
    "update private.analyses set deadline_at = now() - interval '1 second' where state in ('queued', 'sent')",
  );
  await endLateAnalyses(app);
}

test('a crash of the reader in the automation’s place does not mark the file', async () => {
  const { app, owner } = await silentAutomation();
  const fileId = await upload(owner, LETTER);
  await analyze(app, owner.token, fileId);
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  // Every reader process ends before it reads anything.
  process.execPath = '/bin/false';
  await fallBack(app);
  expect((await settled(app, fileId)).status).toBe('failed');
  const { unreadable, error_code: code } = await app.resources.database.one(
    `select f.unreadable, a.error_code from public.user_files f join private.analyses a on a.file_id = f.id
      where f.id = $1`,
    [fileId],
  );
  expect([unreadable, code]).toEqual([false, 'reader_crashed']);
});

test('a document that is analysed again is no longer marked, neither while it waits nor when it has been read', async () => {
  const { app, owner } = await silentAutomation();
  const fileId = await upload(owner, LETTER);
  const mark = () =>
    app.resources.database.run('update public.user_files set unreadable = true where id = $1', [fileId]);
  const marked = async () =>
    (await app.resources.database.one('select unreadable from public.user_files where id = $1', [fileId]))
      .unreadable;
  await mark();
  await analyze(app, owner.token, fileId);
  expect(await marked()).toBe(false);
  // An older version of the product left this mark.
  await mark();
  await fallBack(app);
  expect((await settled(app, fileId)).status).toBe('analyzed');
  expect(await marked()).toBe(false);
});
