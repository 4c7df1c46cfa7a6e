/// <reference lib="dom" />
import { createClient } from '@supabase/supabase-js';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { CHROMIUM } from '../support/browser.ts';
import { upload } from '../support/customers/analysis-customer.ts';
import { becomeUser, type Journey, pressSignedOut, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

type Answer = (route: Route) => Promise<void>;
const broken: Answer = (route) => route.fulfill({ status: 500, json: { message: 'broken' } });
const cut: Answer = (route) => route.abort();
const only =
  (method: string, answer: Answer): Answer =>
  (route) =>
    route.request().method() === method ? answer(route) : route.continue();

const told = (page: Page, words: string): Promise<void> =>
  page.getByText(words, { exact: true }).first().waitFor();
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();
const sureOf = (page: Page) => page.getByRole('alertdialog').getByRole('button', { name: 'Delete' });
const choose = (page: Page, name: string, mimeType = 'text/plain'): Promise<void> =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from('The rent is due.') });

/** Presses a button while requests to an address get this reply, and waits for the resulting message. */
async function failing(page: Page, [address, answer]: [string, Answer], name: string, words: string) {
  await page.route(address, answer);
  await press(page, name);
  await told(page, words);
  await page.unroute(address);
}

/** A customer with these files, on the Files tab; returns the ids of the files and of the customer. */
async function openFiles(page: Page, context: BrowserContext, names: readonly string[]) {
  const { app } = journey;
  const { id, token } = await becomeUser(app, context);
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 9)
     on conflict (user_id) do update set credits = 9`,
    [id],
  );
  const client = createClient(app.url, app.anonKey, { accessToken: async () => token });
  const files: string[] = [];
  for (const name of names) files.push(await upload({ id, token, client }, name, Buffer.from('Rent: £900.')));
  await page.goto('/dashboard');
  await page.getByRole('button', { name: `Delete ${names[0]}` }).waitFor();
  return { id, files };
}

describe.skipIf(CHROMIUM === undefined)('failures are shown in the specified words', () => {
  test('of files: listing, download, analysis, report, deletion and upload', async () => {
    await journey.visit(async (page, context) => {
      const { database } = journey.app.resources;
      const names = ['lease.txt', 'letter.txt', 'plan.txt', 'note.txt'];
      const { id, files } = await openFiles(page, context, names);

      const signing = '**/storage/v1/object/sign/**';
      await failing(page, [signing, broken], 'Download lease.txt', MESSAGES.download.noUrl);
      await page.getByLabel('Choose lease.txt').check();
      await failing(page, [signing, only('GET', cut)], 'Download as zip', MESSAGES.download.failed);
      await press(page, 'Choose none');
      await failing(page, ['**/functions/v1/analyze', cut], 'Analyze lease.txt', MESSAGES.analysis.failed);

      await database.run("update public.user_files set status = 'analyzed' where id = $1", [files[2] ?? '']);
      await press(page, 'View Analysis of plan.txt');
      await told(page, MESSAGES.analysis.noUrl);

      await page.route('**/rest/v1/user_files?*', only('DELETE', cut));
      await press(page, 'Delete lease.txt');
      await sureOf(page).click();
      await told(page, MESSAGES.delete.failed);
      await page.unroute('**/rest/v1/user_files?*');
      // Deleted in another tab while this one was asking.
      await press(page, 'Delete letter.txt');
      await sureOf(page).waitFor();
      await database.run('update public.user_files set deleted_at = now() where id = $1', [files[1] ?? '']);
      await expect.poll(() => page.locator('.file', { hasText: 'letter.txt' }).count()).toBe(0);
      await sureOf(page).click();
      await told(page, MESSAGES.delete.notInList);

      await page.route('**/rest/v1/user_files?*', only('GET', broken));
      await page.reload();
      await told(page, MESSAGES.listing.failed);
      await page.unroute('**/rest/v1/user_files?*');
      await press(page, 'Try again');
      await page.getByRole('button', { name: 'Delete note.txt' }).waitFor();

      await choose(page, 'song.mp3', 'audio/mpeg');
      await page.getByRole('alert').getByText(MESSAGES.upload.unsupportedFurther).waitFor();
      await press(page, 'Dismiss song.mp3');
      await page.route('**/storage/v1/object/user-uploads/**', (route) =>
        route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad gateway' }),
      );
      await choose(page, 'terms.txt');
      await page.getByRole('alert').getByText(MESSAGES.upload.failed, { exact: true }).waitFor();
      await page.unroute('**/storage/v1/object/user-uploads/**');
      await press(page, 'Dismiss terms.txt');
      await database.run(
        `with customer as (
           update public.customers set credits = 0, customer_id = 'cus_' || user_id::text where user_id = $1
           returning customer_id)
         insert into public.subscriptions
           (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)
         select customer_id, 'sub_' || customer_id, 'price_documents_pro', 'pro', 'active', now(),
                now() + interval '1 month' from customer`,
        [id],
      );
      await choose(page, 'annex.txt');
      await page.getByRole('alert').getByText(MESSAGES.upload.noCredits).waitFor();

      await press(page, 'Delete note.txt');
      await pressSignedOut(sureOf(page));
      await told(page, MESSAGES.delete.loginAgain);
    });
  });

  test('of a session that another tab ends while this one renews it to delete a file', async () => {
    await journey.visit(async (page, context) => {
      await openFiles(page, context, ['lease.txt']);
      const renewal = Promise.withResolvers<Route>();
      await page.route('**/auth/v1/token?grant_type=refresh_token*', (route) => renewal.resolve(route));
      await press(page, 'Delete lease.txt');
      await sureOf(page).evaluate((button: HTMLElement) => {
        const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token')) ?? '';
        const session = JSON.parse(localStorage.getItem(key) ?? '{}');
        localStorage.setItem(key, JSON.stringify({ ...session, expires_at: 1 }));
        button.click();
      });
      const asked = await renewal.promise;
      await page.evaluate(() => localStorage.clear());
      await asked.continue();
      await told(page, MESSAGES.delete.notAuthenticated);
    });
  });

  test('of a checkout and of a call, while they begin and when they fail', async () => {
    await journey.visit(async (page, context) => {
      await context.addInitScript(() => {
        const kept: RTCPeerConnection[] = [];
        Object.assign(window, { kept });
        window.RTCPeerConnection = class extends RTCPeerConnection {
          constructor(...given: ConstructorParameters<typeof RTCPeerConnection>) {
            super(...given);
            kept.push(this);
          }
        };
      });
      await page.goto('/');
      const brokenAfter = async (address: string, name: string, words: string): Promise<void> => {
        const asked = Promise.withResolvers<Route>();
        await page.route(address, (route) => asked.resolve(route));
        await press(page, name);
        const route = await asked.promise;
        await told(page, words);
        await broken(route);
        // If a route were removed before its reply, the driver itself would answer.
        await page.unroute(address);
      };
      await brokenAfter('**/functions/v1/checkout', 'Choose Pro', MESSAGES.checkout.loading);
      await told(page, MESSAGES.checkout.failed);
      await brokenAfter('**/voice/v1/call/web', 'Test Now', MESSAGES.call.starting);
      await told(page, MESSAGES.call.notStarted);

      await press(page, 'Test Now');
      await told(page, MESSAGES.call.started);
      // The connection is lost, as the browser reports it.
      await page.evaluate(() => {
        for (const connection of (window as unknown as { kept: RTCPeerConnection[] }).kept) {
          Object.defineProperty(connection, 'connectionState', { value: 'failed' });
          connection.dispatchEvent(new Event('connectionstatechange'));
        }
      });
      await told(page, MESSAGES.call.failed);
    });
  });
});
