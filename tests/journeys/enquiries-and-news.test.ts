/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENQUIRY_SERVICES } from '../../src/kernel/contract/enquiries.ts';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

// Waits depend on the page and not on a clock, because a busy machine takes longer.
let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

const EMAIL_WRONG = 'Enter an email address like name@example.com';
const WEBSITE_WRONG = 'Enter a web address like example.com';
/** What is typed into a field, and the message beside it; undefined for a valid entry. */
const COMMON_ENTRIES: [label: string, value: string, message: string | undefined][] = [
  ['Full Name', '   ', 'Enter your full name'],
  ['Full Name', 'Ada Byron', undefined],
  ['Email Address', '   ', 'Enter your email address'],
  ['Email Address', 'ada', EMAIL_WRONG],
  ['Email Address', 'ada@byron', EMAIL_WRONG],
  ['Email Address', 'ada byron@mail.example', EMAIL_WRONG],
  ['Email Address', 'ada@byron.example', undefined],
  ['Website', 'not a site', WEBSITE_WRONG],
  ['Website', 'javascript:alert(1)', WEBSITE_WRONG],
  ['Website', 'ftp://byron.example', WEBSITE_WRONG],
  ['Website', 'byron.example/loom', undefined],
];

/** Sends the form after each entry; the message is beside the field, which has the focus. */
async function enterEach(page: Page, send: string, entries: typeof COMMON_ENTRIES): Promise<void> {
  for (const [label, value, message] of entries) {
    const field = page.getByLabel(label);
    await field.fill(value);
    await page.getByRole('button', { name: send }).click();
    const told = await field.evaluate((element) => {
      const id = element.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '';
      const wrong = element.getAttribute('aria-invalid') === 'true';
      return wrong ? (document.getElementById(id)?.textContent ?? '') : undefined;
    });
    expect(told, `${label}: ${value}`).toBe(message);
  }
}

