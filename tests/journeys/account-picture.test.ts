/// <reference lib="dom" />

import { crc32, deflateSync } from 'node:zlib';
import { imageSize } from 'image-size';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AVATAR_REFUSALS } from '../../src/business/avatars/avatars.contract.ts';
import { readMail } from '../support/auth/mail-read.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { newClient } from '../support/customers/auth-client.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { callFunction } from '../support/customers/plan-purchase.ts';
import { becomeOperator, becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** A PNG of 600 × 400 pixels with a blue square in the middle and red sides. */
function wideBluePicture(): Buffer {
  const [width, height] = [600, 400];
  const row = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: width }, (_pixel, x) =>
      Buffer.from(x < 100 || x >= 500 ? [200, 20, 20] : [20, 20, 200]),
    ),
  ]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Expects a picture of 256 pixels to be shown completely. */
const expectPicture = (place: Locator): Promise<void> =>
  expect
    .poll(() => place.locator('.avatar img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(256);

const choose = (page: Page, name: string, mimeType: string, buffer: Buffer): Promise<void> =>
  page.getByLabel('Picture to show').setInputFiles({ name, mimeType, buffer });

async function storedPicture({ id }: Pick<Person, 'id'>): Promise<Buffer> {
  const { data } = await newClient(journey.app).storage.from('account-pictures').download(`${id}/picture`);
  expect(data, 'nobody sees it without an account').toBeNull();
  const { resources } = journey.app;
  const { version } = await resources.database.one(
    "select version /* not null */ from storage.objects where bucket_id = 'account-pictures' and owner = $1",
    [id],
  );
  const bytes = await resources.objects.read(version);
  return Buffer.concat(await (bytes?.toArray() ?? []));
}

describe.skipIf(CHROMIUM === undefined)('the picture and the language of an account', () => {
  test('a picture is chosen, cropped and shown in the bar, in messages, to the team and at the console, and removed', async () => {
    const priya = await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await page.goto('/dashboard/account');
      const panel = page.getByRole('region', { name: 'Your picture' });
      await panel.getByText('Seen by you, your team and Northline.').waitFor();
      await panel.getByText('A JPEG, PNG or WebP file; its middle is cut out as a square.').waitFor();
      const bar = page.getByRole('link', { name: 'Account' });
      expect(await bar.locator('.avatar').getAttribute('data-initials')).toBe('PS');
      await choose(page, 'page.svg', 'image/svg+xml', Buffer.from('<svg/>'));
      await panel.getByText(AVATAR_REFUSALS.type).waitFor();
      await choose(page, 'broken.png', 'image/png', Buffer.from('not a picture'));
      await panel.getByText(AVATAR_REFUSALS.broken).waitFor();
      await choose(page, 'wide.png', 'image/png', wideBluePicture());
      await panel.getByText('Your picture is saved.').waitFor();
      await expectPicture(panel);
      await expectPicture(bar);
      await expectAccessible(page);
      // The page made a small JPEG of the middle, whatever was chosen.
      const stored = await storedPicture(person);
      expect(imageSize(stored)).toMatchObject({ width: 256, height: 256, type: 'jpg' });
      const corner = await page.evaluate(
        async (address) => {
          const image = new Image();
          image.src = address;
          await image.decode();
          const drawing = document.createElement('canvas').getContext('2d');
          drawing?.drawImage(image, 0, 0);
          return [...(drawing?.getImageData(2, 2, 1, 1).data ?? [])];
        },
        `data:image/jpeg;base64,${stored.toString('base64')}`,
      );
      expect(corner[2]).toBeGreaterThan(150);
      expect(corner[0]).toBeLessThan(80);

      await page.goto('/dashboard/messages');
      await page.getByLabel(/^Message to /).fill('Hello there.');
      await page.getByRole('button', { name: 'Send' }).click();
      await expectPicture(page.getByRole('log', { name: 'Thread' }).getByRole('listitem'));
      return person;
    });
    const { app } = journey;
    await journey.visit(async (page, context) => {
      const guest = await becomeUser(app, context);
      await callFunction(app, 'create-team', priya.token, { name: 'Harbour House' });
      await callFunction(app, 'invite-member', priya.token, { email: guest.email, role: 'member' });
      const { text } = await readMail(app.url, guest.email, /invited to the team/);
      const token = /#invitation=([\w-]+)/.exec(text)?.[1];
      expect((await callFunction(app, 'accept-invitation', guest.token, { token })).status).toBe(200);
      await page.goto('/dashboard/account#team');
      const members = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
      await expectPicture(members.filter({ hasText: priya.email }));
      expect(
        await members.filter({ hasText: guest.email }).locator('.avatar').getAttribute('data-initials'),
      ).toBe('PS');
    });
    await journey.visit(async (page, context) => {
      await becomeOperator(app, context);
      await page.goto('/operator/customers');
      await page.getByText(priya.email).first().click();
      await expectPicture(page.getByRole('article', { name: 'Customer' }));
      await page.goto(`/operator/messages/${priya.id}`);
      await expectPicture(page.getByRole('log', { name: 'Thread' }).getByRole('listitem'));
    });
    await journey.visit(async (page) => {
      await page.goto('/login');
      await page.getByLabel('Email').fill(priya.email);
      await page.getByLabel('Password', { exact: true }).fill(priya.password);
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await page.waitForURL(/\/dashboard$/);
      await page.getByRole('link', { name: 'Account' }).click();
      await page.getByRole('button', { name: 'Remove the picture' }).click();
      await page.getByText('Your picture is removed.').waitFor();
      const bar = page.getByRole('link', { name: 'Account' });
      await expect.poll(() => bar.locator('.avatar').getAttribute('data-initials')).toBe('PS');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Choose a picture');
    });
  });

  test('the language of mails is chosen, takes effect at once, and is still chosen after a reload', async () => {
    claims('The Account tab has your picture, and the language of mails to you.');
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await page.goto('/dashboard/account');
      const panel = page.getByRole('region', { name: 'Language of mails and messages' });
      await panel.getByText('For mails, text messages and notices that come from this site.').waitFor();
      await panel.getByText('What people write to you stays as they wrote it.').waitFor();
      expect(await panel.getByLabel('Automatic').isChecked()).toBe(true);
      await panel.getByLabel('Deutsch').check();
      const chosen = async (): Promise<unknown> => {
        const { data } = await journey.app.resources.database.one(
          'select raw_user_meta_data as data from auth.users where id = $1',
          [person.id],
        );
        return (data as { locale?: unknown }).locale;
      };
      await expect.poll(chosen).toBe('de');
      await newClient(journey.app).auth.resetPasswordForEmail(person.email);
      await readMail(journey.app.url, person.email, /Neues Passwort/);
      await page.reload();
      await expect.poll(() => panel.getByLabel('Deutsch').isChecked()).toBe(true);
      await panel.getByLabel('English').check();
      await expect.poll(chosen).toBe('en');
      await panel.getByLabel('Automatic').check();
      await expect.poll(chosen).not.toBe('en');
      await expectAccessible(page);
    });
  });
});
