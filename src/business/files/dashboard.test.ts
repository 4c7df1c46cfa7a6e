/// <reference lib="dom" />

import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, closeContexts, sharedBrowser } from '../../../tests/support/browser.ts';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { UPLOADS_BUCKET } from '../../kernel/contract/limits.ts';
import { MESSAGES } from '../../kernel/contract/messages.ts';

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  app = await startTestApp();
  browser = await sharedBrowser();
});

afterAll(async () => {
  await closeContexts();
  await app?.close();
});

const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

/** A signed-up user with credits, on the Files tab in their own browser profile. */
async function openDashboard(
  credits: number,
): Promise<{ context: BrowserContext; page: Page; userId: string }> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${app.url}/signup`);
  await page.getByLabel('Full Name').fill('Priya Shah');
  await page.getByLabel('Email').fill(`priya-${randomUUID()}@customers.example`);
  await page.getByLabel('Password', { exact: true }).fill('harbour lantern 2741');
  await page.getByLabel('Confirm Password').fill('harbour lantern 2741');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await page.waitForURL(/\/dashboard$/);
  const userId = await page.evaluate(
    () =>
      JSON.parse(Object.entries(localStorage).find(([key]) => key.endsWith('-auth-token'))?.[1] ?? '{}').user
        .id,
  );
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, $2)
     on conflict (user_id) do update set credits = excluded.credits`,
    [userId, credits],
  );
  await page.getByText('Live updates').waitFor();
  return { context, page, userId };
}

const choose = (page: Page, name: string): Promise<void> =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/pdf', buffer: PDF });

const creditsOf = async (userId: string): Promise<number> =>
  (await app.resources.database.one('select credits from public.customers where user_id = $1', [userId]))
    .credits;

