/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

const TABS = [
  ['Search', '/dashboard/search'],
  ['Bills', '/dashboard/invoices'],
  ['Fields', '/dashboard/fields'],
  ['Messages', '/dashboard/messages'],
  ['Billing', '/dashboard/billing'],
  ['Account', '/dashboard/account'],
] as const;

describe.skipIf(CHROMIUM === undefined)('the tabs of the dashboard', () => {
  test('each comes with a module of its own when it is opened, and once only', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      const scripts: string[] = [];
      page.on('request', (request) => {
        if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
      });
      await page.goto('/dashboard');
      await page.getByText('No files uploaded').waitFor();
      const before = scripts.length;
      for (const [name, path] of TABS) {
        const known = scripts.length;
        await page.getByRole('link', { name, exact: true }).first().click();
        await page.waitForURL(`**${path}`);
        await page.locator('main:not(:has(.ghost)) h1', { hasText: name }).waitFor();
        expect(scripts.length, name).toBeGreaterThan(known);
      }
      await page.getByRole('link', { name: 'Files', exact: true }).click();
      await page.getByRole('button', { name: 'Upload Files' }).waitFor();
      const all = scripts.length;
      expect(all).toBeGreaterThan(before);
      await page.getByRole('link', { name: 'Billing', exact: true }).click();
      await page.locator('main:not(:has(.ghost)) h1', { hasText: 'Billing' }).waitFor();
      expect(scripts.length).toBe(all);
      expect(new Set(scripts).size).toBe(all);
    });
  });

  test('a tab whose module cannot be fetched offers to load the page again', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await page.goto('/dashboard');
      await page.getByText('No files uploaded').waitFor();
      await page.route('**/assets/*.js', (route) => route.abort());
      await page.getByRole('link', { name: 'Billing', exact: true }).click();
      await page.getByRole('heading', { name: 'This page did not load' }).waitFor();
      await page.getByRole('navigation', { name: 'Dashboard' }).waitFor();
      await page.unroute('**/assets/*.js');
      await page.getByRole('button', { name: 'Load it again' }).click();
      await page.getByText('Choose a plan below').first().waitFor();
    });
  });
});
