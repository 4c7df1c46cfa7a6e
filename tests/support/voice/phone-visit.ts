/// <reference lib="dom" />
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openBrowser, PAGE_PATIENCE_MS } from '../browser.ts';
import { type Callers, openCallers } from './callers/flite-caller.ts';
import { SpeakingVisitor, type VisitorOptions } from './speaking-visitor.ts';

/** A visit to the phone section: its page, the visitor, and the browser profile. */
export interface PhoneVisit {
  readonly page: Page;
  readonly visitor: SpeakingVisitor;
  readonly context: BrowserContext;
}

/** One browser and one synthesiser for the visits of a test file. */
export interface PhoneVisits {
  readonly callers: Callers;
  readonly browser: Browser;
  /** Runs `call` at the phone section of the site at `url`; an error on a page fails the test. */
  visit(
    url: string,
    call: (visit: PhoneVisit) => Promise<void>,
    options?: BrowserContextOptions & VisitorOptions,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Opens the browser with further `switches`. */
export async function openPhoneVisits(
  switches: readonly string[] = ['--autoplay-policy=no-user-gesture-required'],
): Promise<PhoneVisits> {
  const browser = await openBrowser(switches);
  const callers = openCallers();
  return {
    callers,
    browser,
    async visit(url, call, options = {}) {
      const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(PAGE_PATIENCE_MS);
      const errors: string[] = [];
      context.on('weberror', (error) => errors.push(String(error.error())));
      try {
        const visitor = await SpeakingVisitor.of(context, callers, options);
        const page = await context.newPage();
        await page.goto('/#phone');
        await call({ page, visitor, context });
        expect(errors).toEqual([]);
      } finally {
        await context.close();
      }
    },
    async close() {
      await browser.close();
      await callers.close();
    },
  };
}

/** The button of the section, once it can be pressed. */
export const testNow = (page: Page) => page.getByRole('button', { name: 'Test Now' });

/** The call has ended on the page: announced once, and another call can be made. */
export async function expectOneEnd({ page, visitor }: PhoneVisit, words?: string): Promise<void> {
  await page.getByText('The call is over.').waitFor();
  if (words !== undefined) await page.getByText(words).waitFor();
  expect(await testNow(page).isEnabled()).toBe(true);
  expect(await page.locator('audio').count()).toBe(0);
  expect(visitor.ends).toBe(1);
}
