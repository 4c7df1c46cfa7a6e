/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type LocalOidcProvider,
  startOidcProvider,
} from '../../../../tests/support/auth/oidc-provider-server.ts';
import { CHROMIUM, closeContexts, sharedBrowser } from '../../../../tests/support/browser.ts';
import { newEmail } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let issuer: LocalOidcProvider;
let browser: Browser;
/** Passkeys cannot belong to an IP address. */
let site = '';

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  issuer = await startOidcProvider();
  app = await startTestApp({
    settings: {
      AUTH_GOOGLE_CLIENT_ID: CLIENT_ID,
      AUTH_GOOGLE_SECRET: CLIENT_SECRET,
      AUTH_GOOGLE_ISSUER: issuer.issuer,
      OUTBOUND_ALLOW_HOSTS: issuer.host,
    },
  });
  issuer.open(`${app.url}/auth/v1/callback`);
  site = app.url.replace('127.0.0.1', 'localhost');
  browser = await sharedBrowser();
});

afterAll(async () => {
  await closeContexts();
  await app?.close();
  await issuer?.close();
});

describe.skipIf(CHROMIUM === undefined)('in Chromium', () => {
  test('a passkey is added, named, signs in, and is removed', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const email = newEmail();
    await page.goto(`${site}/signup`);
    await page.getByLabel('Full Name').fill('Priya Shah');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('harbour lantern 2741');
    await page.getByLabel('Confirm Password').fill('harbour lantern 2741');
    await page.getByRole('button', { name: 'Create Account' }).click();
    await page.waitForURL(/\/dashboard$/);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('link', { name: 'Signing in' }).click();
    await page.getByText('No passkey yet.').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Rename Passkey' }).click();
    await page.getByLabel('Name of the passkey').fill('Work laptop');
    await page.keyboard.press('Enter');
    await page.getByText('Work laptop').waitFor();

    await page.getByRole('button', { name: 'Sign Out' }).click();
    await page.waitForURL(`${site}/`);
    await page.goto(`${site}/login`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(/\/dashboard$/);
    await page.goto(`${site}/dashboard/account#passkeys`);
    await page.getByText(email, { exact: true }).waitFor();
    await page.getByText(/used today/).waitFor();
    await page.getByRole('button', { name: 'Remove Work laptop' }).click();
    await page.getByRole('button', { name: 'Remove Work laptop' }).click();
    await page.getByText('No passkey yet.').waitFor();
    await context.close();
  });

  test('a configured provider has its button, which leads into the dashboard', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const email = newEmail();
    issuer.people.set('priya', { sub: 'priya', email, email_verified: true });
    await page.goto(`${app.url}/login`);
    await page.getByRole('button', { name: 'Continue with Google' }).click();
    await page.waitForURL(/\/dashboard$/);
    expect(new URL(page.url()).hash).toBe('');
    await page.goto(`${app.url}/dashboard/account`);
    await page.getByText(email, { exact: true }).waitFor();
    await context.close();
  });

  test('without any provider and without passkeys only the password form is shown', async () => {
    const plain = await startTestApp({ settings: { AUTH_PASSKEYS: 'false' } });
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    try {
      const page = await context.newPage();
      const asked = page.waitForResponse('**/auth/v1/settings');
      await page.goto(`${plain.url.replace('127.0.0.1', 'localhost')}/login`);
      await asked;
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('button', { name: 'Sign In' }).count()).toBe(1);
      expect(await page.getByLabel('Other ways to sign in').count()).toBe(0);
    } finally {
      await context.close();
      await plain.close();
    }
  });
});