describe.skipIf(CHROMIUM === undefined)('the Files tab in Chromium', () => {
  test('a visitor is sent to /login, and after signing in to the requested page', async () => {
    claims(
      'Sign in to see your documents and billing, or create an account: it is free.',
      'Sign in to your documents and billing.',
    );
    const { context, page } = await openDashboard(0);
    const email = await page.evaluate(
      () =>
        JSON.parse(Object.entries(localStorage).find(([key]) => key.endsWith('-auth-token'))?.[1] ?? '{}')
          .user.email,
    );
    await page.getByRole('button', { name: 'Sign Out' }).click();
    await page.waitForURL(`${app.url}/`);
    await page.goto(`${app.url}/dashboard/billing`);
    await page.waitForURL(`${app.url}/login`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('harbour lantern 2741');
    await page.getByRole('button', { name: 'Sign In' }).click();
    await page.waitForURL(`${app.url}/dashboard/billing`);
    await context.close();
  });

  test('without script the gate and the login page say what they need', async () => {
    claims(
      'The dashboard needs JavaScript, which is switched off in this browser.',
      'Signing in needs JavaScript, which is switched off in this browser.',
    );
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${app.url}/dashboard`);
    await page.getByRole('heading', { name: 'Secure Access Required' }).waitFor();
    expect(await page.getByRole('link', { name: 'Create Free Account' }).getAttribute('href')).toBe(
      '/signup',
    );
    await page.goto(`${app.url}/login`);
    await page.getByRole('heading', { name: 'Welcome Back!' }).waitFor();
    await page.locator('noscript p').and(page.locator(':visible')).waitFor();
    await context.close();
  });

  test('a file that one tab uploads appears in another by itself', async () => {
    claims('Choose Analyze on a file; its report appears here.', 'The report appears here by itself.');
    const { context, page, userId } = await openDashboard(2);
    const other = await context.newPage();
    await other.goto(`${app.url}/dashboard`);
    await other.getByText('No files uploaded').waitFor();
    await other.getByText('Live updates').waitFor();
    await choose(page, 'lease.pdf');
    await page.getByText(MESSAGES.upload.done).waitFor();
    await other.getByRole('button', { name: 'Analyze lease.pdf' }).waitFor();
    expect(await creditsOf(userId)).toBe(1);
    await context.close();
  });

  test('a list that cannot be loaded is not shown as live', async () => {
    const { context, page } = await openDashboard(0);
    await page.route('**/rest/v1/user_files?*', (route) =>
      route.fulfill({ status: 500, json: { code: 'XX000', message: 'broken', details: null, hint: null } }),
    );
    await page.reload();
    await page.getByText('Failed to load files').first().waitFor();
    await page.getByText('Not up to date').waitFor();
    expect(await page.locator('.live').getAttribute('data-live-state')).toBe('off');
    await page.unroute('**/rest/v1/user_files?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Live updates').waitFor();
    await context.close();
  });

  test('an upload whose connection is lost is retried with the credit that it has', async () => {
    const { context, page, userId } = await openDashboard(1);
    await page.route('**/storage/v1/object/user-uploads/**', (route) => route.abort(), { times: 1 });
    await choose(page, 'lease.pdf');
    await page.getByRole('button', { name: 'Retry lease.pdf' }).click();
    await page.getByRole('button', { name: 'Analyze lease.pdf' }).waitFor();
    expect(await creditsOf(userId)).toBe(0);
    await context.close();
  });

  test('without a connection an upload waits, says so, and goes on by itself', async () => {
    const { context, page, userId } = await openDashboard(1);
    await context.setOffline(true);
    await choose(page, 'lease.pdf');
    await page.getByText(MESSAGES.upload.offline).waitFor();
    expect(await page.getByRole('button', { name: 'Retry lease.pdf' }).count()).toBe(0);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Analyze lease.pdf' }).waitFor();
    expect(await creditsOf(userId)).toBe(0);
    await context.close();
  });

  test('files that fail for the same reason share one message, and a successful batch has one', async () => {
    const { context, page } = await openDashboard(3);
    const named = (name: string, mimeType = 'application/pdf') => ({ name, mimeType, buffer: PDF });
    const input = page.locator('input[type=file]');
    await input.setInputFiles(
      ['a', 'b', 'c'].map((name) => named(`${name}.exe`, 'application/x-msdownload')),
    );
    await page.getByRole('button', { name: 'Dismiss c.exe' }).waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    for (const name of ['a', 'b', 'c'])
      await page.getByRole('button', { name: `Dismiss ${name}.exe` }).click();
    await input.setInputFiles(['a.pdf', 'b.pdf', 'c.pdf'].map((name) => named(name)));
    await page.getByText(MESSAGES.upload.doneMany(3)).waitFor();
    expect(await page.locator('.toast[data-kind=success]').count()).toBe(1);
    await context.close();
  });

  test('a refused upload says why in the row and costs nothing', async () => {
    const { context, page, userId } = await openDashboard(1);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'fake.pdf', mimeType: 'application/pdf', buffer: Buffer.from('MZ not a PDF') });
    await page.getByRole('alert').getByText(MESSAGES.upload.typeNotSupported).waitFor();
    expect(await creditsOf(userId)).toBe(1);
    await context.close();
  });

  test('failures without a specified sentence are shown in their own words, and cost nothing', async () => {
    const { context, page, userId } = await openDashboard(2);
    const fail = async (address: string, words: string, name: string): Promise<void> => {
      await page.route(address, (route) => route.fulfill({ status: 500, json: { message: 'broken' } }));
      await choose(page, name);
      await page.getByRole('alert').getByText(words).waitFor();
      await page.unroute(address);
      await page.getByRole('button', { name: `Dismiss ${name}` }).click();
    };
    await fail('**/rest/v1/rpc/account_allowances*', MESSAGES.upload.accountStatus, 'a.pdf');
    await fail('**/rest/v1/rpc/use_credits*', MESSAGES.upload.creditsFailed, 'b.pdf');
    expect(await creditsOf(userId)).toBe(2);
    // The plan of this user waits for a payment, and they have no credits of their own.
    await app.resources.database.run(
      `with customer as (
         update public.customers set credits = 0, customer_id = 'cus_' || user_id::text where user_id = $1
         returning customer_id)
       insert into public.subscriptions
         (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)
       select customer_id, 'sub_' || customer_id, 'price_documents_pro', 'pro', 'past_due', now(), now() + interval '1 month'
       from customer`,
      [userId],
    );
    await choose(page, 'c.pdf');
    await page.getByRole('alert').getByText(MESSAGES.upload.badStatus('past_due')).waitFor();
    await context.close();
  });

  test('several documents are analysed together, and one sentence says so', async () => {
    const { context, page } = await openDashboard(2);
    for (const name of ['one.pdf', 'two.pdf']) {
      await choose(page, name);
      await page.getByLabel(`Choose ${name}`).check();
    }
    await page.getByRole('button', { name: 'Analyze 2' }).click();
    await page.getByText(MESSAGES.analysis.startedMany(2)).waitFor();
    await context.close();
  });

  test('without credits the reason is shown before anything is sent', async () => {
    const { context, page } = await openDashboard(0);
    let sent = false;
    page.on('request', (request) => {
      sent ||= request.url().includes(`/storage/v1/object/${UPLOADS_BUCKET}/`);
    });
    await choose(page, 'lease.pdf');
    await page.getByRole('alert').getByText(MESSAGES.upload.noPlan).waitFor();
    expect(sent).toBe(false);
    // Another attempt cannot succeed, but a plan can help.
    expect(await page.getByRole('button', { name: 'Retry lease.pdf' }).count()).toBe(0);
    const plans = page.getByRole('region', { name: 'Uploads' }).getByRole('link', { name: 'See the plans' });
    expect(await plans.getAttribute('href')).toBe('/dashboard/billing');
    // So the plans are the page's next step, and not an upload that would be refused.
    const next = page.getByRole('complementary').getByRole('link', { name: 'See the plans' });
    await expect.poll(() => next.getAttribute('class')).toContain('signal');
    expect(await page.getByRole('button', { name: 'Upload Files' }).getAttribute('class')).toContain('quiet');
    await context.close();
  });

  test('a deletion that fails leaves the row and says so; Cancel has the focus first', async () => {
    const { context, page } = await openDashboard(1);
    await choose(page, 'lease.pdf');
    await page.getByRole('button', { name: 'Delete lease.pdf' }).click();
    await page.getByRole('alertdialog', { name: 'Delete File' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await page.route('**/rest/v1/user_files?*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({
            status: 500,
            json: { code: 'XX000', message: 'disk full', details: null, hint: null },
          })
        : route.continue(),
    );
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(MESSAGES.delete.database('disk full')).waitFor();
    await page.getByRole('button', { name: 'Delete lease.pdf' }).and(page.locator(':enabled')).waitFor();
    await context.close();
  });

  test('a lost connection is shown with the time of the last check', async () => {
    const { context, page } = await openDashboard(0);
    await page.getByText('Live updates').waitFor();
    await context.setOffline(true);
    await page.getByText(/Offline, last checked\s+\d\d:\d\d$/).waitFor();
    await context.setOffline(false);
    await page.getByText('Live updates').waitFor();
    await context.close();
  });
});
