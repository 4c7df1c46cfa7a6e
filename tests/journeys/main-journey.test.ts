/// <reference lib="dom" />

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { CARDS } from '../support/customers/plan-purchase.ts';
import { type Journey, payByCard, signUp, somebody, startJourney } from '../support/journey.ts';

const DOCUMENTS = path.join(import.meta.dirname, '..', 'documents');
let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

describe.skipIf(CHROMIUM === undefined)('the main job, end to end, in Chromium', () => {
  test('a visitor buys before signing up, has documents read, downloads, deletes and leaves', async () => {
    claims(
      'Press Upload Files on the Files tab, or drop files anywhere on that page.',
      'Then press Analyze beside a file.',
      'With a plan in it you upload documents and see what we find in them.',
      'Upload a PDF or Word document and it appears here, ready to analyse.',
      'This account will hold what you bought.',
      'Your dashboard opens in … seconds.',
      'Your plan waits for the account that it belongs to.',
      'It takes a minute, and what you paid for is in it at once.',
      'Your plan and your invoices are on the Billing tab.',
      'Upload, press Analyze, and read the answer instead of the file.',
    );
    await journey.visit(async (page) => {
      const { email, password } = somebody();
      await page.goto('/');
      await expect
        .poll(() => page.getByRole('heading', { level: 1 }).textContent())
        .toContain('Welcome to Northline');
      await page.getByRole('button', { name: /Choose Basic/ }).click();
      await page.waitForURL(/test-provider/);
      await payByCard(page, CARDS.declined, email);
      await page
        .getByText(/declined/i)
        .first()
        .waitFor();
      await payByCard(page, CARDS.authentication, email);
      await page.getByRole('button', { name: /complete|authorise/i }).click();
      await page.waitForURL(/\/success/);
      await page
        .getByRole('link', { name: /create.*account/i })
        .first()
        .click();
      await page.waitForURL(/\/signup\?.*session_id=/);
      await page.getByLabel('Full Name').fill('Priya Shah');
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByLabel('Confirm Password').fill(`${password}!`);
      await page.getByRole('button', { name: /Create( Free)? Account|Sign Up/ }).click();
      await page.getByText(MESSAGES.signup.mismatch).first().waitFor();
      await page.getByLabel('Confirm Password').fill(password);
      await page.getByRole('button', { name: /Create( Free)? Account|Sign Up/ }).click();
      await page.waitForURL(/\/dashboard$/);
      await page.getByText('No files uploaded').waitFor();

      for (const name of ['tenancy-agreement.pdf', 'supplier-terms.docx', 'letter-rent-review.txt']) {
        await readDocument(page, name);
      }

      await page.getByRole('link', { name: 'Billing' }).click();
      await page.getByText('Visa').first().waitFor();
      await page.getByText('3155').first().waitFor();
      await page.getByRole('button', { name: 'Sign Out' }).first().click();
      await page.waitForURL((url) => url.pathname === '/');
    });
  });

  test('wrong input gets the specified messages', async () => {
    await journey.visit(async (page) => {
      const person = somebody();
      await page.goto('/signup');
      await signUp(page, person);
      await page.waitForURL(/\/dashboard$/);

      // Without credits.
      await chooseFile(page, 'tenancy-agreement.pdf');
      await page.getByText(MESSAGES.upload.noPlan).first().waitFor();

      // An unsupported type, and a file over the limit, both dropped on the page.
      await drop(page, 'song.mp3', 'audio/mpeg', 10);
      await page.getByText('Unsupported file type. Please upload one of the following:').first().waitFor();
      await drop(page, 'large.pdf', 'application/pdf', 100 * 1024 * 1024 + 1);
      await page.getByText(MESSAGES.upload.tooLarge).first().waitFor();

      await page.getByRole('button', { name: 'Sign Out' }).first().click();
      await page.waitForURL((url) => url.pathname === '/');

      await page.goto('/login');
      await page.getByLabel('Email').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill('not the password');
      await page.getByRole('button', { name: /^(Sign In|Log ?in)$/i }).click();
      await page.getByText(MESSAGES.login.invalid).first().waitFor();
      await page.goto('/signup');
      await signUp(page, person);
      await page.getByText(MESSAGES.signup.exists).first().waitFor();
    });
  });

  test('a missing object is reported and its record deleted; sign-out in one tab is noticed in another', async () => {
    await journey.visit(async (page, context) => {
      await page.goto('/signup');
      await signUp(page, somebody());
      await page.waitForURL(/\/dashboard$/);
      await page.getByRole('link', { name: 'Billing' }).click();
      await page.getByRole('button', { name: /Choose Basic/ }).click();
      await page.waitForURL(/test-provider/);
      await payByCard(page, CARDS.succeeds);
      await page.waitForURL(/\/success/);
      await page.getByText('Payment Successful!').waitFor();
      await page.waitForURL(/\/dashboard$/);
      await chooseFile(page, 'supplier-terms.docx');
      await page.getByText(MESSAGES.upload.done).first().waitFor();
      await journey.app.resources.database.run(
        "delete from storage.objects where name like '%supplier-terms.docx'",
      );
      await page.getByRole('button', { name: 'Analyze' }).first().click();
      await page.getByText(MESSAGES.analysis.missing).first().waitFor();
      await page.getByText('No files uploaded').waitFor();

      const other = await context.newPage();
      await other.goto('/dashboard');
      await other.getByText('Your Files').first().waitFor();
      await page.getByRole('button', { name: 'Sign Out' }).first().click();
      await page.waitForURL((url) => url.pathname === '/');
      await other.waitForURL((url) => url.pathname !== '/dashboard');
    });
  });
});

/** Uploads, analyses, reads, downloads byte for byte, and deletes one document. */
async function readDocument(page: Page, name: string): Promise<void> {
  await chooseFile(page, name);
  await page.getByText(MESSAGES.upload.done).first().waitFor();
  const row = page.getByRole('listitem').filter({ hasText: name });
  await row.getByRole('button', { name: 'Download' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: 'Download' }).click(),
  ]);
  const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  expect(sha(readFileSync(await download.path()))).toBe(sha(readFileSync(path.join(DOCUMENTS, name))));

  await row.getByRole('button', { name: 'Analyze' }).click();
  await page.getByText(MESSAGES.analysis.started).first().waitFor();
  await row.getByText('Analyzed', { exact: true }).waitFor();
  await row.getByRole('link', { name: 'View Analysis' }).click();
  await page.waitForURL(/\/dashboard\/files\/.+\/analysis$/);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Key facts').first().waitFor();
  await page.goto('/dashboard');
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText(MESSAGES.delete.done).first().waitFor();
  await row.waitFor({ state: 'detached' });
}

async function chooseFile(page: Page, name: string, as = name): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: as,
      mimeType: '',
      buffer: readFileSync(path.join(DOCUMENTS, name)),
    });
}

/** Drops an invented file of `size` bytes on the page, as with the mouse. */
async function drop(page: Page, name: string, type: string, size: number): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, fileType, fileSize]) => {
      const data = new DataTransfer();
      data.items.add(
        new File([new Uint8Array(fileSize as number)], fileName as string, { type: fileType as string }),
      );
      return data;
    },
    [name, type, size] as const,
  );
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: transfer });
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}
