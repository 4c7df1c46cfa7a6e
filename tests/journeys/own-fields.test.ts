import { AxeBuilder } from '@axe-core/playwright';
import { createClient } from '@supabase/supabase-js';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSenderPaper } from '../../packages/document-reader/src/own-fields/make-sender-papers.fixture.ts';
import { analysisPath, PAGES } from '../../src/kernel/contract/routes.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { analyze, type Customer, reportOf, settled, upload } from '../support/customers/analysis-customer.ts';
import { storeReport } from '../support/customers/stored-report.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

describe.skipIf(CHROMIUM === undefined)('fields and rules of a customer’s own', () => {
  test('a field is drawn once and typed twice on three papers, and stands in the table for six', async () => {
    await journey.visit(async (page, context) => {
      const customer = await newOwner(context);
      await page.goto(PAGES.fields.path);
      await page.getByText('Analyse a document, then name a field on its report.').waitFor();
      const papers = seedsWith('order', 6).map((seed) => makeSenderPaper(1, seed));
      const files: string[] = [];
      for (const { name, pdf } of papers) {
        const file = await upload(customer, name, pdf);
        await analyze(journey.app, customer.token, file);
        files.push(file);
      }
      for (const file of files) await settled(journey.app, file);
      const { kind } = (await reportOf(journey.app, files[0] ?? '')).report.document;

      await page.reload();
      await page.getByText('Open a report of this kind and name a field under “Your fields”.').waitFor();
      await page.goto(analysisPath(files[0] ?? ''));
      await page.getByLabel('New field').fill(' ');
      await page.getByRole('button', { name: 'Add it' }).click();
      await page.getByText('Give the field a name.').waitFor();
      await page.getByLabel('New field').fill('Cost centre');
      await page.getByRole('button', { name: 'Add it' }).click();
      await page.getByRole('button', { name: 'Show Cost centre' }).click();
      await page.getByRole('button', { name: 'Draw a box' }).click();
      await drawInMargin(page);
      await page.getByText('There are no words in this box. Draw it around the value.').waitFor();
      await page.getByRole('button', { name: 'Draw a box' }).click();
      await drawAround(page, papers[0]?.truth.order ?? '');
      const row = page.getByRole('row', { name: /^Cost centre/ });
      await row.getByText('as you showed').waitFor();
      await row.getByText(papers[0]?.truth.order ?? '', { exact: true }).waitFor();
      await expectClean(page);
      await expectFits(page);
      for (const at of [1, 2]) {
        await page.goto(analysisPath(files[at] ?? ''));
        await page.getByRole('button', { name: 'Show Cost centre' }).click();
        await page.getByLabel('Cost centre', { exact: true }).fill(papers[at]?.truth.order ?? '');
        await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
        await row.getByText('as you showed').waitFor();
      }

      await page.goto(`${PAGES.fields.path}?kind=${kind}`);
      await expect
        .poll(async () => {
          await page.reload();
          await page.getByRole('columnheader', { name: /^Cost centre/ }).waitFor();
          return (await page.locator('.field-table td').allTextContents()).sort();
        })
        .toEqual(papers.map(({ truth }) => truth.order ?? '').sort());
      await page.getByRole('button', { name: 'Cost centre', exact: true }).click();
      expect(await page.locator('.field-table td').allTextContents()).toEqual(
        papers
          .map(({ truth }) => truth.order ?? '')
          .sort((a, b) => a.localeCompare(b, 'en-GB', { numeric: true })),
      );
      await page.getByLabel('Search in the fields').fill(papers[4]?.truth.order ?? '');
      await expect.poll(() => page.locator('.field-table tbody tr').count()).toBe(1);
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV' }).click();
      expect((await saved).suggestedFilename()).toMatch(/fields\.csv$/);
      await expectClean(page);
      await expectFits(page);

      // The same field as a column of Files: shown in its row, sorted by, searched, and taken out again.
      await page.goto(PAGES.dashboard.path);
      await page.getByText('Columns', { exact: true }).click();
      await page.getByRole('checkbox', { name: 'Cost centre' }).click();
      await page.getByText('Columns', { exact: true }).click();
      const values = page.locator('.file-columns dd');
      await expect.poll(() => values.count()).toBe(papers.length);
      await page.getByLabel('Sort by').selectOption('Cost centre');
      const sortedValues = papers
        .map(({ truth }) => truth.order ?? '')
        .sort((a, b) => a.localeCompare(b, 'en-GB', { numeric: true }));
      await expect.poll(() => values.allTextContents()).toEqual(sortedValues);
      await expectClean(page);
      await expectFits(page);
      await page.getByLabel('Filter by name or field').fill(sortedValues[2] ?? '');
      await expect.poll(() => values.allTextContents()).toEqual([sortedValues[2]]);
      await page.getByText('Columns', { exact: true }).click();
      await page.getByRole('checkbox', { name: 'Cost centre' }).click();
      await expect.poll(() => values.count()).toBe(0);
      await page.getByLabel('Filter by name').waitFor();
    });
  });

  test('a rule is tried on the latest documents, saved with the keyboard alone, and acts on the next one', async () => {
    claims('Acted on … documents.');
    await journey.visit(async (page, context) => {
      const customer = await newOwner(context);
      const bill = (name: string) =>
        storeReport(journey.app, customer, {
          name,
          texts: ['A bill'],
          fields: [
            {
              key: 'supplier',
              label: 'Supplier',
              value: 'Harlow Ltd',
              type: 'party',
              confidence: 0.9,
              source: 'text',
              cites: [],
            },
          ],
        });
      await bill('before.txt');
      await page.goto(PAGES.rules.path);
      await page.getByText('Make one, and try it on your latest documents before you save it.').waitFor();
      await page.getByRole('button', { name: 'New rule' }).press('Enter');
      const tryIt = () => page.getByRole('button', { name: /^Try it on your last/ }).press('Enter');
      await tryIt();
      await page.getByText('Say which documents: a kind, a sender, an amount or a field.').waitFor();
      await page.getByLabel('from a sender whose name has').fill('nobody');
      await tryIt();
      await page.getByText('Say what is done with them.').waitFor();
      await page.getByLabel('Give it the tag').fill('Fish');
      await tryIt();
      await page.getByText('None of your last 1 documents meets this rule.').waitFor();
      await page.getByRole('button', { name: 'Save the rule' }).press('Enter');
      await page.getByText('Give the rule a name.').waitFor();
      await page.getByLabel('Name of the rule').fill('Harlow');
      await page.getByLabel('from a sender whose name has').fill('harlow');
      await page.getByLabel('Name it', { exact: true }).fill('{sender} bill');
      await tryIt();
      await page
        .getByText('1 of your last 1 documents would have met this rule. Nothing was changed.')
        .waitFor();
      await page.getByText('tag “Fish”, name it “Harlow Ltd bill.txt”').waitFor();
      await expectClean(page);
      await expectFits(page);
      await page.getByRole('button', { name: 'Save the rule' }).press('Enter');
      await page.getByText('Acted on 0 documents.').waitFor();
      await bill('after.txt');
      await expect
        .poll(async () => {
          await page.goto(PAGES.dashboard.path);
          await page.getByText('before.txt').first().waitFor();
          return page.getByText('Harlow Ltd bill.txt').count();
        })
        .toBeGreaterThan(0);
      await page.goto(PAGES.rules.path);
      await page.getByText('Acted on 1 document.').waitFor();
      await expectClean(page);
      await expectFits(page);
    });
  });
});

