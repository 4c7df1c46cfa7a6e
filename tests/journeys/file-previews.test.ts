/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { SMALL_PDF } from '../support/customers/uploading-customer.ts';
import { becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** One red dot. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);
const DOCUMENTS = path.join(import.meta.dirname, '..', 'documents');

async function fill({ id, token }: Person): Promise<void> {
  const { app } = journey;
  const client = createClient(app.url, app.anonKey, { accessToken: async () => token });
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 10)
     on conflict (user_id) do update set credits = 10`,
    [id],
  );
  for (const [name, bytes, contentType] of [
    ['Lease.pdf', SMALL_PDF, 'application/pdf'],
    ['Note.txt', Buffer.from(`Grüße aus dem Hafen.\n${'More words. '.repeat(30_000)}`), 'text/plain'],
    ['Receipt.png', PICTURE, 'image/png'],
    ['Letter.docx', readFileSync(path.join(DOCUMENTS, 'supplier-terms.docx')), DOCX],
  ] as const) {
    await client.rpc('use_credits', { p_user_id: id, p_amount: 1, p_description: 'Document Analysis' });
    const file = `${id}/1_${name}`;
    const stored = await client.storage.from('user-uploads').upload(file, new Blob([bytes]), { contentType });
    expect(stored.error, name).toBeNull();
    const row = { user_id: id, file_path: file, file_name: name, file_size: 1, mime_type: contentType };
    expect((await client.from('user_files').insert(row)).error).toBeNull();
  }
}

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe.skipIf(CHROMIUM === undefined)('the list of files', () => {
  test('shows a PDF, a picture and a text over the list, and says when a file cannot be shown', async () => {
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await fill(person);
      await page.goto('/dashboard');
      const dialog = page.getByRole('dialog');
      // A row without a preview has its buttons where the others have theirs.
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        for (const button of ['Download', 'Analyze', 'Delete']) {
          const [lease, letter] = await Promise.all(
            ['Lease.pdf', 'Letter.docx'].map(async (name) => {
              const box = await page.getByRole('button', { name: `${button} ${name}` }).boundingBox();
              return [box?.x, box?.width];
            }),
          );
          expect(letter, `${button} at ${width}`).toEqual(lease);
        }
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.getByRole('button', { name: 'Preview Lease.pdf' }).click();
      await dialog.locator('canvas[data-drawn]').waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Preview Receipt.png' }).click();
      const picture = dialog.getByAltText('Your file Receipt.png');
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Preview Note.txt' }).click();
      await dialog.getByText('Grüße aus dem Hafen.').waitFor();
      await dialog.getByText('Only the first 256 KB are shown. Download the file for the rest.').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      expect(await page.getByRole('button', { name: 'Preview Letter.docx' }).count()).toBe(0);
      await context.route('**/object/sign/**', (route) => route.abort());
      await page.reload();
      await page.getByRole('button', { name: 'Preview Note.txt' }).click();
      await dialog.getByText('This file cannot be shown here. Download it to open it.').waitFor();
    });
  });

  test('tags one file and many, shows the files of a tag, and removes it', async () => {
    await journey.visit(async (page, context) => {
      await fill(await becomeUser(journey.app, context));
      await page.goto('/dashboard');
      const dialog = page.getByRole('dialog');
      const rows = page.locator('.file');
      await page.getByLabel('Choose Lease.pdf').check();
      await page.getByLabel('Choose Note.txt').check();
      await page.getByRole('button', { name: 'Tags', exact: true }).click();
      await dialog.getByLabel('New tag').fill('Harbour house');
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: 'Remove Harbour house' }).waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await expect
        .poll(() => page.getByRole('button', { name: 'Files tagged Harbour house' }).count())
        .toBe(2);
      await page.getByRole('button', { name: 'Files tagged Harbour house' }).first().click();
      await expect.poll(() => rows.count()).toBe(2);
      await expectAccessible(page);
      await page.getByRole('combobox', { name: /^Tag/ }).selectOption('All');
      await expect.poll(() => rows.count()).toBe(4);
      await page.getByLabel('Choose Note.txt').uncheck();
      await page.getByRole('button', { name: 'Tags', exact: true }).click();
      await dialog.getByRole('button', { name: 'Remove Harbour house' }).click();
      await dialog.getByRole('button', { name: 'Remove Harbour house' }).waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: 'Done' }).click();
      await expect
        .poll(() => page.getByRole('button', { name: 'Files tagged Harbour house' }).count())
        .toBe(1);
    });
  });
});
