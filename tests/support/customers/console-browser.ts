import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_PATIENCE_MS } from '../browser.ts';
import type { TestAccount } from './operator-client.ts';

/** A page at the console, and the errors that its browser reported. */
export interface ConsolePage {
  readonly page: Page;
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** A browser at the console, signed in through the page to which a visitor is sent. */
export async function signInAtConsole(
  { url, browser }: { readonly url: string; readonly browser: Browser },
  account: Pick<TestAccount, 'email' | 'password'>,
  options: BrowserContextOptions = {},
  path = '/operator/enquiries',
): Promise<ConsolePage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_PATIENCE_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content.Security.Policy|Trusted|hydrat|Minified React/i.test(message.text()))
      complaints.push(message.text());
  });
  await page.goto(url + path);
  await page.waitForURL(`${url}/login`);
  await page.getByLabel('Email').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page
    .getByRole('button', { name: /Log ?in|Sign in/i })
    .first()
    .click();
  await page.waitForURL(url + path);
  return { page, complaints, close: () => context.close() };
}
