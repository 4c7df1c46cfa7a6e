/// <reference lib="dom" />

import { createClient } from '@supabase/supabase-js';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** What a tab never receives: the client's message, or also the browser's storage event. */
type Lost = 'message' | 'message and event';

/** A tab that shows a person's files and never receives what `lost` names. */
async function dashboardWithout(context: BrowserContext, lost: Lost): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript((what) => {
    window.BroadcastChannel = class extends EventTarget {
      postMessage(): void {}
      close(): void {}
    } as unknown as typeof BroadcastChannel;
    if (what === 'message') return;
    addEventListener('storage', (event) => event.stopImmediatePropagation(), { capture: true });
  }, lost);
  return showFiles(page);
}

async function showFiles(page: Page): Promise<Page> {
  await page.goto('/dashboard');
  await page.getByText('No files uploaded').waitFor();
  return page;
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign Out' }).first().click();
  await page.waitForURL((url) => url.pathname === '/');
}

const leaves = (page: Page) => page.waitForURL((url) => url.pathname === '/login');

/** Does it as another device of the same person would. */
async function endSessionsOf({ email, password }: Person): Promise<void> {
  const { url, anonKey } = journey.app;
  const client = createClient(url, anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
  await client.auth.signInWithPassword({ email, password });
  const { error } = await client.auth.signOut({ scope: 'others' });
  expect(error).toBeNull();
}

describe.skipIf(CHROMIUM === undefined)('a session that ends', () => {
  test('ends in every tab by the message of the client', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await showFiles(page);
      const other = await showFiles(await context.newPage());
      await signOut(page);
      await leaves(other);
    });
  });

  test('ends in a tab that misses the message, because the browser’s storage has changed', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await showFiles(page);
      const other = await dashboardWithout(context, 'message');
      await signOut(page);
      await leaves(other);
    });
  });

  test.each(['focus', 'pageshow', 'visibilitychange'])(
    'ends in a tab that misses both, as soon as somebody comes back to it (%s)',
    async (moment) => {
      await journey.visit(async (page, context) => {
        await becomeUser(journey.app, context);
        await showFiles(page);
        const other = await dashboardWithout(context, 'message and event');
        await signOut(page);
        await other.evaluate((name) => {
          const target = name === 'visibilitychange' ? document : window;
          target.dispatchEvent(new Event(name, { bubbles: true }));
        }, moment);
        await leaves(other);
      });
    },
  );

  test('ends in a tab when another device ended it, without a click or a reload', async () => {
    claims('Your session has ended.', 'Sign in again to go on where you were.');
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await showFiles(page);
      await page.getByText('Live updates').waitFor();
      await endSessionsOf(person);
      await leaves(page);
      expect(
        await page.evaluate(() => Object.keys(localStorage).filter((key) => key.endsWith('-auth-token'))),
      ).toEqual([]);
    });
  });

  test('gives way to another person’s session that was started in another tab', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      const other = await dashboardWithout(context, 'message');
      const next = await journey.visit(async (_page, elsewhere) => {
        const person = await becomeUser(journey.app, elsewhere);
        const state = await (await showFiles(await elsewhere.newPage())).context().storageState();
        return {
          person,
          stored: state.origins[0]?.localStorage.find(({ name }) => name.endsWith('-auth-token')),
        };
      });
      await page.goto('/');
      await page.evaluate(
        ({ name, value }) => localStorage.setItem(name, value),
        next.stored ?? { name: '', value: '' },
      );
      await other.getByRole('link', { name: 'Account' }).click();
      await other.getByText(next.person.email).first().waitFor();
    });
  });
});
