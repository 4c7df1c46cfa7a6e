/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { codeIn, readMail } from '../support/auth/mail-read.ts';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { type Journey, signUp, somebody, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined)
    journey = await startJourney({ settings: { FREE_CREDITS: '3', AUTH_AUTOCONFIRM: 'false' } });
});
afterAll(() => journey?.close());

describe.skipIf(CHROMIUM === undefined)('an account that comes with documents', () => {
  test('says so before sign-up and in its empty list, uploads without a plan, and shows where the credits came from', async () => {
    await journey.visit(async (page) => {
      await page.goto('/signup');
      await page.getByText(MESSAGES.signup.free(3)).waitFor();
      await page
        .getByText('Once for each email address, and for at most three new accounts a day from one network.')
        .waitFor();
      await page.setViewportSize({ width: 320, height: 640 });
      await expectAccessible(page);
      await page.setViewportSize({ width: 1280, height: 800 });
      const person = somebody();
      await signUp(page, person);
      await page
        .getByLabel('Code from the mail')
        .fill(codeIn(await readMail(journey.app.url, person.email, /Confirm/)));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(/\/dashboard$/);
      await page.getByText(MESSAGES.signup.free(3)).waitFor();
      const plan = page.getByRole('complementary', { name: 'Storage and plan' });
      await plan.getByText('3 credits').waitFor();
      await expectAccessible(page);
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('A note of mine.') });
      await page.getByRole('button', { name: 'Analyze note.txt' }).waitFor();
      await plan.getByText('2 credits').waitFor();
      expect(await page.getByText(MESSAGES.signup.free(3)).count()).toBe(0);
      await page.goto('/dashboard/billing');
      await page.getByText('Free documents of a new account').waitFor();
    });
  });
});
