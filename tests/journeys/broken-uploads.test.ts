/// <reference lib="dom" />
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';
import { type BreakingLine, openBreakingLine } from '../support/servers/breaking-line.ts';

const MB = 1024 * 1024;
const BROKEN_AT = 8 * MB;
/** Bytes of the page's requests other than the document's own. */
const OTHER_REQUESTS = MB / 2;
const CREDITS = 3;
/** How long an upload waits on a connection without progress. */
const STALLED_MS = 60_000;

/** All parts of it differ, so that a repeated or misplaced part changes its hash. */
const DOCUMENT = Buffer.from(
  `%PDF-1.4\n%${randomBytes(9 * MB).toString('hex')}\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
);

let journey: Journey;
let line: BreakingLine;
let folder: ReturnType<typeof mkdtempDisposableSync>;
let file: string;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  folder = mkdtempDisposableSync(path.join(os.tmpdir(), 'northline-document-'));
  file = path.join(folder.path, 'lease.pdf');
  writeFileSync(file, DOCUMENT);
  journey = await startJourney();
  line = await openBreakingLine(journey.app.url);
});
afterAll(async () => {
  await line?.close();
  await journey?.close();
  folder?.remove();
});

/** A customer with credits whose browser reaches the product through the simulated connection. */
function visitAsCustomer(visit: (page: Page, context: BrowserContext, userId: string) => Promise<void>) {
  return journey.visit(
    async (page, context) => {
      const { id } = await becomeUser(journey.app, context);
      await journey.app.resources.database.run(
        `insert into public.customers (user_id, credits) values ($1, $2)
         on conflict (user_id) do update set credits = excluded.credits`,
        [id, CREDITS],
      );
      line.mend();
      await page.goto('/dashboard');
      await page.getByText('Live updates').waitFor();
      await visit(page, context, id);
    },
    { baseURL: line.url },
  );
}

const choose = (page: Page): Promise<void> => page.getByLabel('Files to upload').setInputFiles(file);

/** Bytes of the user's unfinished upload on the server. */
async function bytesOnServer(userId: string): Promise<number> {
  const row = await journey.app.resources.database.one(
    `select received from private.resumable_uploads join private.uploads using (id) where user_id = $1`,
    [userId],
  );
  return Number(row.received);
}

/** The same, once the interrupted request has ended. */
async function bytesSaved(userId: string): Promise<number> {
  await expect.poll(() => bytesOnServer(userId)).toBeGreaterThan(BROKEN_AT / 2);
  const { database } = journey.app.resources;
  await expect
    .poll(() => database.many('select id from private.resumable_uploads where writer is not null'))
    .toEqual([]);
  return bytesOnServer(userId);
}

/** The document exists once, complete, for one credit, and only the missing part was sent after the break. */
async function expectWhole(page: Page, userId: string, saved: number): Promise<void> {
  await page.getByRole('button', { name: 'Analyze lease.pdf' }).waitFor();
  const { database } = journey.app.resources;
  const stored = await database.many(
    `select o.metadata ->> 'eTag' as hash from public.user_files f join storage.objects o on o.name = f.file_path
      where f.user_id = $1`,
    [userId],
  );
  expect(stored).toEqual([{ hash: `"${createHash('sha256').update(DOCUMENT).digest('hex')}"` }]);
  expect(line.sentBytes()).toBeLessThan(DOCUMENT.length - saved + OTHER_REQUESTS);
  expect(await creditsOf(userId)).toBe(CREDITS - 1);
  await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
}

async function creditsOf(userId: string): Promise<number> {
  const { database } = journey.app.resources;
  return (await database.one('select credits from public.customers where user_id = $1', [userId])).credits;
}

describe.skipIf(CHROMIUM === undefined)('a large document whose connection breaks half way', () => {
  test('waits, says so, and continues by itself when the server can be reached again', async () => {
    await visitAsCustomer(async (page, _context, userId) => {
      line.cutAfter(BROKEN_AT);
      await choose(page);
      await page.getByText(MESSAGES.upload.lostLine).waitFor();
      await page.getByText(/ of 18(\.\d)? MB, waiting$/).waitFor();
      expect(await page.getByRole('button', { name: 'Retry lease.pdf' }).count()).toBe(0);
      await expectAccessible(page);
      const saved = await bytesSaved(userId);
      line.mend();
      await expectWhole(page, userId, saved);
    });
  });

  test('continues when the browser is online again, past a request that the server still waits for', async () => {
    await visitAsCustomer(async (page, context, userId) => {
      line.silenceAfter(BROKEN_AT);
      await choose(page);
      await expect.poll(line.isBroken).toBe(true);
      await context.setOffline(true);
      await page.getByText(MESSAGES.upload.offline).waitFor();
      const saved = await bytesOnServer(userId);
      expect(saved).toBeGreaterThan(BROKEN_AT / 2);
      line.mend();
      await context.setOffline(false);
      await expectWhole(page, userId, saved);
    });
  });

  test('continues by itself when the connection hangs and the browser notices nothing', async () => {
    await visitAsCustomer(async (page, _context, userId) => {
      await page.clock.install();
      line.silenceAfter(BROKEN_AT);
      await choose(page);
      await expect.poll(line.isBroken).toBe(true);
      await expect.poll(() => bytesOnServer(userId)).toBeGreaterThan(BROKEN_AT / 2);
      const saved = await bytesOnServer(userId);
      line.mend();
      // Progress stops when the browser has filled its own buffers; until then, each byte restarts its wait.
      const isLost = async (): Promise<boolean> => {
        await page.clock.fastForward(STALLED_MS);
        return page.getByText(MESSAGES.upload.lostLine).isVisible();
      };
      await expect.poll(isLost).toBe(true);
      await expectWhole(page, userId, saved);
    });
  });

  test('continues by itself when the hanging connection holds back its session’s new token', async () => {
    await visitAsCustomer(async (page, _context, userId) => {
      await page.clock.install();
      const expired = Promise.withResolvers<void>();
      await page.route('**/storage/v1/upload/resumable', async (route) => {
        await expired.promise;
        await route.continue();
      });
      const begun = page.waitForRequest('**/storage/v1/upload/resumable');
      await choose(page);
      await begun;
      const held: Route[] = [];
      await page.route('**/auth/v1/token**', (route) => void held.push(route));
      await page.evaluate(() => {
        const name = Object.keys(localStorage).find((key) => key.endsWith('-auth-token')) ?? '';
        const session = JSON.parse(localStorage.getItem(name) ?? '{}');
        localStorage.setItem(name, JSON.stringify({ ...session, expires_at: 1 }));
      });
      expired.resolve();
      // The first part waits for a token: there is no request of the upload yet that could be watched.
      await expect.poll(() => held.length).toBeGreaterThan(0);
      const isLost = async (): Promise<boolean> => {
        await page.clock.fastForward(STALLED_MS);
        return page.getByText(MESSAGES.upload.lostLine).isVisible();
      };
      await expect.poll(isLost).toBe(true);
      await page.unroute('**/auth/v1/token**');
      await Promise.all(held.map((route) => route.continue()));
      await expectWhole(page, userId, 0);
    });
  });

  test('continues in another page when the same file is chosen again, and can be ended there', async () => {
    await visitAsCustomer(async (page, context, userId) => {
      const breakAndLeave = async (on: Page): Promise<Page> => {
        line.cutAfter(BROKEN_AT);
        await choose(on);
        await on.getByText(MESSAGES.upload.lostLine).waitFor();
        await on.close();
        await bytesSaved(userId);
        line.mend();
        const next = await context.newPage();
        await next.goto('/dashboard');
        await next.getByText(/ MB of 18(\.\d)? MB arrived$/).waitFor();
        return next;
      };
      const second = await breakAndLeave(page);
      expect(await creditsOf(userId)).toBe(CREDITS - 1);
      await second.getByRole('button', { name: 'End the upload of lease.pdf' }).click();
      await second.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
      expect(await creditsOf(userId)).toBe(CREDITS);

      const third = await breakAndLeave(second);
      const saved = await bytesSaved(userId);
      await choose(third);
      await expectWhole(third, userId, saved);
    });
  });

  test('is refused like a small one when its content has another type, and costs nothing', async () => {
    await visitAsCustomer(async (page, _context, userId) => {
      const fake = path.join(folder.path, 'fake.pdf');
      writeFileSync(fake, Buffer.alloc(5 * MB, 'MZ not a PDF '));
      await page.getByLabel('Files to upload').setInputFiles(fake);
      await page.getByRole('alert').getByText(MESSAGES.upload.typeNotSupported).waitFor();
      expect(await page.getByRole('button', { name: 'Retry fake.pdf' }).count()).toBe(0);
      expect(await creditsOf(userId)).toBe(CREDITS);
    });
  });

  test('releases its credit at once when it is cancelled', async () => {
    await visitAsCustomer(async (page, _context, userId) => {
      line.silenceAfter(BROKEN_AT);
      await choose(page);
      await expect.poll(line.isBroken).toBe(true);
      expect(await creditsOf(userId)).toBe(CREDITS - 1);
      await page.getByRole('button', { name: 'Cancel lease.pdf' }).click();
      await expect.poll(() => creditsOf(userId)).toBe(CREDITS);
      await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
    });
  });
});
