import { formatMoney } from '@northline/vat/money';
/// <reference lib="dom" />

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { Catalogue, type Plan } from '../../src/kernel/contract/plans.ts';
import { readMail } from '../support/auth/mail-read.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { CARDS } from '../support/customers/plan-purchase.ts';
import { becomeUser, type Journey, payByCard, signUp, somebody, startJourney } from '../support/journey.ts';

const { documents, courses, sold } = new Catalogue();

// Waits depend on the page and not on a clock, because a busy machine takes longer.
let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

const shortName = (plan: Plan): string => plan.name.replace(/ Plan$/, '');

/** Presses the plan's button and waits for the payment page. */
async function choose(page: Page, plan: Plan): Promise<void> {
  await page.getByRole('button', { name: `Choose ${shortName(plan)}`, exact: true }).click();
  await page.waitForURL(/test-provider/);
  await page.getByRole('heading', { name: plan.name }).waitFor();
  await page.getByText(formatMoney(plan.pricePence, plan.currency)).first().waitFor();
}

/** The Billing tab says that the user has the plan, and the credits have arrived. */
async function expectPlan(page: Page, plan: Plan): Promise<void> {
  await page.goto('/dashboard/billing');
  const current = page.getByRole('region', { name: 'Current Plan' });
  await current.getByText(plan.name, { exact: true }).first().waitFor();
  await page.getByText('All plans').click();
  const choice = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: plan.name }) });
  await choice.getByText('Current Plan').waitFor();
}

const creditsOf = async (userId: string): Promise<number | undefined> =>
  (
    await journey.app.resources.database.maybe('select credits from public.customers where user_id = $1', [
      userId,
    ])
  )?.credits;

