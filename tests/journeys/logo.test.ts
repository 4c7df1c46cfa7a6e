/// <reference lib="dom" />

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { becomeOperator, type Journey, startJourney } from '../support/journey.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 30"><script>document.title="taken"</script><style>.w{fill:#123a5c}</style><circle cx="15" cy="15" r="12" fill="#e4572e"/><g class="w"><rect x="34" y="8" width="80" height="5"/><rect x="34" y="18" width="56" height="5"/></g></svg>';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** Light and dark, wide and narrow: the picture for inspection, no overflow, no finding of axe. */
async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      const look = `${name}-${width}-${colorScheme}`;
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${look}.png` });
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        look,
      ).toBeLessThanOrEqual(0);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${look} ${id}: ${nodes[0]?.target}`)).toEqual([]);
    }
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe.skipIf(CHROMIUM === undefined)('a logo at the console', () => {
  test('is chosen, shown, published and removed; a file of which nothing is left is refused', async () => {
    await journey.visit(async (page, context) => {
      await becomeOperator(journey.app, context);
      const publish = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Publish' }).click();
        await page.getByText('Published: visitors see it from now on.').waitFor();
      };
      await page.goto('/operator/site');
      const field = page.getByLabel('SVG or PNG');
      const file = (text: string) => ({
        name: 'logo.svg',
        mimeType: 'image/svg+xml',
        buffer: Buffer.from(text),
      });
      await field.setInputFiles(file('<svg viewBox="0 0 9 9"><script>1</script></svg>'));
      await page.getByText('Nothing of this SVG can be shown').waitFor();
      await field.setInputFiles(file(LOGO));
      await page.getByAltText('Your logo').waitFor();
      expect(await page.getByText('Nothing of this SVG can be shown').count()).toBe(0);
      await inspect(page, 'logo-editor');
      await publish();
      await page.goto('/');
      const mark = page.locator('header .mark-logo');
      await mark.waitFor();
      expect(await mark.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
      expect(await page.locator('header .mark span').getAttribute('class')).toBe('hidden-text');
      await inspect(page, 'logo-home');
      expect(await page.title()).not.toBe('taken');
      // The portal's and the console's bars have room for it on a phone, and pages of the server show it too.
      for (const path of ['/dashboard', '/operator']) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.setViewportSize({ width: 390, height: 900 });
        const fits = async (): Promise<boolean> => {
          const [logo, out] = await Promise.all(
            [mark, page.getByRole('button', { name: 'Sign Out' })].map((part) => part.boundingBox()),
          );
          if (!logo || !out) return false;
          const apart = logo.y + logo.height / 2 - out.y - out.height / 2;
          return Math.abs(apart) < 9 && out.x + out.width <= 390;
        };
        // On one line, and neither is cut off.
        await expect.poll(fits).toBe(true);
        await page.setViewportSize({ width: 1440, height: 900 });
      }
      for (const path of ['/book', '/booking/confirm']) {
        await page.goto(path);
        await page.locator('img.logo[alt="Northline"]').waitFor();
      }
      await page.goto('/book');
      await inspect(page, 'logo-book');
      await page.goto('/operator/site');
      await page.getByRole('button', { name: 'Remove logo' }).click();
      await publish();
      await page.goto('/');
      await page.locator('header .mark-picture').waitFor();
      expect(await page.locator('.mark-logo').count()).toBe(0);
    });
  });
});