describe.skipIf(CHROMIUM === undefined)('enquiries and news, as a visitor meets them', () => {
  test('an enquiry: every rule and message, then thanks with a reference and an account to follow it in', async () => {
    await journey.visit(async (page) => {
      await page.goto('/');
      await page.getByRole('link', { name: 'Get Started Today' }).first().click();
      await page.getByRole('dialog', { name: "Let's discuss your project" }).waitFor();
      const service = page.getByLabel('Service of Interest');
      expect(await service.locator('option:enabled').allTextContents()).toEqual([...ENQUIRY_SERVICES]);
      for (const optional of ['Phone Number', 'Company Name', 'Website', 'Additional Notes']) {
        await page.getByText(`${optional} (optional)`).waitFor();
      }
      await page.getByRole('button', { name: 'Send enquiry' }).click();
      const summary = page.getByRole('alert').filter({ hasText: '3 fields need another look:' });
      expect(await summary.getByRole('button').allTextContents()).toEqual([
        'Enter your full name',
        'Enter your email address',
        'Choose the service that you are interested in',
      ]);
      await enterEach(page, 'Send enquiry', COMMON_ENTRIES);
      await page.getByLabel('Phone Number').fill('020 7946 0000');
      await page.getByLabel('Company Name').fill('Loom & Sons');
      await page.getByLabel('Additional Notes').fill('Two desks,\none telephone.');
      await service.selectOption('Automated Outreach');
      await page.getByRole('button', { name: 'Send enquiry' }).click();
      await page.getByRole('dialog', { name: 'Thank You!' }).waitFor();
      await page.getByText('We reply within 24 hours.').waitFor();
      const id = (await page.locator('output').textContent()) ?? '';
      expect(id).toMatch(/^ENQ-\d+/);
      expect(
        await page
          .getByRole('link', { name: 'Create Free Account' })
          .and(page.locator('.signal'))
          .isVisible(),
      ).toBe(true);
      await page.getByRole('button', { name: 'Maybe later' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const kept = await journey.app.resources.database.one('select * from public.enquiries where id = $1', [
        id,
      ]);
      expect(kept).toMatchObject({
        name: 'Ada Byron',
        email: 'ada@byron.example',
        phone: '020 7946 0000',
        company_name: 'Loom & Sons',
        website: 'https://byron.example/loom',
        enquiry_type: 'Automated Outreach',
        additional_notes: 'Two desks,\none telephone.',
      });
    });
  });

  test('Business Tier opens the enterprise inquiry, from the home page and from Billing', async () => {
    await journey.visit(async (page, context) => {
      await page.goto('/');
      await page.getByRole('link', { name: 'Ask for a quote' }).click();
      await page.getByRole('dialog', { name: 'Enterprise Solution Inquiry' }).waitFor();
      expect(await page.getByLabel('Service of Interest').inputValue()).toBe('Business Tier');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await becomeUser(journey.app, context);
      await page.goto('/dashboard/billing');
      await page.getByRole('link', { name: 'Ask about Business Tier' }).click();
      await page.getByRole('dialog', { name: 'Enterprise Solution Inquiry' }).waitFor();
      expect(await page.getByLabel('Service of Interest').inputValue()).toBe('Business Tier');
      await page.getByLabel('Full Name').fill('Ada Byron');
      await page.getByLabel('Email Address').fill('ada@byron.example');
      await page.getByRole('button', { name: 'Send enquiry' }).click();
      await page.getByRole('dialog', { name: 'Thank You!' }).waitFor();
      // A person with an account is not asked to create one.
      expect(await page.getByRole('link', { name: 'Create Free Account' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Go to your dashboard' }).click();
      await page.waitForURL(/\/dashboard$/);
    });
  });

  test('a course inquiry: every rule and message; it stays open while it is sent, and the entries survive a failure', async () => {
    await journey.visit(async (page) => {
      await page.goto('/');
      await page.getByRole('link', { name: 'Enquire Now' }).click();
      await page.getByRole('button', { name: 'Send inquiry' }).click();
      await page.getByText('3 fields need another look:').waitFor();
      await enterEach(page, 'Send inquiry', [
        ...COMMON_ENTRIES,
        ['Course Description', '  ', 'Describe the course in a sentence or two'],
      ]);

      let fail = (): void => {};
      const asked = new Promise<void>((resolve) => {
        void page.route('**/functions/v1/course-inquiry', (route) => {
          resolve();
          fail = () => void route.abort();
        });
      });
      await page.getByLabel('Course Description').fill('Bread for beginners.');
      await page.getByRole('button', { name: 'Send inquiry' }).click();
      await asked;
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      expect(await page.getByRole('button', { name: 'Close' }).getAttribute('aria-disabled')).toBe('true');
      fail();
      await page.getByRole('alert').getByText(MESSAGES.enquiry.courseFailed).waitFor();
      expect(await page.getByLabel('Course Description').inputValue()).toBe('Bread for beginners.');

      await page.unroute('**/functions/v1/course-inquiry');
      await page.getByRole('button', { name: 'Send inquiry' }).click();
      await page.getByRole('dialog', { name: 'Course Inquiry Received!' }).waitFor();
      expect(await page.locator('output').textContent()).toMatch(/^COURSE-\d+/);
    });
  });

  test('news that the server cannot deliver are reported, and Try again loads them', async () => {
    const { database } = journey.app.resources;
    await database.run('delete from public.news_posts');
    await journey.visit(async (page) => {
      await page.goto('/');
      await page.getByRole('heading', { name: 'Latest in AI news' }).scrollIntoViewIfNeeded();
      await page.getByRole('heading', { name: 'Unable to load news' }).waitFor();
      await page.getByText('Unable to load news updates. Please try again later.').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Unable to load news' }).waitFor();
      await database.run(
        `insert into public.news_posts (title, content, url, published_at)
         values ('The line is open', 'Trains run again.', '/', now())`,
      );
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('link', { name: 'The line is open' }).waitFor();
      await page.getByText('Trains run again.').waitFor();
      await page.getByRole('heading', { name: 'Unable to load news' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'The line is open' }).click();
      await page.getByRole('heading', { level: 1, name: 'The line is open' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'See all news' }).click();
      await page.getByRole('link', { name: 'The line is open' }).waitFor();
      await expectAccessible(page);
    });
  });
});
