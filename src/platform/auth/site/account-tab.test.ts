import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signInAgain } from '../../../../tests/support/auth/authenticator.ts';
import { CHROMIUM, closeContexts, sharedBrowser } from '../../../../tests/support/browser.ts';
import { callAuth, PASSWORD, signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  app = await startTestApp();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeContexts();
  await app?.close();
});

describe.skipIf(CHROMIUM === undefined)('the account page in Chromium', () => {
  test('a user sees this device and others, and signs out one and all of them', async () => {
    const person = await signUpPerson(app);
    const others = [await signInAgain(app, person), await signInAgain(app, person)];
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    await page.goto(`${app.url}/login`);
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await page.waitForURL(/\/dashboard$/);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await page.getByText(person.email, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Signing in' }).click();
    const devices = page.getByRole('listitem').filter({ hasText: 'Last used' });
    await expect.poll(() => devices.count()).toBe(4);
    expect(await devices.first().textContent()).toMatch(/^Chrome on LinuxThis device/);
    await page.getByRole('button', { name: 'Sign out Another program' }).first().click();
    await expect.poll(() => devices.count()).toBe(3);
    await page.getByRole('button', { name: 'Sign out all other devices' }).click();
    await expect.poll(() => devices.count()).toBe(1);
    for (const { session } of others) {
      const ended = await callAuth(app, 'GET', '/user', { bearer: session.access_token });
      expect(ended.body.code).toBe('session_not_found');
    }
    expect(await page.getByRole('button', { name: 'Sign out all other devices' }).count()).toBe(0);
  });
});
