/// <reference lib="dom" />
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser, PAGE_PATIENCE_MS } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { signInAtConsole } from '../support/customers/console-browser.ts';
import { newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const DAY_AND_PHONE = [
  { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

let app: TestApp;
let browser: Browser;
let operator: TestAccount;
/** What a page of the other site has in its body, by its path. */
const pages = new Map<string, string>();
/** A site at another origin, with the strictest policy that the guide names. */
const shop = createServer(({ url = '' }, response) => {
  const server = app.url;
  const policy = `default-src 'none'; script-src ${server}; connect-src ${server} ${server.replace('http', 'ws')}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`;
  const lang = url.startsWith('/de') ? 'de" dir="ltr' : url.startsWith('/ar') ? 'ar" dir="rtl' : 'en-GB';
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    .end(
      `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width"><title>Shop</title></head><body><main><h1>Clocks</h1></main>${pages.get(url) ?? ''}</body></html>`,
    );
});
let origin = '';

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  app = await startTestApp();
  operator = await newOperator(app);
  browser = await openBrowser(FAKE_MEDIA);
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  origin = `http://localhost:${(shop.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  shop.close();
});

/** Visits a page of the shop. An error on it, or something that its policy refused, fails the test. */
async function visit(
  path: string,
  look: (page: Page, warnings: readonly string[]) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PAGE_PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const warnings: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content.Security.Policy|TrustedHTML|TrustedScript/i.test(message.text()))
      complaints.push(message.text());
    if (message.type() === 'warning') warnings.push(message.text());
  });
  await page.goto(origin + path);
  await look(page, warnings);
  expect(complaints).toEqual([]);
  await context.close();
}

async function expectGood(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/on-site-${name}.png` });
  await expectAccessible(page);
}

const snippetFor = (id: string, more = ''): string =>
  `<script src="${app.url}/voice/on-site.js" data-assistant="${id}"${more} async></script>`;

async function newAssistant(website: object = {}): Promise<string> {
  const { body } = await voiceApi(app, 'POST', '/assistant', {
    ...{ name: 'Clock shop', firstMessage: 'Good day, this is the clock shop.' },
    model: {
      provider: 'embedded',
      messages: [{ role: 'system', content: 'You work for a clock shop. We open at nine in the morning.' }],
    },
    website: { origins: [origin], ...website },
  });
  return body.id;
}

