/// <reference lib="dom" />
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { codeOf } from '../support/auth/authenticator.ts';
import { CHROMIUM, PAGE_PATIENCE_MS, sharedBrowser } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeTrustedOperator, startJourney } from '../support/journey.ts';
import { runProduct } from '../support/servers/product-process.ts';
import { dataFolder, keysOf, startProduct } from '../support/servers/product-start.ts';

/** A port that is free now; the product that is started anew has to come back to it. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

describe.skipIf(CHROMIUM === undefined)('an owner without a terminal', () => {
  test('starts the product anew for the settings that wait, and the page comes back with them in use', async () => {
    claims(
      'The product starts anew.',
      'This page goes on when it is back, usually within some seconds.',
      'The product has started.',
      'The settings are in use.',
      'The site is away for some seconds, and calls that go on end.',
    );
    const data = dataFolder();
    const product = startProduct(data, { PORT: String(await freePort()) });
    const url = await product.url;
    const client = createClient(url, keysOf(data).anon_key, { auth: { persistSession: false } });
    const account = { email: 'olive@agency.example', password: 'harbour lantern 4711' };
    await client.auth.signUp(account);
    const made = runProduct({
      command: ['npm', 'run', 'northline', '--', 'operators', 'add', account.email],
      settings: { DATA_DIR: data },
    });
    expect(await made.ended, made.output()).toMatchObject({ code: 0 });
    await client.auth.signInWithPassword(account);
    const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
    const code = codeOf(factor?.totp.secret ?? '');
    await client.auth.mfa.challengeAndVerify({ factorId: factor?.id ?? '', code });
    const { data: raised } = await client.auth.getSession();
    await fetch(`${url}/auth/v1/factors/recovery-codes`, {
      method: 'POST',
      headers: {
        ...{ apikey: keysOf(data).anon_key, 'content-type': 'application/json' },
        authorization: `Bearer ${raised.session?.access_token}`,
      },
      body: '{}',
    });
    // The site reads the factors from the session.
    const { data: own } = await client.auth.refreshSession();

    const browser = await sharedBrowser();
    const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce' });
    context.setDefaultTimeout(PAGE_PATIENCE_MS);
    await context.addInitScript(([key, session]) => localStorage.setItem(key, session), [
      `sb-${new URL(url).hostname.split('.')[0]}-auth-token`,
      JSON.stringify(own.session),
    ] as const);
    try {
      const page = await context.newPage();
      await page.goto('/operator/settings#telephone');
      await page.getByLabel('Numbers that may be called').fill('+33');
      await page.keyboard.press('Enter');
      const waiting = page.getByRole('region', { name: 'Settings that wait' });
      await waiting.getByText('“Numbers that may be called”').waitFor();
      await expectAccessible(page);
      await waiting.getByRole('button', { name: 'Start the product anew' }).press('Enter');
      const question = page.getByRole('alertdialog', { name: 'Start the product anew?' });
      await expectAccessible(page);
      await question.getByRole('button', { name: 'Start it anew' }).click();
      await page.getByText('The product starts anew.').waitFor();
      await page.getByText('The product has started. The settings are in use.').waitFor();
      expect(await waiting.count()).toBe(0);
      expect(await page.getByLabel('Numbers that may be called').inputValue()).toBe('+33');
      expect(await page.locator('.setting-pending').count()).toBe(0);
      expect(product.output()).toContain('The server was told to start anew.');
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page
        .getByText(`${account.email} started the product anew, for “Numbers that may be called”.`)
        .waitFor();
    } finally {
      await context.close();
    }
    expect(await product.stop()).toMatchObject({ code: 0 });
  });

  test('is told when the product does not come back', async () => {
    claims('It is not back yet: look at its log.', 'This page goes on asking.');
    let ended = 0;
    const journey = await startJourney({ restart: () => (ended += 1) });
    onTestFinished(() => journey.close());
    await journey.visit(async (page, context) => {
      await becomeTrustedOperator(journey.app, context);
      await page.goto('/operator/settings#telephone');
      await page.getByLabel('Numbers that may be called').fill('+33');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Start the product anew' }).click();
      await page.getByRole('button', { name: 'Start it anew' }).click();
      await page.getByText('It is not back yet: look at its log. This page goes on asking.').waitFor();
    });
    expect(ended).toBe(1);
  });
});
