/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createClient } from '@supabase/supabase-js';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

/** More than the data service returns at once. */
const MANY = 1203;

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** Two real files, and rows for many others without bytes. */
async function fill({ id, token }: Person): Promise<void> {
  const { app } = journey;
  const client = createClient(app.url, app.anonKey, { accessToken: async () => token });
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 10)
     on conflict (user_id) do update set credits = 10`,
    [id],
  );
  for (const name of ['Alpha 2.txt', 'Alpha 10.txt']) {
    await client.rpc('use_credits', { p_user_id: id, p_amount: 1, p_description: 'Document Analysis' });
    const path = `${id}/${name.replace(' ', '-')}`;
    await client.storage.from('user-uploads').upload(path, new Blob([`The words of ${name}`]), {
      contentType: 'text/plain',
    });
    const row = { user_id: id, file_path: path, file_name: name, file_size: 1, mime_type: 'text/plain' };
    expect((await client.from('user_files').insert(row)).error).toBeNull();
  }
  await app.resources.database.transaction(async (queries) => {
    const run = (text: string) => queries.run(uncheckedSql(text, 'command'));
    await run('alter table public.user_files disable trigger record_file');
    await queries.run(
      `insert into public.user_files (user_id, file_path, file_name, file_size, mime_type, created_at)
       select $1::uuid, $1 || '/' || n, 'Letter ' || n || '.pdf', n, 'application/pdf', now() - n * interval '1 hour'
       from generate_series(1, $2::integer) n`,
      [id, MANY - 2],
    );
    await run('alter table public.user_files enable trigger record_file');
  });
}

describe.skipIf(CHROMIUM === undefined)('a customer with more than a thousand files', () => {
  test('sees all of them counted, fifty at a time, sorts, and handles many at once', async () => {
    await journey.visit(async (page, context) => {
      await fill(await becomeUser(journey.app, context));
      await page.goto('/dashboard');
      await page.getByRole('heading', { name: `Your Files ${MANY}` }).waitFor();
      const rows = page.locator('.file');
      expect(await rows.count()).toBe(50);
      await page.getByRole('button', { name: `Show 50 more of ${MANY - 50}` }).click();
      await expect.poll(() => rows.count()).toBe(100);
      await page.getByRole('button', { name: 'Need attention 0' }).click();
      await expect.poll(() => rows.count()).toBe(0);
      await page.getByText('No file of that name, tag or state here.').first().waitFor();
      await page.getByRole('button', { name: `All ${MANY}` }).click();
      await expect.poll(() => rows.count()).toBe(100);

      await page.getByLabel('Sort by').selectOption('name');
      await expect.poll(() => rows.first().locator('b').textContent()).toBe('Alpha 2.txt');
      expect(await rows.nth(1).locator('b').textContent()).toBe('Alpha 10.txt');
      await page.getByLabel('Choose Alpha 2.txt').check();
      await page.getByLabel('Choose Alpha 10.txt').check();
      const bar = page.getByRole('region', { name: 'Chosen files' });
      await bar.getByText('2 chosen').waitFor();
      await expectAccessible(page);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        bar.getByRole('button', { name: 'Download as zip' }).click(),
      ]);
      const archive = unzipSync(readFileSync(await download.path()));
      expect(Object.keys(archive).sort()).toEqual(['Alpha 10.txt', 'Alpha 2.txt']);
      expect(new TextDecoder().decode(archive['Alpha 10.txt'])).toBe('The words of Alpha 10.txt');

      await bar.getByRole('button', { name: 'Delete 2' }).click();
      const question = page.getByRole('alertdialog', { name: 'Delete 2 Files' });
      expect(await question.locator('b').textContent()).toBe('2 files');
      await question.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('2 files deleted successfully').first().waitFor();
      await page.getByRole('heading', { name: `Your Files ${MANY - 2}` }).waitFor();
      await bar.waitFor({ state: 'detached' });
    });
  });
});
