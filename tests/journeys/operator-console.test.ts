/// <reference lib="dom" />

import { readFileSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ageLastCode, codeOf } from '../support/auth/authenticator.ts';
import { CHROMIUM, closeContexts, sharedBrowser } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { newApiKey } from '../support/customers/api-keys.ts';
import { signInAtConsole } from '../support/customers/console-browser.ts';
import { newAccount, newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Where to store pictures of the console for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const SCRIPT = '<img src=x onerror="document.title=`taken over`">';
const SIZES = [
  [1440, 900],
  [320, 640],
] as const;
const ROOMS = [
  '/operator',
  '/operator/enquiries',
  '/operator/events',
  '/operator/mail',
  '/operator/customers',
  '/operator/bookings',
  '/operator/courses',
  '/operator/messages',
  '/operator/news',
  '/operator/health',
  '/operator/site',
  '/operator/colleagues',
  '/operator/keys',
];

let app: TestApp;
let browser: Browser;
let operator: TestAccount;

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  app = await startTestApp({
    settings: {
      AUTOMATION_URLS: 'crm=https://127.0.0.1:9/hook#enquiry.created',
      CONTACT_EMAIL: 'agency@example.com',
    },
  });
  operator = await newOperator(app);
  await fillConsole();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeContexts();
  await app?.close();
});

async function fillConsole(): Promise<void> {
  const { database, mailer } = app.resources;
  const enquiries: [
    id: string,
    name: string,
    about: string,
    hours: number,
    reasons: string[],
    notes: string,
  ][] = [
    ['ENQ-1-late', 'Tom Okafor', 'Automated Phone System', 26, [], 'We miss every third call after six.'],
    ['ENQ-2-soon', 'Priya Shah', 'Business Tier', 21.5, [], 'Two offices.\nOne switchboard.'],
    ['ENQ-3-new', SCRIPT, 'Document Intelligence', 1, [], SCRIPT],
    ['COURSE-4-new', 'Owen Hill', 'Course Launcher', 5, ['no proof of work'], ''],
    ['ENQ-5-spam', 'Best Offers', 'App Builder', 3, ['many links', 'same text again'], 'Buy now'],
  ];
  for (const [id, name, about, hours, reasons, notes] of enquiries) {
    await database.run(
      `insert into public.enquiries (id, name, email, phone, company_name, website, enquiry_type, additional_notes,
         suspect_reasons, address_hash, text_hash, created_at, due_at)
       values ($1, $2, 'visitor@example.com', '+44 20 7946 0000', 'Shah & Sons', 'https://shah.example/', $3, $4, $5, 'a', 't',
         now() - make_interval(mins => $6), now() - make_interval(mins => $6) + interval '24 hours')`,
      [id, name, about, notes, reasons, Math.round(hours * 60)],
    );
  }
  await mailer.send(database, {
    ...{
      to: 'priya@example.com',
      purpose: 'optional',
      subject: 'We received your enquiry',
      text: 'Hello',
      html: '<p>Hello</p>',
    },
  });
  await database.run(
    `insert into private.mail_suppressions (address, reason, source, detail)
     values ('gone@example.com', 'bounce', 'smtp', '550 5.1.1 No such user here')`,
  );
  const customer = await newAccount(app, 'priya');
  await newApiKey(customer, ['documents:read']);
  const { data } = await customer.client.auth.getUser();
  const { id } = await database.one(
    `insert into public.customers (user_id, credits) values ($1, 24)
     on conflict (user_id) do update set credits = 24 returning id`,
    [data.user?.id],
  );
  await database.run(
    `insert into public.credit_transactions (user_id, customer_row, amount, kind, description, state, created_at) values
     ($1, $2, 25, 'grant', 'Basic, November', 'settled', now() - interval '2 days'),
     ($1, $2, -1, 'spend', 'Document Analysis', 'settled', now() - interval '1 day')`,
    [data.user?.id, id],
  );
  await database.run(
    "insert into northline_app.bookings (starts_at, minutes, name, phone) values (now() + interval '2 days', 20, 'Ms Lindqvist', '+44 20 7946 0018')",
  );
  await database.run(
    "insert into northline_app.messages (user_id, from_agency, body) values ($1, false, 'Is the draft ready?')",
    [data.user?.id],
  );
  await database.run(
    `with object as (
       insert into storage.objects (bucket_id, name, version) values ('course-videos', 'x/1.mp4', 'x') returning id),
     course as (
       insert into northline_app.courses (user_id, title, position) values ($1, 'Contracts', 1) returning id)
     insert into northline_app.course_lessons
       (user_id, object_id, course_id, file_path, file_name, file_size, mime_type, duration_seconds, title, position)
     select $1, object.id, course.id, 'x/1.mp4', 'one.mp4', 5000000, 'video/mp4', 754, 'How to read a contract', 1
       from object, course`,
    [data.user?.id],
  );
}

