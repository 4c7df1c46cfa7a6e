import { AxeBuilder } from '@axe-core/playwright';
import { createClient } from '@supabase/supabase-js';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analysisPath, PAGES } from '../../src/kernel/contract/routes.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { analyze, type Customer, settled, upload } from '../support/customers/analysis-customer.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

describe.skipIf(CHROMIUM === undefined)('the page of a report', () => {
  test('a chip marks its words on the drawn page, words are found, a fact is corrected; on a phone it is a sheet', async () => {
    claims('Find searches in the document; Ask answers a question with passages from it.');
    await journey.visit(async (page, context) => {
      const customer = await newOwner(context);
      const file = await upload(customer, 'invoice-HF-2041.pdf');
      await analyze(journey.app, customer.token, file);
      await settled(journey.app, file);

      await page.goto(analysisPath(file));
      await expectBoxedWords(page);
      await page.getByRole('button', { name: 'Back to the report' }).click();
      expect(await page.title()).toBe('invoice-HF-2041.pdf · Northline');
      const bar = page.getByRole('navigation', { name: 'Dashboard' });
      expect(await bar.getByRole('link', { name: 'Files' }).getAttribute('aria-current')).toBe('true');

      const find = page.getByLabel('Find in this document', { exact: true });
      await find.fill('smoked TROUT');
      await page.getByText('1 found').waitFor();
      await find.press('Enter');
      await page.getByRole('search').getByText('1 of 1').waitFor();
      await page.locator('mark.quote-box', { hasText: 'Smoked trout' }).waitFor();
      await page.getByRole('radio', { name: 'Text' }).check();
      await page.locator('.block mark', { hasText: 'Smoked trout' }).waitFor();

      await page.getByRole('button', { name: 'Correct Total' }).click();
      await page.getByLabel('Total', { exact: true }).fill('£1,300.00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('read as “£1,238.40”').waitFor();
      await expectClean(page);
      await page.emulateMedia({ media: 'print' });
      await page.getByText('The document itself is not printed with its report.').waitFor();
      expect(await page.locator('.doc').first().isVisible()).toBe(false);
      await page.emulateMedia({ media: 'screen' });
      await expectSharedReport(page);

      await page.setViewportSize({ width: 390, height: 844 });
      await page.reload();
      await expectBoxedWords(page);
      await expectClean(page);
      await page.getByRole('button', { name: 'Back to the report' }).click();
      await page.getByRole('button', { name: 'Open the document' }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(8000);
    });
  });

  test('a document behind a pause says why it waits, on its page and in the list, wide and narrow', async () => {
    await journey.visit(async (page, context) => {
      const customer = await newOwner(context);
      const file = await upload(customer, 'letter-rent-review.txt');
      await journey.app.resources.database.run(
        "update public.user_files set status = 'queued', progress = 0, waits_until = now() + interval '10 minutes' where id = $1",
        [file],
      );
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        for (const path of [analysisPath(file), PAGES.dashboard.path]) {
          await page.goto(path);
          await page.getByText('Your last documents stopped the reader').waitFor();
          expect(await page.getByText('Analyzing').count()).toBe(0);
          await expectClean(page);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        }
      }
    });
  });
});

/** A customer with credits, signed in in their own browser profile. */
async function newOwner(context: BrowserContext): Promise<Customer> {
  const { id, token } = await becomeUser(journey.app, context);
  await journey.app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 5)
         on conflict (user_id) do update set credits = 5`,
    [id],
  );
  const client = createClient(journey.app.url, journey.app.anonKey, { accessToken: async () => token });
  return { id, token, client };
}

/** The chip of the due date leads to a box around its words on the page's picture. */
async function expectBoxedWords(page: Page): Promise<void> {
  await page
    .getByRole('row', { name: /^Due date/ })
    .getByRole('button', { name: /in the document/ })
    .first()
    .click();
  const box = page.locator('mark.quote-box').first();
  await box.waitFor();
  await page.locator('canvas[data-drawn]').first().waitFor();
  expect(await box.textContent()).toBe('2 April 2026');
  const [words, paper] = [await box.boundingBox(), await page.locator('.pdf-page').first().boundingBox()];
  // The due date is printed in the right half of the upper third.
  expect((words?.x ?? 0) - (paper?.x ?? 0)).toBeGreaterThan((paper?.width ?? 0) / 2);
  expect((words?.y ?? 0) - (paper?.y ?? 0)).toBeLessThan((paper?.height ?? 0) / 3);
  expect(words?.width).toBeLessThan((paper?.width ?? 0) / 4);
}

/** A link shows the corrected report on its own page to somebody who only has the link. */
async function expectSharedReport(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = await page.getByLabel('The link').inputValue();
  const other = await page.context().browser()?.newContext();
  const shared = await other?.newPage();
  await shared?.goto(link);
  await shared?.getByRole('row', { name: /^Total £1,300.00/ }).waitFor();
  expect(await shared?.getByRole('button', { name: /^Correct / }).count()).toBe(0);
  await other?.close();
}

async function expectClean(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target}`)).toEqual([]);
}
