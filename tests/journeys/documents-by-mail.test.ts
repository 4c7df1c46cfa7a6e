/// <reference lib="dom" />

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDocuments } from '../../packages/document-reader/src/samples/make-documents.fixture.ts';
import { asJpeg, drawPage } from '../../packages/document-reader/src/samples/make-scans.fixture.ts';
import { mailInSecret, signatureOf } from '../../src/business/inbox/inbox-context.server.ts';
import { PAGES } from '../../src/kernel/contract/routes.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { AUTH_HOST, writeMail } from '../support/customers/mailed-documents.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  const settings = { MAIL_IN_ADDRESS: 'documents@agency.example', MAIL_IN_AUTH_HOST: AUTH_HOST };
  journey = await startJourney({ settings });
});
afterAll(() => journey?.close());

async function post(raw: string): Promise<void> {
  const body = Buffer.from(raw);
  const signed = { id: randomUUID(), timestamp: String(Math.floor(Date.now() / 1000)) };
  const reply = await fetch(`${journey.app.url}/webhooks/mail-in`, {
    method: 'POST',
    headers: {
      'content-type': 'message/rfc822',
      'webhook-id': signed.id,
      'webhook-timestamp': signed.timestamp,
      'webhook-signature': signatureOf(mailInSecret(journey.app.resources), body, signed),
    },
    body: new Uint8Array(body),
  });
  expect(reply.status).toBe(200);
}

/** Pictures of the panel, if PICTURES names a folder. */
async function lookAt(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const width of [1440, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page
        .locator('.inbox, #take-away, .shared-scan')
        .first()
        .screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
}

describe.skipIf(CHROMIUM === undefined)('documents by mail', () => {
  test('a forwarded mail with two attachments arrives as two documents; the scan among them can be searched', async () => {
    claims(
      'Send or forward a mail to your address: each attachment becomes a document, takes a credit and is analysed.',
      'A mail without an attachment becomes a document itself.',
      'The sender gets an answer that says what was taken.',
      'If others know your address, get a new one: the old one then takes nothing.',
      'Only mails from these addresses are taken, and only if our mail server confirms that they really come from there.',
      'A link is on its way to ….',
      'Open it while you are signed in here.',
      'Not taken: ….',
    );
    await journey.visit(async (page, context) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const { id, email } = await becomeUser(journey.app, context);
      const { database } = journey.app.resources;
      await database.run('update auth.users set email_proven_at = now() where id = $1', [id]);
      await database.run(
        'insert into public.customers (user_id, credits) values ($1, 0) on conflict (user_id) do nothing',
        [id],
      );
      await database.run(
        "select private.correct_credits((select id from public.customers where user_id = $1), 9, 'for a test')",
        [id],
      );
      await page.goto('/dashboard');
      const panel = page.getByRole('region', { name: 'Documents by mail' });
      await panel.getByRole('button', { name: 'Get your address' }).press('Enter');
      const address = (await panel.locator('code').textContent()) ?? '';
      await panel.getByRole('button', { name: 'Copy the address' }).press('Enter');
      await panel.getByText('Copied.').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
      await panel.getByText('No mail has come yet.').waitFor();
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));
      });
      await panel.getByRole('button', { name: 'Copy the address' }).click();
      await page
        .getByText('The address could not be copied. Select it and copy it yourself.')
        .first()
        .waitFor();

      const scan = drawPage('en', 'letter', 5);
      await post(
        writeMail({
          from: email,
          to: address,
          subject: 'Fwd: the post of today',
          parts: [
            {
              name: 'tenancy.pdf',
              type: 'application/pdf',
              content: makeDocuments()['tenancy-agreement.pdf'] ?? '',
            },
            { name: 'letter.jpg', type: 'image/jpeg', content: asJpeg(scan.canvas) },
            { name: 'setup.exe', type: 'application/octet-stream', content: 'MZ' },
          ],
        }),
      );
      await post(writeMail({ from: 'stranger@evil.example', to: address, subject: 'You have won' }));
      for (const name of ['tenancy.pdf', 'letter.jpg'])
        await page.getByRole('link', { name: `View Analysis of ${name}` }).waitFor();
      await page.reload();
      await panel.getByText('Fwd: the post of today').waitFor();
      await panel.getByText('was not taken: files of this type cannot be read.').waitFor();
      await panel.getByText('Not taken: the sender is not in your list.').waitFor();

      const office = `${randomUUID().slice(0, 8)}@office.example`;
      await panel.getByLabel('Another address').fill(office);
      await panel.getByRole('button', { name: 'Add', exact: true }).press('Enter');
      await panel.getByText(`A link is on its way to ${office}.`).waitFor();
      await panel.getByText('not proven yet: nothing is taken from it').waitFor();
      await expectAccessible(page);
      await lookAt(page, 'inbox');
      const mail = (await journey.app.resources.mailer.kept(20)).find(({ to }) => to === office);
      const link = /https?:\S+#mail-sender=\S+/.exec(mail?.text ?? '')?.[0] ?? '';
      await page.goto('/dashboard/account');
      await page.goto(link);
      await page.getByText('Documents from this address are taken now').first().waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await panel.getByText(office).waitFor();
      expect(await panel.getByText('not proven yet').count()).toBe(0);
      await panel.getByRole('button', { name: `Remove ${office}` }).click();
      await expect.poll(() => panel.getByText(office).count()).toBe(0);

      await page.getByRole('link', { name: 'View Analysis of letter.jpg' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'The scan as a searchable PDF' }).press('Enter'),
      ]);
      expect(download.suggestedFilename()).toBe('letter searchable.pdf');
      const bytes = new Uint8Array(readFileSync(await download.path()));
      const pdf = await getDocument({ data: bytes, verbosity: 0 }).promise;
      const { items } = await (await pdf.getPage(1)).getTextContent();
      const text = items.map((item) => ('str' in item ? item.str : '')).join(' ');
      const found = scan.words.filter((word) => text.includes(word));
      expect(found.length / scan.words.length).toBeGreaterThan(0.9);
      await lookAt(page, 'take-away');

      // The scan goes with a link if its owner chooses it, and stands beside the picture in an archive.
      await page.getByRole('checkbox', { name: 'With the scan as a searchable PDF' }).check();
      await page.getByRole('button', { name: 'Make a link' }).click();
      const sharedAt = await page.getByLabel('The link').inputValue();
      await page.getByText(', with the scan').waitFor();
      await page.goto(sharedAt);
      const [shared] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save the scan as a searchable PDF' }).click(),
      ]);
      expect(shared.suggestedFilename()).toBe('letter searchable.pdf');
      await lookAt(page, 'shared-scan');
      await page.goto(PAGES.dashboard.path);
      await page.getByLabel('Choose letter.jpg').check();
      const [zip] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as zip' }).click(),
      ]);
      const archive = unzipSync(readFileSync(await zip.path()));
      expect(Object.keys(archive).sort()).toEqual(['letter searchable.pdf', 'letter.jpg']);
      const inArchive = await getDocument({
        data: archive['letter searchable.pdf'] ?? new Uint8Array(),
        verbosity: 0,
      }).promise;
      expect((await (await inArchive.getPage(1)).getTextContent()).items.length).toBeGreaterThan(5);
    });
  });
});
