/// <reference lib="dom" />
import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { closeContexts, PAGE_PATIENCE_MS, sharedBrowser } from './browser.ts';
import { newOperator, newTrustedOperator } from './customers/operator-client.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.ts';

/** One product for all journeys of a test file, in the worker's browser. */
export interface Journey {
  readonly app: TestApp;
  /**
   * Runs `visit` in its own browser profile. An error on a page fails the test, and so does a script or style
   * that the page's policy refused. Returns the result of `visit`.
   */
  visit<Result>(
    visit: (page: Page, context: BrowserContext) => Promise<Result>,
    options?: BrowserContextOptions,
  ): Promise<Result>;
  close(): Promise<void>;
}

/** Starts the product. */
export async function startJourney(options: TestAppOptions = {}): Promise<Journey> {
  const app = await startTestApp(options);
  const browser = await sharedBrowser();
  return {
    app,
    async visit(visit, contextOptions = {}) {
      const context = await browser.newContext({
        reducedMotion: 'reduce',
        acceptDownloads: true,
        baseURL: app.url,
        ...contextOptions,
      });
      context.setDefaultTimeout(PAGE_PATIENCE_MS);
      const complaints: string[] = [];
      context.on('weberror', (error) => complaints.push(String(error.error())));
      context.on('console', (message) => {
        if (/Content.Security.Policy|TrustedHTML|hydrat|Minified React/i.test(message.text()))
          complaints.push(message.text());
      });
      try {
        const result = await visit(await context.newPage(), context);
        expect(complaints).toEqual([]);
        return result;
      } finally {
        await context.close();
      }
    },
    async close() {
      await closeContexts();
      await app.close();
    },
  };
}

/** A person with an account of their own. */
export interface Person {
  readonly id: string;
  readonly token: string;
  readonly email: string;
  readonly password: string;
}

/** A person without an account. */
export const somebody = (): Omit<Person, 'id' | 'token'> => ({
  email: `priya-${randomUUID()}@customers.example`,
  password: `harbour lantern ${randomUUID().slice(0, 8)}`,
});

/** Signs up by a call and stores the session where the site keeps it, without the form. */
export async function becomeUser(app: TestApp, context: BrowserContext): Promise<Person> {
  const { email, password } = somebody();
  const client = createClient(app.url, app.anonKey, { auth: { persistSession: false } });
  const { data, error } = await client.auth.signUp({
    email,
    password,
    options: { data: { full_name: 'Priya Shah' } },
  });
  if (error !== null || data.session === null) throw new Error(`sign-up failed: ${error?.message}`);
  await putSession(app, context, data.session);
  return { id: data.session.user.id, token: data.session.access_token, email, password };
}

/** The same for an operator of the agency. */
export async function becomeOperator(app: TestApp, context: BrowserContext): Promise<void> {
  const { client } = await newOperator(app);
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new Error('the operator has no session');
  await putSession(app, context, data.session);
}

/** An operator whose session has used a second factor. @returns the address of the operator's mailbox */
export async function becomeTrustedOperator(app: TestApp, context: BrowserContext): Promise<string> {
  const { client, email } = await newTrustedOperator(app);
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new Error('the operator has no session');
  await putSession(app, context, data.session);
  return email;
}

async function putSession(app: TestApp, context: BrowserContext, own: object): Promise<void> {
  const key = `sb-${new URL(app.url).hostname.split('.')[0]}-auth-token`;
  await context.addInitScript(
    ([name, session]) => {
      // Only once, so that a later sign-out is not undone. A blank page has no storage.
      if (!location.protocol.startsWith('http') || sessionStorage.getItem('put') !== null) return;
      sessionStorage.setItem('put', '');
      localStorage.setItem(name, session);
    },
    [key, JSON.stringify(own)] as const,
  );
}

/** Presses a button just after another tab has signed out, before this tab is notified. */
export function pressSignedOut(button: Locator): Promise<void> {
  return button.evaluate((element: HTMLElement) => {
    for (const key of Object.keys(localStorage))
      if (key.endsWith('-auth-token')) localStorage.removeItem(key);
    element.click();
  });
}

/** Fills in the sign-up form and sends it. */
export async function signUp(page: Page, { email, password }: Omit<Person, 'id' | 'token'>): Promise<void> {
  await page.getByLabel('Full Name').fill('Priya Shah');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password').fill(password);
  await page.getByRole('button', { name: 'Create Account' }).click();
}

/** Fills in the card page and pays; also fills in the address if the page asks for it. */
export async function payByCard(page: Page, card: string, email = ''): Promise<void> {
  const mail = page.getByLabel(/email/i);
  if ((await mail.count()) > 0 && (await mail.isEditable())) await mail.fill(email);
  await page.getByLabel(/card number/i).fill(card);
  await page.getByLabel(/expir/i).fill('12 / 34');
  await page.getByLabel(/security code|cvc/i).fill('123');
  await page.getByLabel(/name on card/i).fill('Priya Shah');
  await page.getByRole('button', { name: 'Subscribe' }).click();
}
