/// <reference lib="dom" />

import { readFileSync } from 'node:fs';
import { createClient } from '@supabase/supabase-js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { upload } from '../support/customers/analysis-customer.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeOperator, becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.MESSAGE_PICTURES;

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** Two files of the customer, stored as the Files tab does. */
async function storeFiles({ id, token }: Person): Promise<void> {
  const { app } = journey;
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 2)
     on conflict (user_id) do update set credits = 2`,
    [id],
  );
  const client = createClient(app.url, app.anonKey, { accessToken: async () => token });
  for (const name of ['lease.txt', 'letter.txt'])
    await upload({ id, token, client }, name, Buffer.from('The rent is 900 pounds.'));
}

const entry = (page: Page, words: string) => page.locator('.talk ol > li', { hasText: words });
const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

/**
 * Checks that the page is accessible and fits the window, in each colour scheme and width; stores pictures of
 * each if requested.
 */
async function expectGood(page: Page, name: string): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 320],
    ['light', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    if (PICTURES !== undefined)
      await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    if (width !== 390) await expectAccessible(page);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

describe.skipIf(CHROMIUM === undefined)('messages between a customer and the agency', () => {
  test('a customer writes with a file, the console answers, the count changes, and a file is withdrawn', async () => {
    claims('A first message is written from the customer’s page.');
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await storeFiles(person);
      await page.goto('/dashboard');
      await tab(page, 'Messages').click();
      await page.getByText('Nothing was written yet.').waitFor();

      // Only with the keyboard.
      await page.getByLabel(/^Message to /).focus();
      await page.keyboard.type('Is this lease usual?');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Files to attach' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type('lease');
      await expect.poll(() => page.getByRole('button', { name: 'letter.txt' }).count()).toBe(0);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Do not attach lease.txt' }).waitFor();
      await page.getByRole('button', { name: 'Attach a file' }).press('Enter');
      const send = page.getByRole('button', { name: 'Send message' });
      expect(await send.getAttribute('class')).toContain('signal');
      await send.press('Enter');
      await entry(page, 'Is this lease usual?').getByRole('button', { name: 'Download lease.txt' }).waitFor();
      const written = entry(page, 'Is this lease usual?');
      expect(await written.locator('.talk-day').textContent()).toBe('today');
      expect(await written.locator('.avatar').getAttribute('data-initials')).toBe('PS');
      await expectGood(page, 'customer');
      await tab(page, 'Billing').click();
      await page.getByRole('heading', { name: 'Billing' }).first().waitFor();

      await journey.visit(async (operatorPage, consoleContext) => {
        await becomeOperator(journey.app, consoleContext);
        await operatorPage.goto('/operator/enquiries');
        await tab(operatorPage, 'Messages 1 waiting').click();
        await operatorPage.getByRole('button', { name: /^Priya Shah.*1 unread/ }).click();
        const lease = entry(operatorPage, 'Is this lease usual?').getByRole('button', {
          name: 'Download lease.txt',
        });
        const [download] = await Promise.all([operatorPage.waitForEvent('download'), lease.click()]);
        expect(readFileSync((await download.path()) ?? '', 'utf8')).toBe('The rent is 900 pounds.');
        // The console shows that the message was read on the page.
        await tab(operatorPage, 'Messages').waitFor();
        await operatorPage.getByLabel('Answer', { exact: true }).fill('It is.\nWe would sign it.');
        const answer = operatorPage.getByRole('button', { name: 'Send message' });
        expect(await answer.getAttribute('class')).toContain('signal');
        await answer.click();
        await entry(operatorPage, 'We would sign it.').waitFor();
        await operatorPage.getByRole('button', { name: /^Priya Shah.*Answered/ }).waitFor();
        await expectGood(operatorPage, 'console');

        await tab(operatorPage, 'Accounts').click();
        await operatorPage.getByRole('button', { name: /^Priya Shah/ }).click();
        const account = operatorPage.getByRole('article', { name: 'Customer' });
        await account.getByRole('link', { name: 'Write a message' }).click();
        await operatorPage.getByRole('article', { name: 'Thread' }).getByText('We would sign it.').waitFor();
      });

      // The page was notified without a reload.
      await tab(page, 'Messages 1 unread').click();
      const answered = entry(page, 'We would sign it.');
      expect(await answered.locator('.avatar').getAttribute('data-initials')).toBe('N');
      // The day has its line already.
      expect(await answered.locator('.talk-day').count()).toBe(0);
      await tab(page, 'Messages').waitFor();
      await page.getByRole('button', { name: 'Withdraw lease.txt' }).click();
      await page.getByText('lease.txt, no longer attached').waitFor();
      await page.reload();
      await page.getByText('lease.txt, no longer attached').waitFor();
      expect(await page.getByRole('link', { name: /unread/ }).count()).toBe(0);
    });
  });

  test('the waiting cursor is over a button only while its action is under way', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await page.goto('/dashboard/messages');
      const send = page.getByRole('button', { name: 'Send message' });
      const pointer = () => send.evaluate((button) => getComputedStyle(button).cursor);
      expect([await send.isDisabled(), await pointer()]).toEqual([true, 'not-allowed']);
      const answered = Promise.withResolvers<void>();
      await page.route('**/functions/v1/send-message', async (route) => {
        await answered.promise;
        await route.continue();
      });
      await page.getByLabel(/^Message to /).fill('Is anybody there?');
      await send.click();
      await expect.poll(pointer).toBe('progress');
      answered.resolve();
      await entry(page, 'Is anybody there?').waitFor();
      await expect.poll(pointer).toBe('not-allowed');
    });
  });
});
