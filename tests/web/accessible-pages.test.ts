/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, closeContexts } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { takeOver, visiting } from '../support/page-visit.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  if (CHROMIUM !== undefined) app = await startTestApp();
});
afterAll(async () => {
  await closeContexts();
  await app?.close();
});

const PAGES = [
  ...['/', '/enquire', '/course-inquiry', '/cancel', '/privacy', '/terms', '/no-such-stop'],
  ...['/services/automated-phone-caller', '/services/course-launcher', '/faq', '/status', '/sample-report'],
];

describe.skipIf(CHROMIUM === undefined)('the public pages', () => {
  // Each colour scheme and each width once, because no rule of the style sheets depends on both.
  test.each(PAGES)('%s is accessible and fits, light and dark, wide and narrow', async (path) => {
    await visiting({ colorScheme: 'light', viewport: { width: 1440, height: 900 } }, async (page) => {
      await page.goto(app.url + path, { waitUntil: 'load' });
      await takeOver(page);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(true);
      await expectAccessible(page);
    });
  });
});
