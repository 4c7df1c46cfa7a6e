/// <reference lib="dom" />

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { becomeOperator, type Journey, startJourney } from '../support/journey.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** Light and dark, wide and narrow: the picture for inspection, no overflow, no finding of axe. */
async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      if (PICTURES === undefined && (colorScheme === 'dark') === width > 1000) continue;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      const look = `${name}-${width}-${colorScheme}`;
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${look}.png`, fullPage: true });
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        look,
      ).toBeLessThanOrEqual(0);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${look} ${id}: ${nodes[0]?.target}`)).toEqual([]);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe.skipIf(CHROMIUM === undefined)('demo data at the console', () => {
  test('one button adds six customers, whose pages are filled, and one removes them', async () => {
    await journey.visit(async (page, context) => {
      await becomeOperator(journey.app, context);
      await page.goto('/operator');
      await page.getByRole('heading', { name: 'See the console in use' }).waitFor();
      await inspect(page, 'offer');
      await page.getByRole('button', { name: 'Add demo data' }).click();
      await page.getByText('the people whose names end in “(demo)” are invented').waitFor();
      await page.getByText('call with Sam Whitlock (demo)').waitFor();
      await inspect(page, 'home');
      await page.goto('/operator/customers');
      await page.getByText('Priya Raman (demo)').first().waitFor();
      await inspect(page, 'customers');
      await page.getByText('Priya Raman (demo)').first().click();
      await page.getByRole('heading', { name: 'Priya Raman (demo)', level: 1 }).waitFor();
      await page.getByText('Wharf Road tenancy.pdf').waitFor();
      await inspect(page, 'customer');
      // The first letters of the name, without the mark.
      expect(await page.locator('main .avatar').first().getAttribute('data-initials')).toBe('PR');
      claims('As … would see it.');
      await page.getByText('This customer is invented, so you need not ask to see the portal.').waitFor();
      await page.getByRole('link', { name: 'See the portal' }).click();
      await page.getByText('As Priya Raman (demo) would see it. You can change nothing here.').waitFor();
      expect(await page.getByRole('button', { name: 'End the access' }).count()).toBe(0);
      for (const place of ['enquiries', 'calls', 'bookings', 'messages', 'courses']) {
        await page.goto(`/operator/${place}`);
        await page.getByText('(demo)', { exact: false }).nth(1).waitFor();
        if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${place}.png` });
      }
      // On a narrow screen a name keeps its place beside a long note, and the page one is on stays in view.
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto('/operator/bookings');
      const name = page.locator('.row .name').first();
      await expect.poll(async () => (await name.boundingBox())?.width ?? 0).toBeGreaterThan(100);
      for (const [path, entry] of [
        ['bookings', 'Bookings'],
        ['credentials', 'Credentials'],
      ] as const) {
        await page.goto(`/operator/${path}`);
        await page.getByText('people whose names end in').waitFor();
        const current = page.locator('.console-nav ul [aria-current]').filter({ hasText: entry });
        await expect
          .poll(() =>
            current.evaluate((link) => {
              const list = link.closest('ul')?.getBoundingClientRect();
              const { left, right } = link.getBoundingClientRect();
              return list !== undefined && left >= list.left - 1 && right <= list.right + 1 && scrollY === 0;
            }),
          )
          .toBe(true);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByRole('button', { name: 'Remove demo data' }).click();
      await page.getByText('The demo data is being removed.').waitFor();
      await page.getByText('The demo data is being removed.').waitFor({ state: 'detached' });
      await page.goto('/operator/customers');
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByText('(demo)').count()).toBe(0);
    });
  });
});
