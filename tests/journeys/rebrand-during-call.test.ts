import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { becomeOperator, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** Begins a call in writing from the home page. */
async function call(page: Page) {
  await page.goto('/#phone');
  await page.getByRole('button', { name: 'Test Now' }).press('Enter');
  await page.getByText('You are talking to a machine.').waitFor();
  const said = page.getByRole('log');
  return {
    said,
    async ask(words: string, answer: RegExp | string): Promise<void> {
      const box = page.getByLabel('Type to the assistant');
      await box.fill(words);
      await box.press('Enter');
      await said.getByText(answer).last().waitFor();
    },
  };
}

/** At the console: another name, and another price of the Pro Plan. */
async function rebrand(page: Page): Promise<void> {
  await page.goto('/operator/site');
  await page.getByLabel('Name', { exact: true }).fill('Kestrel');
  await page.getByRole('button', { name: 'Plans and prices' }).click();
  await page.getByRole('group', { name: 'Document plan: Pro Plan' }).getByLabel('Pounds a month').fill('99');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published: visitors see it from now on.').waitFor();
}

describe.skipIf(CHROMIUM === undefined)(
  'an agency takes another name while a visitor is on the phone',
  () => {
    test('the call ends with the name with which it began and says the new price; mails, pages and the next call have the new name', async () => {
      const { app } = journey;
      await journey.visit(async (page) => {
        const first = await call(page);
        await first.said.getByText('AI assistant of Northline').waitFor();
        await first.ask('How much is the pro plan?', '£49');
        await journey.visit(async (console, context) => {
          await becomeOperator(app, context);
          await rebrand(console);
        });
        await first.ask('Who am I talking to?', 'I am the AI assistant of Northline.');
        // A buyer pays this now.
        await first.ask('How much is the pro plan?', '£99');
        await first.ask('I would like to send an enquiry', /What is it about/);
        await first.ask('We need a new website for our bakery', /your name/);
        await first.ask('Sarah Miller', /e-mail address/);
        await first.ask('sarah@example.com', /May I send it/);
        await first.ask('Yes', /within 24 hours/);
        expect(await first.said.textContent()).not.toContain('Kestrel');
        await page.getByRole('button', { name: 'Hang up' }).press('Enter');
        await page.getByRole('button', { name: 'Delete what was said' }).waitFor();

        const mails = () => app.resources.mailer.kept(20);
        await expect.poll(async () => (await mails()).map(({ to }) => to)).toContain('sarah@example.com');
        const mail = (await mails()).find(({ to }) => to === 'sarah@example.com');
        expect(`${mail?.from} ${mail?.text}`).toContain('Kestrel');
        expect(`${mail?.from} ${mail?.text}`).not.toContain('Northline');

        const next = await call(page);
        await next.said.getByText('AI assistant of Kestrel').waitFor();
        await next.ask('Who am I talking to?', 'I am the AI assistant of Kestrel.');
        expect(await next.said.textContent()).not.toContain('Northline');
      });
    });
  },
);
