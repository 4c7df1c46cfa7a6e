import { expect, onTestFinished, test } from 'vitest';
import {
  analyze,
  newCustomer,
  settled,
  upload,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { startTestApp } from '../../../../tests/support/test-app.ts';

test("attack 36: an owner sees the specified sentence, and nothing of the operator's network", async () => {
  const app = await startTestApp({ settings: { ANALYSIS_WEBHOOK_URL: 'https://10.1.2.3/hook' } });
  onTestFinished(() => app.close());
  const owner = await newCustomer(app, 'owner');
  const fileId = await upload(owner, 'letter-rent-review.txt');
  await analyze(app, owner.token, fileId);
  const { status, status_reason: reason } = await settled(app, fileId);
  expect(status).toBe('failed');
  expect(reason).toBe('Analysis request failed: 0 - The automation could not be reached.');
});
