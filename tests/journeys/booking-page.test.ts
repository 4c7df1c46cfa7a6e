/// <reference lib="dom" />
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, PAGE_PATIENCE_MS, sharedBrowser } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;
/** A site at another origin, which shows the booking page in a frame. */
const partner = createServer((_request, response) => {
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(
      `<!doctype html><html lang="en"><title>Partner</title><h1>Partner</h1><iframe src="${journey.app.url}/book-embedded" title="Book a call" width="1000" height="900"></iframe><iframe src="${journey.app.url}/book" title="Refused"></iframe>`,
    );
});
let origin = '';

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  await new Promise<void>((resolve) => partner.listen(0, '127.0.0.1', resolve));
  origin = `http://localhost:${(partner.address() as AddressInfo).port}`;
  journey = await startJourney({
    settings: { VOICE_HOURS: 'mon-sun 9:00-17:00', BOOKING_EMBED_ORIGINS: origin },
  });
});
afterAll(async () => {
  await journey?.close();
  partner.close();
});
beforeEach(async () => {
  if (CHROMIUM === undefined) return;
  const { database } = journey.app.resources;
  await database.run('delete from northline_app.bookings');
  await database.run('delete from private.booking_requests');
  await database.run('delete from private.booking_holds');
});

const newAddress = (): string => `ann-${crypto.randomUUID()}@customers.example`;

async function fillIn(page: Pick<Page, 'getByLabel' | 'getByRole'>, email: string): Promise<void> {
  await page.getByLabel('Name').fill('Ann Wood');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Telephone').fill('07700 900123');
  await page.getByRole('button', { name: 'Send me the link' }).click();
}

/** The link of the mail that proves an address. */
async function proofLink(email: string): Promise<string> {
  const find = async () => {
    const mail = (await journey.app.resources.mailer.kept(50)).find(({ to }) => to === email);
    return /https?:\/\/\S+\/booking\/confirm\?r=[\w-]+/.exec(mail?.text ?? '')?.[0];
  };
  await expect.poll(find).toBeTruthy();
  return (await find()) ?? '';
}

