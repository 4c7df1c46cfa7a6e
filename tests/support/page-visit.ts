/// <reference lib="dom" />
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PAGE_PATIENCE_MS, sharedBrowser } from './browser.ts';

/** Runs `visit` on a page in a new profile, and expects that the page's policy refused nothing. */
export async function visiting(
  options: BrowserContextOptions,
  visit: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await (await sharedBrowser()).newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_PATIENCE_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content.Security.Policy|Trusted|hydrat|Minified React/i.test(message.text()))
      complaints.push(message.text());
  });
  try {
    await visit(page);
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Waits until React has hydrated the page. */
export async function takeOver(page: Page): Promise<void> {
  await page.mouse.move(5, 5);
  await page.mouse.move(8, 8);
  await page.waitForFunction(() => document.documentElement.dataset.ready === '');
}