const atConsole = (account: TestAccount, options: BrowserContextOptions = {}, path = '/operator/enquiries') =>
  signInAtConsole({ url: app.url, browser }, account, options, path);

const picture = async (page: Page, name: string): Promise<void> => {
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
};

describe.skipIf(CHROMIUM === undefined)('the operator console', () => {
  test('is for operators: other people are refused, and a visitor signs in first', async () => {
    claims(
      "Your account is signed in, but it is not an operator's.",
      'Ask an owner of the console to invite you.',
    );
    const { page, close } = await atConsole(await newAccount(app));
    await page.getByRole('heading', { name: "This console is the agency's own" }).waitFor();
    expect(await page.getByText('Tom Okafor').count()).toBe(0);
    await page.goto(`${app.url}/dashboard`);
    await page.getByRole('link', { name: 'Billing' }).waitFor();
    expect(await page.getByRole('link', { name: 'Console' }).count()).toBe(0);
    await close();
  });

  test('shows what is due first, reads it, answers it and adds notes; visitors’ words are text', async () => {
    const { page, complaints, close } = await atConsole(operator);
    await page.getByRole('heading', { name: 'Enquiries' }).waitFor();
    const board = page.locator('.departures button');
    await board.first().waitFor();
    expect(await board.locator('.departure-who > b').allTextContents()).toEqual([
      ...['Tom Okafor', 'Priya Shah', 'Owen Hill', SCRIPT],
    ]);
    expect(await board.first().textContent()).toContain('late');
    expect(await page.title()).not.toBe('taken over');

    await board.nth(1).focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('article', { name: 'Priya Shah' });
    await panel.getByText('Two offices.').waitFor();
    expect(await panel.evaluate((element) => element === document.activeElement)).toBe(true);
    await panel.getByLabel('Note for colleagues').fill('Rang her, sends drawings');
    await panel.getByRole('button', { name: 'Save note' }).click();
    await page.getByText('The note is kept.').waitFor();
    await panel.getByLabel('Answer to visitor@example.com').fill('Gladly.\n\nOn Tuesday?');
    await panel.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('The answer is on its way.').waitFor();
    await expect.poll(() => board.count()).toBe(3);

    await page.getByLabel('Show').selectOption('suspect');
    await page.getByRole('button', { name: /Best Offers/ }).click();
    await page.getByRole('button', { name: 'Not advertising' }).click();
    await page.getByText('Nothing is marked as advertising.').waitFor();
    await page.getByLabel('Show').selectOption('answered');
    await page.getByRole('button', { name: /Priya Shah/ }).click();
    await page.getByText(`By ${operator.email}`).waitFor();
    expect(await page.getByLabel('Note for colleagues').inputValue()).toBe('Rang her, sends drawings');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toContain('Rang her, sends drawings');

    await page.getByLabel('Show').selectOption('mine');
    await page.getByText('You have answered all of yours.').waitFor();
    await page.getByLabel('Show').selectOption('open');
    await page.getByRole('button', { name: /Tom Okafor/ }).click();
    await page.getByLabel('Assigned to').selectOption(operator.email);
    await page.getByText(`${operator.email} has it now.`).waitFor();
    await page.getByLabel('Show').selectOption('mine');
    await page.getByRole('button', { name: /Tom Okafor.* · operator-/ }).click();
    await page.getByLabel('Assigned to').selectOption('Nobody yet');
    await page.getByText('Nobody has it now.').waitFor();
    await page.getByText('You have answered all of yours.').waitFor();
    // To the dashboard and back.
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    await page.getByRole('link', { name: 'Console', exact: true }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await page.getByRole('link', { name: /^4 enquiries wait for a reply, 1 past 24 hours$/ }).click();
    await page.getByRole('heading', { name: 'Enquiries' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('pauses an automation, lifts a suppression, explains a balance', async () => {
    const { page, complaints, close } = await atConsole(operator, {}, '/operator/events');
    await page.getByRole('button', { name: 'Pause' }).first().click();
    await page.getByText('is paused: its events wait.').waitFor();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).first().click();
    await page.getByText('A test event is on its way.').waitFor();
    await page.getByRole('link', { name: 'Mail', exact: true }).click();
    await page.getByRole('button', { name: 'Allow mails to gone@example.com' }).click();
    await page.getByText('The address gets mails again.').waitFor();
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('button', { name: /priya-/ }).click();
    await page.getByRole('row', { name: /Document Analysis −1 24/ }).waitFor();
    await page.getByText('Give a plan without payment').click();
    await page.getByLabel('Plan', { exact: true }).selectOption('Premium Plan');
    await page.getByLabel('Why').fill('A trial');
    await page.getByRole('button', { name: 'Give this plan' }).click();
    await page.getByText(`by ${operator.email}: A trial`).waitFor();
    await page.getByRole('button', { name: 'End it' }).click();
    await page.getByText('The paid plan counts again.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('stays on the page of a list that was opened', async () => {
    await app.resources.database.run(
      `insert into northline_app.bookings (starts_at, minutes, name, phone)
       select now() + make_interval(days => n), 30, 'Caller ' || n, '02079460018' from generate_series(1, 60) n`,
    );
    const { page, close } = await atConsole(operator);
    await page.clock.install();
    await page.goto(`${app.url}/operator/bookings`);
    await page.getByRole('button', { name: 'Further on' }).waitFor();
    await page.getByRole('button', { name: 'Further on' }).click();
    await page.getByText('Caller 60', { exact: true }).waitFor();
    // The search field's delay ends now; it used to send the reader back.
    await page.clock.runFor(2000);
    expect(await page.getByText('Caller 60', { exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Earlier in the list' }).isEnabled()).toBe(true);
    await close();
  });

  test('asks an operator with an authenticator for its code, before anything of the console is shown', async () => {
    const guarded = await newOperator(app);
    const { mfa } = guarded.client.auth;
    const { data } = await mfa.enroll({ factorType: 'totp', friendlyName: 'Phone', issuer: 'Northline' });
    if (data === null) throw new Error('not enrolled');
    const { secret } = data.totp;
    await mfa.challengeAndVerify({ factorId: data.id, code: codeOf(secret) });
    await ageLastCode(app);

    const { page, complaints, close } = await atConsole(guarded, { viewport: { width: 320, height: 640 } });
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    const field = page.getByLabel('Code of your authenticator');
    expect(await page.getByText('Tom Okafor').count()).toBe(0);
    await picture(page, 'operator-factor-320');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );

    // A code of another time is refused with a message beside the field, and can be typed again at once.
    const wrong = codeOf(secret, 40);
    await field.fill(wrong);
    await page.keyboard.press('Enter');
    await page.locator('.field-error').getByText('That code is not right').waitFor();
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
    await picture(page, 'operator-factor-wrong-320');

    await field.fill(codeOf(secret));
    await page.keyboard.press('Enter');
    // A factor without recovery codes could lock the operator out: they are kept first.
    await page.getByRole('heading', { name: 'Last step: keep your recovery codes' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('heading', { name: 'Enquiries' }).waitFor();
    await page.locator('.departures button').first().waitFor();
    expect(await page.getByText('signs in with a password only').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('what is written on the site stays when the page is left or loaded again, with a dot at the tab', async () => {
    const { page, complaints, close } = await atConsole(await newOperator(app), {});
    await page.goto(`${app.url}/operator/site`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Kestrel');
    await page.getByText('Your draft is kept since').waitFor();
    await page.getByRole('link', { name: /Content.*unpublished draft/ }).waitFor();
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    await page.getByRole('link', { name: /^Content/ }).click();
    await expect.poll(() => name.inputValue()).toBe('Kestrel');
    // Left at once after the last letter.
    await name.fill('Kestrel Law');
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    await page.getByRole('link', { name: /^Content/ }).click();
    await expect.poll(() => name.inputValue()).toBe('Kestrel Law');
    await page.reload();
    await expect.poll(() => name.inputValue()).toBe('Kestrel Law');
    expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await expect.poll(() => name.inputValue()).toBe(app.resources.settings.BRAND);
    await expect.poll(() => page.getByRole('link', { name: /unpublished draft/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('every room is accessible and fits, light and dark, wide and narrow', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [width, height] of SIZES) {
        // Every second check is left to the run that makes pictures, because each takes ten seconds.
        if (PICTURES === undefined && (colorScheme === 'dark') === width > 1000) continue;
        const { page, complaints, close } = await atConsole(operator, {
          colorScheme,
          viewport: { width, height },
        });
        for (const room of ROOMS) {
          await page.goto(app.url + room);
          await page.getByRole('heading', { level: 1 }).and(page.locator(':not(.hidden-text)')).waitFor();
          await page.locator('.departures button, .rows button, .row, .site-parts button').first().waitFor();
          const rows = page.locator('.departures button, .people button');
          if ((await rows.count()) > 0) await rows.first().click();
          await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
          const look = `${room.replaceAll('/', '-').slice(1)}-${width}${colorScheme === 'dark' ? '-dark' : ''}`;
          await picture(page, look);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(over, look).toBeLessThanOrEqual(0);
          const { violations } = await new AxeBuilder({ page }).analyze();
          expect(violations.map(({ id, nodes }) => `${look} ${id}: ${nodes[0]?.target}`)).toEqual([]);
        }
        expect(complaints).toEqual([]);
        await close();
      }
    }
  });
});

describe.skipIf(CHROMIUM === undefined)('the site of another agency', () => {
  test('is made at the console without code: previewed, refused where it cannot be read, published, shown', async () => {
    const { page, complaints, close } = await atConsole(operator, {}, '/operator/site');
    await page.getByLabel('Name', { exact: true }).fill('Harbour');
    await page.getByLabel('Ink').fill('#9aa7b5');
    await page.getByText(/Words on the paper have a contrast of/).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('This cannot be published yet').waitFor();
    await page.getByRole('button', { name: 'Reset colours' }).click();
    await page.getByRole('button', { name: 'Home page' }).click();
    await page.getByRole('button', { name: 'Remove News and statistics' }).click();
    await page.getByRole('button', { name: 'Move Phone system up' }).click();
    await page.getByRole('button', { name: 'Plans and prices' }).click();
    await page
      .getByRole('group', { name: 'Document plan: Pro Plan' })
      .getByLabel('Pounds a month')
      .fill('99');
    await page.getByRole('button', { name: 'Make a preview' }).click();
    const address = await page.getByRole('link', { name: 'home page' }).getAttribute('href');
    expect(await (await fetch(app.url + address)).text()).toContain('Welcome to Harbour');
    const service = await page.getByRole('link', { name: 'Chat Bot Services' }).getAttribute('href');
    expect(await (await fetch(app.url + service)).text()).toContain('Answers in your words');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('This is what visitors see.').waitFor();

    await page.goto(app.url);
    await page.getByRole('heading', { name: 'Welcome to Harbour' }).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('html[data-ready]').waitFor();
    expect(await page.locator('#documents .price').allTextContents()).toContain('£99 a month');
    expect(await page.locator('#news').count()).toBe(0);
    expect(await page.locator('#phone ~ #documents').count()).toBe(1);
    await picture(page, 'another-agency');

    claims(
      'Prices are made anew in ….',
      'Look at each: … becomes ….',
      'Credit packs are sold in … at once: look at their prices in the settings.',
    );
    await page.goto(`${app.url}/operator/site`);
    await page.getByRole('button', { name: 'Plans and prices' }).click();
    const currency = page.getByLabel('Currency of all prices');
    await currency.selectOption('JPY');
    await page.getByText('Look at each: £49 becomes ¥49.').waitFor();
    await currency.selectOption('EUR');
    await page.getByText('People who have a plan go on paying for it in pounds').waitFor();
    await page.getByText('Look at each: £49 becomes €49.').waitFor();
    const pro = page.getByRole('group', { name: 'Document plan: Pro Plan' });
    expect(await pro.getByLabel('Euros a month').inputValue()).toBe('99');
    await picture(page, 'another-currency');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('This is what visitors see.').waitFor();
    await page.goto(app.url);
    await page.locator('#documents .price', { hasText: '€99' }).waitFor();
    await page.goto(`${app.url}/operator`);
    await page.locator('.home-figure', { hasText: '€0' }).waitFor();
    await picture(page, 'home-in-euros');
    expect(complaints).toEqual([]);
    await close();
  });
});

describe.skipIf(CHROMIUM === undefined)('the enquiry form', () => {
  test('proves its work while the visitor types, so a person is never marked for it', async () => {
    const page = await browser.newPage();
    await page.goto(`${app.url}/enquire`);
    await page.getByLabel('Full Name').fill('Ada Byron');
    await page.getByLabel('Email Address').fill('ada@gmail.com');
    await page.getByLabel('Service of Interest').selectOption('App Builder');
    await page.getByRole('button', { name: 'Send enquiry' }).click();
    await page.getByRole('heading', { name: 'Thank You!' }).waitFor();
    const row = await app.resources.database.one(
      "select suspect_reasons, proof_hash from public.enquiries where name = 'Ada Byron'",
    );
    expect(row.proof_hash).not.toBeNull();
    expect(row.suspect_reasons).not.toContain('no proof of work');
    await page.close();
  });
});
