/**
 * Documents as customers have them: a scan, a photo of a receipt, an old Word file, a locked PDF, a workbook
 * and an e-invoice, uploaded and read in a browser; then a jump to marked words, a question, exports, a link
 * and a comparison.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDocuments } from '../../packages/document-reader/src/samples/make-documents.fixture.ts';
import {
  asJpeg,
  damage,
  drawPage,
  drawReceipt,
  scansAsPdf,
} from '../../packages/document-reader/src/samples/make-scans.fixture.ts';
import { makeTabledInvoice } from '../../packages/document-reader/src/samples/make-tabled-invoices.fixture.ts';
import { writeWorkbook } from '../../src/business/documents/exports/table-writing.server.ts';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { analysisPath } from '../../src/kernel/contract/routes.ts';
import { CHROMIUM } from '../support/browser.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

/** A real Word 97 file, if the corpus is beside the repository. */
const OLD_WORD = path.join(PROJECT_ROOT, '..', 'shared', 'corpus', 'documents', 'doc__dl_legacy_sample.doc');
const LOCKED = 'tenancy-agreement-locked.pdf';

let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

const eInvoice = (): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><ID>UBL-77</ID>
<IssueDate>2026-05-03</IssueDate><DueDate>2026-06-02</DueDate><InvoiceTypeCode>380</InvoiceTypeCode>
<DocumentCurrencyCode>EUR</DocumentCurrencyCode>
<AccountingSupplierParty><Party><PartyName><Name>Lampen Krug GmbH</Name></PartyName></Party></AccountingSupplierParty>
<AccountingCustomerParty><Party><PartyName><Name>Harbour Ltd</Name></PartyName></Party></AccountingCustomerParty>
<TaxTotal><TaxAmount>22.80</TaxAmount></TaxTotal>
<LegalMonetaryTotal><LineExtensionAmount>120.00</LineExtensionAmount><TaxExclusiveAmount>120.00</TaxExclusiveAmount>
<TaxInclusiveAmount>142.80</TaxInclusiveAmount><PayableAmount>142.80</PayableAmount></LegalMonetaryTotal>
<InvoiceLine><ID>1</ID><InvoicedQuantity>3</InvoicedQuantity><LineExtensionAmount>120.00</LineExtensionAmount>
<Item><Name>Schreibtischlampe</Name></Item><Price><PriceAmount>40.00</PriceAmount></Price></InvoiceLine></Invoice>`);

async function files(): Promise<Record<string, Buffer>> {
  const receipt = drawReceipt([
    ...['HARBOUR STORES LTD', '12 QUAY STREET', 'DATE: 14/05/2026', 'TEA 40 BAGS        3.20'],
    ...[
      'BREAD WHOLEMEAL    2.10',
      'TOTAL              5.30',
      'CASH              10.00',
      'CHANGE             4.70',
    ],
  ]);
  return {
    'scan.pdf': await scansAsPdf([drawPage('en', 'letter', 6)]),
    'receipt.jpg': asJpeg(damage(receipt, 'perspective', 3).canvas),
    [LOCKED]: makeDocuments()[LOCKED] as Buffer,
    'stock.xlsx': writeWorkbook([
      {
        name: 'Stock',
        rows: [
          ['Thing', 'Count'],
          ['Harbour lamps', 12],
        ],
      },
    ]),
    'e-invoice.xml': eInvoice(),
    'first.pdf': makeTabledInvoice(600_000, 'en').pdf,
    'second.pdf': makeTabledInvoice(600_000, 'en', true).pdf,
    ...(existsSync(OLD_WORD) ? { 'old.doc': readFileSync(OLD_WORD) } : {}),
  };
}

describe.skipIf(CHROMIUM === undefined)('documents as customers have them', () => {
  test('are uploaded, read, asked about, exported, shared and compared; at 1440 and 390', async () => {
    await journey.visit(async (page, context) => {
      const { id } = await becomeUser(journey.app, context);
      await journey.app.resources.database.run(
        `insert into public.customers (user_id, credits) values ($1, 20)
         on conflict (user_id) do update set credits = 20`,
        [id],
      );
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto('/dashboard');
      const all = await files();
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(Object.entries(all).map(([name, buffer]) => ({ name, mimeType: '', buffer })));
      const ids = await analysed(page, id, Object.keys(all));

      await reads(page, ids, { 'scan.pdf': 'Read from pictures', 'receipt.jpg': 'Read from pictures' });
      await reads(page, ids, { 'stock.xlsx': 'Harbour lamps', 'e-invoice.xml': 'Schreibtischlampe' });
      await page.getByText('From the e-invoice data inside the file.').waitFor();
      if (ids['old.doc'] !== undefined) await reads(page, ids, { 'old.doc': 'Key phrases' });
      await opensLocked(page, ids[LOCKED] ?? '');
      await usesInvoice(page, ids);
    });
  });
});

/** The ids of the files by name, once each was uploaded and its analysis has ended. */
async function analysed(
  page: Page,
  owner: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const { database } = journey.app.resources;
  const rows = () =>
    database.many(
      'select id, file_name, status from public.user_files where user_id = $1 and deleted_at is null',
      [owner],
    );
  await expect
    .poll(async () => (await rows()).length, { timeout: 120_000 * Number(process.env.TEST_PATIENCE ?? 1) })
    .toBe(names.length);
  await page.goto('/dashboard');
  for (const { id } of await rows()) {
    await page.goto(analysisPath(id));
    await page.getByRole('button', { name: 'Analyze', exact: true }).click();
  }
  await expect
    .poll(
      async () => (await rows()).filter(({ status }) => !['analyzed', 'needs_password'].includes(status)),
      {
        timeout: 240_000 * Number(process.env.TEST_PATIENCE ?? 1),
      },
    )
    .toEqual([]);
  return Object.fromEntries((await rows()).map(({ id, file_name: name }) => [name, id]));
}

async function reads(page: Page, ids: Record<string, string>, said: Record<string, string>): Promise<void> {
  for (const [name, words] of Object.entries(said)) {
    await page.goto(analysisPath(ids[name] ?? ''));
    await page.getByText(words).first().waitFor();
  }
}

/**
 * The password is typed on the page: the reader refuses a wrong one, and the right one opens the document.
 */
async function opensLocked(page: Page, file: string): Promise<void> {
  await page.goto(analysisPath(file));
  await page.getByText('Type the password on the page of its report, or upload a copy without it.').waitFor();
  await page.getByText('It is kept in memory while the document is read, and stored nowhere.').waitFor();
  await page.getByRole('button', { name: 'Open and analyse' }).click();
  await page.getByText('Type the password first.').waitFor();
  const field = page.getByLabel('Password of the document');
  await field.fill('rose');
  await page.getByRole('button', { name: 'Open and analyse' }).click();
  await page.getByText('That password does not open this document. Check it and try again.').waitFor();
  await expectClean(page);
  await field.fill('tulip');
  await page.getByRole('button', { name: 'Open and analyse' }).click();
  await page.getByRole('heading', { name: 'Obligations' }).waitFor();
  await page.getByText('Notice for the end on 31 March 2027 has to be given by 31 January 2027').waitFor();
  await expectClean(page);
}

async function usesInvoice(page: Page, ids: Record<string, string>): Promise<void> {
  await page.goto(analysisPath(ids['second.pdf'] ?? ''));
  await page
    .getByText(/items come to .* an item, a discount or a charge may be missing/)
    .first()
    .waitFor();
  await page.goto(analysisPath(ids['first.pdf'] ?? ''));
  const table = page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'Quantity' }) });
  await table
    .getByRole('button', { name: /in the document/ })
    .first()
    .click();
  await page.locator('mark.quote-box').first().waitFor();
  await page.locator('canvas[data-drawn]').first().waitFor();
  await page.getByLabel('Your question').fill('invoice date');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page
    .locator('.ask')
    .getByRole('button', { name: /in the document/ })
    .first()
    .waitFor();
  for (const name of ['Excel (facts, items, tables and summary)', 'CSV (facts, items and tables)']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ]);
    expect(await download.failure()).toBeNull();
  }
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = await page.getByLabel('The link').inputValue();
  await page.getByLabel('With a document like this one').selectOption({ label: 'second.pdf' });
  await page
    .locator('.compare')
    .getByText(/paragraphs changed/)
    .waitFor();
  await expectClean(page);
  for (const address of [link, analysisPath(ids['first.pdf'] ?? '')]) {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(address);
    await page.getByRole('heading', { name: 'Items' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await expectClean(page);
  }
}

async function expectClean(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target}`)).toEqual([]);
}
