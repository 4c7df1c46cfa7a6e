/// <reference lib="dom" />

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, closeContexts, PAGE_PATIENCE_MS, sharedBrowser } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  if (CHROMIUM !== undefined) app = await startTestApp();
});
afterAll(async () => {
  await closeContexts();
  await app?.close();
});

/** Opens the home page at the phone section, on a machine without a microphone. */
async function visitPhone(visit: (page: Page) => Promise<void>): Promise<void> {
  const context = await (await sharedBrowser()).newContext({ baseURL: app.url, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PAGE_PATIENCE_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto('/#phone');
  await visit(page);
  expect(errors).toEqual([]);
}

const captions = (page: Page) => page.getByRole('log');

describe.skipIf(CHROMIUM === undefined)('Test Now', () => {
  test('without a microphone, by keyboard: typed questions, an enquiry that is stored, hang up, delete', async () => {
    claims(
      'Talk to the assistant on the home page: it is the one that answers our own telephone.',
      'Calls with the assistant on this site: what was said, as text, with time and outcome.',
      'At the end of a call you can delete it.',
      'The call is not recorded; its words are kept until you delete them.',
      'These are the words that were kept; an enquiry or a booking that you confirmed is kept as well.',
      'We keep the words of the call as text, and you can delete them at the end of the call.',
      'It never claims to be a person: it greets as an AI assistant.',
    );
    await visitPhone(async (page) => {
      await page.getByRole('button', { name: 'Test Now' }).press('Enter');
      await page.getByText('Call initiated successfully').waitFor();
      await page.getByText('You are talking to a machine.').waitFor();
      const box = page.getByLabel('Type to the assistant');
      const ask = async (words: string, answer: RegExp | string) => {
        await box.fill(words);
        await box.press('Enter');
        await captions(page).getByText(answer).last().waitFor();
      };
      await ask('How much is the pro plan?', '£49');
      const { violations } = await new AxeBuilder({ page }).include('.call-panel').analyze();
      expect(violations.map(({ id }) => id)).toEqual([]);
      await ask('I would like to send an enquiry', /What is it about/);
      await ask('We need a new website for our bakery', /your name/);
      await ask('Sarah Miller', /e-mail address/);
      await ask('sarah@example.com', /May I send it/);
      await ask('Yes', /within 24 hours/);
      const stored = await app.resources.database.many(
        'select name, email, additional_notes from public.enquiries',
      );
      expect(stored).toEqual([
        {
          name: 'Sarah Miller',
          email: 'sarah@example.com',
          additional_notes: 'We need a new website for our bakery',
        },
      ]);
      await page.getByRole('button', { name: 'Hang up' }).press('Enter');
      await page.getByRole('button', { name: 'Delete what was said' }).press('Enter');
      await page.getByText('The words of this call have been deleted.').waitFor();
      await page.getByRole('button', { name: 'Test Now' }).waitFor();
    });
    const bodies = async () =>
      (await app.resources.database.many(`select body from private.voice_records where kind = 'call'`)).map(
        ({ body }) => body,
      );
    // The page does not wait until the end of the call has been recorded.
    await expect
      .poll(bodies)
      .toMatchObject([{ status: 'ended', endedReason: 'customer-ended-call', erased: true }]);
    expect(JSON.stringify(await bodies())).not.toContain('bakery');
  });
});