describe.skipIf(CHROMIUM === undefined)('an assistant on a page of another site', () => {
  test('the console makes its script, and a visitor there writes, deletes it, and leaves a message for a person', async () => {
    claims(
      'Put this into your pages.',
      'It comes from this server and loads nothing from anywhere else.',
      'The conversation has been deleted.',
    );
    const id = await newAssistant({ origins: ['https://clocks.example'] });
    const console = await signInAtConsole(
      { url: app.url, browser },
      operator,
      {},
      `/operator/assistants/${id}`,
    );
    const panel = console.page.getByRole('article', { name: 'Assistant' });
    const site = panel.getByRole('group', { name: 'On your site' });
    await site.getByLabel('Sites that may show it, one a line').fill(`https://clocks.example\n${origin}`);
    await site.getByLabel('Greeting').fill('Welcome to the clock shop.');
    await site.getByLabel('Colour', { exact: true }).fill('#7a1f4f');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await console.page.getByText('The assistant is saved.').waitFor();
    const snippet = (await site.locator('code').textContent()) ?? '';
    expect(snippet).toBe(snippetFor(id));
    pages.set('/clocks', snippet);
    await visit('/clocks', async (page) => {
      await page.getByRole('button', { name: 'Ask us' }).press('Enter');
      await page.getByText('A machine answers you here.').waitFor();
      await expectGood(page, 'start');
      await page.getByRole('button', { name: 'Write', exact: true }).press('Enter');
      const log = page.getByRole('log');
      await log.getByText('Welcome to the clock shop.').waitFor();
      await page.keyboard.type('When do you open?');
      await page.keyboard.press('Enter');
      await log.getByText(/nine/).waitFor();
      await expectGood(page, 'written');
      // A closed panel loses nothing.
      await page.keyboard.press('Escape');
      expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent)).toBe(
        'Ask us',
      );
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'End', exact: true }).click();
      await page.getByText('The conversation is over.').waitFor();
      await page.getByRole('button', { name: 'Delete the conversation' }).click();
      await page.getByText('The conversation has been deleted.').waitFor();
      await page.getByRole('button', { name: 'Leave a message for a person' }).click();
      await page.getByLabel('Name').fill('Ann Wood');
      await page.getByLabel('Email').fill('ann@clocks.example');
      await page.getByLabel('Message').fill('Please mend my grandmother’s clock.');
      await expectGood(page, 'message');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Your message has been sent.').waitFor();
      await page.getByText('A person will answer you by email.').waitFor();
    });
    await console.page.goto(`${app.url}/operator/enquiries`);
    await console.page.getByRole('button', { name: /Ann Wood/ }).click();
    await console.page.getByText('Please mend my grandmother’s clock.').first().waitFor();
    await console.page.getByText(`(Left on ${origin} for Clock shop.)`).first().waitFor();
    await console.close();
  });

  test('a visitor agrees first, then talks, types, and ends the call', async () => {
    claims('Your microphone is used for this call only, and your browser asks you first.');
    pages.set('/talk', snippetFor(await newAssistant()));
    await visit('/talk', async (page) => {
      const asked = () => page.evaluate(() => (window as { asked?: number }).asked ?? 0);
      await page.evaluate(() => {
        const devices = navigator.mediaDevices;
        const open = devices.getUserMedia.bind(devices);
        devices.getUserMedia = (wanted) => {
          (window as { asked?: number }).asked = ((window as { asked?: number }).asked ?? 0) + 1;
          return open(wanted);
        };
      });
      const loaded: string[] = [];
      page.on('request', (request) => loaded.push(request.url()));
      await page.getByRole('button', { name: 'Ask us' }).click();
      await page.getByRole('button', { name: 'Talk' }).click();
      await page.getByText('The sound is not recorded.').waitFor();
      await expectGood(page, 'consent');
      expect([await asked(), loaded]).toEqual([0, []]);
      await page.getByRole('button', { name: 'Agree and talk' }).click();
      await page.getByRole('log').getByText('Good day, this is the clock shop.').waitFor();
      expect(await asked()).toBe(1);
      expect(loaded).toContain(`${app.url}/voice/on-site-call.js`);
      await page.getByRole('button', { name: 'Mute' }).click();
      await page.getByRole('button', { name: 'Unmute' }).waitFor();
      await page.getByLabel('Your message').fill('When do you open?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('log').getByText(/nine/).waitFor();
      await expectGood(page, 'spoken');
      await page.getByRole('button', { name: 'End', exact: true }).click();
      await page.getByText('The conversation is over.').waitFor();
    });
    const { body: calls } = await voiceApi(app, 'GET', '/call?limit=1');
    expect(calls[0]).toMatchObject({ type: 'webCall', website: origin });
  });

  test('without a microphone a visitor reads so, and writes', async () => {
    pages.set('/silent', snippetFor(await newAssistant()));
    await visit('/silent', async (page) => {
      await page.evaluate(() => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'));
      });
      await page.getByRole('button', { name: 'Ask us' }).click();
      await page.getByRole('button', { name: 'Talk' }).click();
      await page.getByRole('button', { name: 'Agree and talk' }).click();
      await page.getByText('Your microphone cannot be used. You can write instead.').waitFor();
      await page.getByRole('button', { name: 'Write', exact: true }).click();
      await page.getByRole('log').getByText('Good day, this is the clock shop.').waitFor();
    });
  });

  test('a site that is not named gets one sentence in its console, and its page does not notice', async () => {
    pages.set('/refused', snippetFor(await newAssistant({ origins: ['https://clocks.example'] })));
    await visit('/refused', async (page, warnings) => {
      await expect.poll(() => warnings.length).toBe(1);
      expect(warnings[0]).toBe(
        `The assistant is not shown: This assistant may not be shown on ${origin}. The console lists its sites: Assistants, On your site.`,
      );
      expect(await page.locator('site-assistant').count()).toBe(0);
      await page.getByRole('heading', { name: 'Clocks' }).waitFor();
    });
  });

  for (const look of DAY_AND_PHONE)
    test(`${look.viewport.width} pixels, ${look.colorScheme}: it is closed, in German, and fits beside Arabic`, async () => {
      const yesterday = new Date(Date.now() - 86_400_000);
      const dayIn = (language: string) =>
        yesterday.toLocaleDateString(language, { weekday: 'short', timeZone: 'UTC' });
      const hours = { open: `${dayIn('en-GB').toLowerCase()} 9:00-9:01`, timeZone: 'UTC' };
      pages.set('/de', snippetFor(await newAssistant({ hours })));
      await visit(
        '/de',
        async (page) => {
          await page.getByRole('button', { name: 'Fragen Sie uns' }).click();
          await page.getByText('Wir haben geschlossen.').waitFor();
          await page.getByText(`Geöffnet: ${dayIn('de')} 9:00-9:01 (UTC)`).waitFor();
          await expectGood(page, `german-${look.colorScheme}`);
        },
        look,
      );
      pages.set('/ar', snippetFor(await newAssistant()));
      await visit(
        '/ar',
        async (page) => {
          const launch = page.getByRole('button', { name: 'Ask us' });
          const { x = 999 } = (await launch.boundingBox()) ?? {};
          expect(x).toBeLessThan(look.viewport.width / 3);
          await launch.click();
          await expectGood(page, `arabic-${look.colorScheme}`);
        },
        look,
      );
    });
});