/** Seeds of papers that have a field. */
function seedsWith(key: string, count: number): number[] {
  return Array.from({ length: 100 }, (_, seed) => seed)
    .filter((seed) => makeSenderPaper(1, seed).truth[key] !== undefined)
    .slice(0, count);
}

/** Draws a box around a text on the page's picture. */
async function drawAround(page: Page, text: string): Promise<void> {
  const words = page.locator('.text-layer').getByText(text, { exact: true }).first();
  await words.scrollIntoViewIfNeeded();
  const box = await words.boundingBox();
  if (box === null) throw new Error(`${text} is not on the page`);
  await page.mouse.move(box.x - 3, box.y - 3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width + 3, box.y + box.height + 3);
  await page.mouse.up();
}

/** Draws a box where the page has no words: in its lower left corner. */
async function drawInMargin(page: Page): Promise<void> {
  const box = await page.locator('.text-layer').first().boundingBox();
  if (box === null) throw new Error('There is no page.');
  await page.mouse.move(box.x + 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 8, box.y + 46);
  await page.mouse.move(box.x + 12, box.y + 50);
  await page.mouse.up();
}

/** A customer with credits, signed in in their own browser profile. */
async function newOwner(context: BrowserContext): Promise<Customer> {
  const { id, token } = await becomeUser(journey.app, context);
  await journey.app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 20)
         on conflict (user_id) do update set credits = 20`,
    [id],
  );
  const client = createClient(journey.app.url, journey.app.anonKey, { accessToken: async () => token });
  return { id, token, client };
}

async function expectClean(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target}`)).toEqual([]);
}

/** Nothing is wider than the window, on a large screen and on a phone. */
async function expectFits(page: Page): Promise<void> {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
}
