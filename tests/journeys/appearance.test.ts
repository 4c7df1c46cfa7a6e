/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

const ofPage = (page: Page) => () =>
  page.evaluate(() => {
    const probe = document.createElement('canvas').getContext('2d');
    if (probe === null) throw new Error('no canvas');
    probe.fillStyle = getComputedStyle(document.body).backgroundColor;
    probe.fillRect(0, 0, 1, 1);
    const [red = 0] = probe.getImageData(0, 0, 1, 1).data;
    const bars = [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')];
    return { dark: red < 128, bar: bars.find(({ media }) => matchMedia(media).matches)?.content };
  });
const LIGHT = { dark: false, bar: '#f3f7fa' };
const DARK = { dark: true, bar: '#0a1322' };

describe.skipIf(CHROMIUM === undefined)('light and dark in Chromium', () => {
  test('are chosen at the bottom of a page, shown from the first paint on, and given back to the system', async () => {
    await journey.visit(
      async (page, context) => {
        await page.goto('/privacy');
        const foot = page.getByRole('group', { name: 'Appearance' });
        await expect.poll(ofPage(page)).toEqual(LIGHT);
        // Pressed before the application is loaded: it takes effect once it is.
        await foot.getByLabel('Dark').click();
        await expect.poll(ofPage(page)).toEqual(DARK);
        await expectAccessible(page);
        // The script sets the scheme before the application loads, which is blocked on this page.
        await context.route(/start-app/, (route) => route.abort());
        await page.reload();
        expect(await ofPage(page)()).toEqual(DARK);
        await expect.poll(() => foot.getByLabel('Dark').isChecked()).toBe(true);
        await context.unroute(/start-app/);
        const other = await context.newPage();
        await other.goto('/terms');
        expect(await ofPage(other)()).toEqual(DARK);
        await other.getByRole('group', { name: 'Appearance' }).getByLabel('As the system says').click();
        await expect.poll(ofPage(other)).toEqual(LIGHT);
        await expect.poll(ofPage(page)).toEqual(LIGHT);
        await other.emulateMedia({ colorScheme: 'dark' });
        await expect.poll(ofPage(other)).toEqual(DARK);
        await other.getByRole('group', { name: 'Appearance' }).getByLabel('Light').click();
        await expect.poll(ofPage(other)).toEqual(LIGHT);
        await other.setViewportSize({ width: 320, height: 640 });
        await expectAccessible(other);
      },
      { colorScheme: 'light' },
    );
  });

  test('in the dark the recommended plan is the lightest of its row, and waiting parts are visible', async () => {
    await journey.visit(
      async (page, context) => {
        // The news never arrive.
        await context.route('**/functions/v1/news*', () => undefined);
        await page.goto('/');
        const lightnessOf = (selector: string) =>
          page
            .locator(selector)
            .first()
            .evaluate((element) => {
              const probe = document.createElement('canvas').getContext('2d');
              if (probe === null) throw new Error('no canvas');
              probe.fillStyle = getComputedStyle(element).backgroundColor;
              probe.fillRect(0, 0, 1, 1);
              const [red = 0, green = 0, blue = 0] = probe.getImageData(0, 0, 1, 1).data;
              return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
            });
        const [recommended, other] = [await lightnessOf('.fare.on'), await lightnessOf('.fare:not(.on)')];
        expect(recommended).toBeGreaterThan(other + 10);
        const [awaited, paper] = [await lightnessOf('.news-waiting i'), await lightnessOf('body')];
        expect(awaited).toBeGreaterThan(paper + 25);
      },
      { colorScheme: 'dark' },
    );
  });

  test('are chosen in the account too, for every page of this browser', async () => {
    await journey.visit(
      async (page, context) => {
        await becomeUser(journey.app, context);
        await page.goto('/dashboard/account');
        await page.getByRole('group', { name: 'Appearance' }).getByLabel('Light').click();
        await expect.poll(ofPage(page)).toEqual(LIGHT);
        await expectAccessible(page);
        await page.goto('/');
        expect(await ofPage(page)()).toEqual(LIGHT);
      },
      { colorScheme: 'dark' },
    );
  });
});