const SIZES = [
  { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

describe.skipIf(CHROMIUM === undefined)('the booking page', () => {
  for (const size of SIZES)
    test(`${size.viewport.width} pixels, ${size.colorScheme}: a visitor books, moves and cancels a call`, async () => {
      await journey.visit(
        async (page) => {
          await page.goto('/book');
          await page.getByRole('heading', { name: 'Book a call' }).waitFor();
          await expectAccessible(page);
          await page.locator('.slot').first().click();
          await page.getByRole('heading', { name: 'Your details' }).waitFor();
          await page.getByRole('button', { name: 'Send me the link' }).click();
          await page.getByText('Please correct the marked fields.').waitFor();
          await expectAccessible(page);
          const email = newAddress();
          await fillIn(page, email);
          await page.getByRole('heading', { name: 'Look in your mail' }).waitFor();
          await expectAccessible(page);
          await page.goto(await proofLink(email));
          await expectAccessible(page);
          await page.getByRole('button', { name: 'Book the call' }).click();
          await page.getByRole('heading', { name: 'Your call is booked' }).waitFor();
          await expectAccessible(page);
          await page.locator('button.slot').nth(1).click();
          await page.getByRole('heading', { name: 'Your call is moved' }).waitFor();
          await page.getByText('Cancel it', { exact: true }).click();
          await page.getByRole('button', { name: 'Cancel the call' }).click();
          await page.getByRole('heading', { name: 'Your call is cancelled' }).waitFor();
          await expectAccessible(page);
        },
        { ...size, timezoneId: 'Europe/London' },
      );
    });

  test('the keyboard alone chooses a day and a time; times are in the visitor’s own zone', async () => {
    await journey.visit(
      async (page) => {
        await page.goto('/book');
        await page.waitForURL(/zone=America/);
        await page.getByText('Times in America/New York').waitFor();
        await page.locator('td a').first().focus();
        const day = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
        const first = await day();
        await page.keyboard.press('ArrowRight');
        if ((await page.locator('td a').count()) > 1) expect(await day()).not.toBe(first);
        await page.keyboard.press('Enter');
        await page.waitForURL(/day=/);
        await page.locator('.slot').first().focus();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Your details' }).waitFor();
        await page.getByText(/GMT-[45]|E[SD]T/).waitFor();
      },
      { timezoneId: 'America/New_York' },
    );
  });

  test('a visitor whose clock agrees with the agency’s reads the times in their own zone without another page', async () => {
    await journey.visit(
      async (page) => {
        await page.goto('/book');
        await page.getByText('Times in Europe/Lisbon').waitFor();
        expect(page.url()).not.toContain('zone=');
        await page.locator('.slot').first().click();
        await page.getByRole('heading', { name: 'Your details' }).waitFor();
        expect(new URL(page.url()).searchParams.get('zone')).toBe('Europe/Lisbon');
      },
      { timezoneId: 'Europe/Lisbon' },
    );
  });

  test('of two visitors who choose one time, the second reads so and books the next', async () => {
    await journey.visit(async (one) => {
      await journey.visit(async (other) => {
        for (const page of [one, other]) {
          await page.goto('/book?zone=Europe/London');
          await page.locator('.slot').first().click();
          await page.getByRole('heading', { name: 'Your details' }).waitFor();
        }
        await fillIn(one, newAddress());
        await one.getByRole('heading', { name: 'Look in your mail' }).waitFor();
        await fillIn(other, newAddress());
        await other.getByText('is no longer free.').waitFor();
        await expectAccessible(other);
        await other.locator('.notice .slot').first().click();
        await fillIn(other, newAddress());
        await other.getByRole('heading', { name: 'Look in your mail' }).waitFor();
      });
    });
  });

  test('another site shows it in a frame and the visitor books there; the page itself is refused in a frame', async () => {
    const refused: string[] = [];
    // A profile of its own, as the browser reports the frame that it refuses, which is no fault here.
    const context = await (await sharedBrowser()).newContext({ baseURL: journey.app.url });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(PAGE_PATIENCE_MS);
    const page = await context.newPage();
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(origin);
    const frame = page.frameLocator('iframe[title="Book a call"]');
    await frame.locator('.slot').first().click();
    const email = newAddress();
    await fillIn(frame, email);
    await frame.getByRole('heading', { name: 'Look in your mail' }).waitFor();
    await page.goto(await proofLink(email));
    await page.getByRole('button', { name: 'Book the call' }).click();
    await page.getByRole('heading', { name: 'Your call is booked' }).waitFor();
    expect(refused.join('\n')).toContain("frame-ancestors 'none'");
  });

  test('a signed-in customer finds her name in the form and her call among her messages', async () => {
    await journey.visit(async (page, context) => {
      const { email } = await becomeUser(journey.app, context);
      await journey.app.resources.database.run(
        'update auth.users set email_proven_at = now() where email = $1',
        [email],
      );
      await page.goto('/book?zone=Europe/London');
      await page.locator('.slot').first().click();
      expect(await page.getByLabel('Email').inputValue()).toBe(email);
      expect(await page.getByLabel('Name').inputValue()).toBe('Priya Shah');
      await page.getByLabel('Telephone').fill('07700 900123');
      await page.getByRole('button', { name: 'Send me the link' }).click();
      await page.getByRole('heading', { name: 'Look in your mail' }).waitFor();
      await page.goto(await proofLink(email));
      await page.getByRole('button', { name: 'Book the call' }).click();
      await page.getByRole('heading', { name: 'Your call is booked' }).waitFor();
      await page.goto('/dashboard/messages');
      await page.getByRole('heading', { name: 'Your calls with us' }).waitFor();
      await page.getByRole('link', { name: 'Move or cancel it' }).waitFor();
      await expectAccessible(page);
    });
  });
});