describe.skipIf(CHROMIUM === undefined)('each plan, bought in Chromium', () => {
  test.each(sold.map((plan) => [plan.name, plan] as const))(
    '%s, bought before signing up, is in the account that is made afterwards',
    async (_name, plan) => {
      await journey.visit(async (page) => {
        const person = somebody();
        await page.goto('/');
        await choose(page, plan);
        await payByCard(page, CARDS.succeeds, person.email);
        await page.waitForURL(/\/success\?session_id=/);
        await page.getByRole('link', { name: 'Create Free Account' }).click();
        await page.getByRole('heading', { name: 'Create Your Account' }).waitFor();
        // Filled in from the payment.
        await expect.poll(() => page.getByLabel('Email').inputValue()).toBe(person.email);
        await signUp(page, person);
        await page.waitForURL(/\/dashboard$/);
        await expectPlan(page, plan);
      });
    },
  );

  test('a purchase whose browser was closed before sign-up is in the account created there later', async () => {
    const plan = documents[0] as Plan;
    const person = somebody();
    const profile = await journey.visit(async (page, context) => {
      await page.goto('/');
      await choose(page, plan);
      await payByCard(page, CARDS.succeeds, person.email);
      await page.waitForURL(/\/success\?session_id=/);
      // Closed here: the address with the session is lost.
      return context.storageState();
    });
    await journey.visit(
      async (page) => {
        await page.goto('/signup');
        await expect.poll(() => page.getByLabel('Email').inputValue()).toBe(person.email);
        await signUp(page, person);
        await page.waitForURL(/\/dashboard$/);
        await page.getByRole('heading', { name: plan.name }).waitFor();
      },
      { storageState: profile },
    );
  });

  test('a purchase is claimed on another device by the link mailed to its payer, once', async () => {
    claims(
      'Thank you, your payment was received.',
      'Create an account, or sign in, with this link on any device, and your purchase is in it.',
      'The link works once.',
      'Anyone who has it can take the purchase, so please keep it to yourself.',
      'If you have an account already and see your plan there, there is nothing to do.',
    );
    const plan = documents[1] as Plan;
    const payer = somebody();
    await journey.visit(async (page) => {
      await page.goto('/');
      await choose(page, plan);
      await payByCard(page, CARDS.succeeds, payer.email);
      await page.waitForURL(/\/success\?session_id=/);
    });
    const mail = await readMail(journey.app.url, payer.email, /Your purchase is ready/);
    const link = /https?:\/\/\S+\/signup\?\S+/.exec(mail.text)?.[0] ?? '';
    await journey.visit(async (page) => {
      await page.goto(link);
      await page.getByText('Your payment was received.').waitFor();
      // The secret does not stay in the address bar.
      expect(page.url()).not.toContain('claim');
      await signUp(page, somebody());
      await page.waitForURL(/\/dashboard$/);
      await expectPlan(page, plan);
    });
    await journey.visit(async (page) => {
      await page.goto(link);
      await signUp(page, somebody());
      await page.getByRole('heading', { name: MESSAGES.linkCustomer.failed }).waitFor();
      await page.getByRole('link', { name: 'Go to the dashboard' }).click();
      await page.getByText('No files uploaded').waitFor();
    });
  });

  test.each(documents.map((plan, index) => [plan.name, plan, courses[index] as Plan] as const))(
    '%s and a course plan beside it, bought with an account, show and fill the balance',
    async (_name, documents, courses) => {
      await journey.visit(async (page, context) => {
        const person = await becomeUser(journey.app, context);
        await page.goto('/');
        await choose(page, documents);
        await payByCard(page, CARDS.succeeds, person.email);
        await page.getByRole('heading', { name: 'Payment Successful!' }).waitFor();
        await page.waitForURL(/\/dashboard$/);
        await expectPlan(page, documents);
        await choose(page, courses);
        await payByCard(page, CARDS.succeeds, person.email);
        // After three seconds the page goes there by itself, and the link is gone.
        await page
          .getByRole('link', { name: 'Go to the dashboard now' })
          .click({ timeout: 5000 })
          .catch(() => {});
        await page.waitForURL(/\/dashboard$/);
        await expectPlan(page, courses);
        await expect
          .poll(() => creditsOf(person.id))
          .toBe(documents.limits.creditsPerMonth + courses.limits.creditsPerMonth);
      });
    },
  );

  test('a declined card is reported and another may pay; a bank that asks may refuse, then agree', async () => {
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      const [basic] = documents as readonly [Plan];
      await page.goto('/');
      await choose(page, basic);
      await payByCard(page, CARDS.declined, person.email);
      await page.getByRole('alert').getByText('Your card was declined. Please try another card.').waitFor();
      await payByCard(page, CARDS.authentication, person.email);
      await page.getByRole('heading', { name: 'Confirm with your bank' }).waitFor();
      await page.getByRole('button', { name: 'Fail' }).click();
      await page.getByRole('alert').getByText('The payment was not confirmed with your bank.').waitFor();
      expect(await creditsOf(person.id)).toBe(0);
      await payByCard(page, CARDS.authentication, person.email);
      await page.getByRole('button', { name: 'Complete' }).click();
      await page.getByRole('heading', { name: 'Payment Successful!' }).waitFor();
      await expectPlan(page, basic);
    });
  });

  test.each(['light', 'dark'] as const)(
    'the card page has the logo of the site, drawn in its colours, when it is %s',
    async (colorScheme) => {
      await journey.visit(
        async (page) => {
          const logo = page.locator('.mark .mark-picture').first();
          const look = async () => {
            const { width, height } = (await logo.boundingBox()) ?? { width: 0, height: 0 };
            const colours = await logo.evaluate((picture) => {
              const of = (name: string) => getComputedStyle(picture.querySelector(name) ?? picture);
              const [line, station] = [of('path'), of('circle')];
              const isStationSeen = station.stroke !== station.fill && station.stroke !== 'none';
              return { line: [line.fill, line.stroke, line.strokeWidth], isStationSeen };
            });
            return { drawing: await logo.innerHTML(), width, height, ...colours };
          };
          await page.goto('/');
          await logo.waitFor();
          const onSite = await look();
          expect(onSite).toMatchObject({ width: 32, height: 32, isStationSeen: true });
          await choose(page, documents[0] as Plan);
          expect(await look()).toEqual(onSite);
          expect(await page.locator('.mark').textContent()).toBe(journey.app.resources.settings.BRAND);
        },
        { colorScheme, viewport: { width: 1440, height: 900 } },
      );
    },
  );

  test('cancelling on the card page says that nothing was charged', async () => {
    await journey.visit(async (page) => {
      await page.goto('/');
      await choose(page, courses[0] as Plan);
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.waitForURL(/\/cancel$/);
      await page.getByRole('heading', { name: 'Payment Cancelled' }).waitFor();
      await page.getByText('Your payment was cancelled. No charges were made.').waitFor();
      await page.getByRole('link', { name: 'Return to the home page' }).click();
      await page.waitForURL((url) => url.pathname === '/');
    });
  });

  test('a failed checkout is reported in a toast, which disappears when the page is left', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await page.goto('/dashboard/billing');
      const button = page.getByRole('button', { name: 'Choose Basic', exact: true });
      await page.route('**/functions/v1/checkout', (route) => route.fulfill({ status: 502, json: {} }));
      await button.click();
      await page.getByText(MESSAGES.checkout.failed).waitFor();
      await page.getByRole('link', { name: 'Files' }).click();
      await page.getByRole('heading', { name: 'Files', exact: true }).waitFor();
      expect(await page.getByText(MESSAGES.checkout.failed).count()).toBe(0);
    });
  });
});
