/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

// Waits depend on the page and not on a clock, because a busy machine takes longer.
let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

const NAMES = ['lease-unit-4.pdf', 'lease-unit-7.pdf', 'Terms.pdf', 'invoice.pdf', 'letter.pdf'];
const PDF = readFileSync(path.join(import.meta.dirname, '..', 'documents', 'tenancy-agreement.pdf'));

describe.skipIf(CHROMIUM === undefined)('the keys of the dashboard', () => {
  test('u uploads, / filters, ? lists them, and they can be switched off', async () => {
    await journey.visit(async (page, context) => {
      const { id } = await becomeUser(journey.app, context);
      await journey.app.resources.database.run(
        `insert into public.customers (user_id, credits) values ($1, 5)
         on conflict (user_id) do update set credits = 5`,
        [id],
      );
      // The driver intercepts file choosers some time after its first listener, which would be too late for
      // the key.
      page.on('filechooser', () => {});
      await page.goto('/dashboard');
      await page.getByText('No files uploaded').waitFor();
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('u')]);
      await chooser.setFiles(NAMES.map((name) => ({ name, mimeType: 'application/pdf', buffer: PDF })));
      const rows = page.getByRole('button', { name: /^Analyze / });
      await expect.poll(() => rows.count()).toBe(5);

      await page.keyboard.press('/');
      // In a field the keys type letters.
      await page.keyboard.type('LEASE-u');
      await expect.poll(() => rows.count()).toBe(2);
      await page.getByText('2 of 5').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => rows.count()).toBe(5);
      await page.getByLabel('Filter by name').blur();

      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await help.waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id: rule }) => rule)).toEqual([]);
      await help.getByRole('checkbox', { name: 'Use keyboard shortcuts' }).uncheck();
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'hidden' });
      await page.keyboard.press('/');
      expect(await page.evaluate(() => document.activeElement?.id)).not.toBe('file-filter');
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      expect(await help.getByRole('checkbox').isChecked()).toBe(false);
    });
  });
});
