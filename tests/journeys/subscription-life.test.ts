/// <reference lib="dom" />

import { readFileSync } from 'node:fs';
import { createClient } from '@supabase/supabase-js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatDate } from '../../src/kernel/contract/dates.ts';
import { CREDIT_DESCRIPTION } from '../../src/kernel/contract/limits.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import {
  currentPlanOf,
  expectAccessible,
  openBilling,
  saveCard,
  showPlans,
} from '../support/customers/billing-page.ts';
import { CARDS, settle } from '../support/customers/plan-purchase.ts';
import { becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';
import { advanceClock } from '../support/servers/payment-provider.ts';

// Waits depend on the page and not on a clock, because a busy machine takes longer.
let journey: Journey;

beforeAll(async () => {
  // The agency's own schema is served first, but the site still reads from `public`.
  if (CHROMIUM !== undefined) journey = await startJourney({ settings: { REST_SCHEMAS: 'shop,public' } });
});
afterAll(() => journey?.close());

const DAY = 86_400_000;

/** The end of the paid period, in words. */
async function periodEnd(person: Person): Promise<string> {
  const { end } = await journey.app.resources.database.one(
    `select s.current_period_end as "end" /* not null */ from public.subscriptions s
     join public.customers c using (customer_id) where c.user_id = $1`,
    [person.id],
  );
  return formatDate(end);
}

/** The positions of the tab's headings, in pixels from the top of the page. */
async function placesOf(page: Page): Promise<Record<string, number>> {
  return page.evaluate(async () => {
    await document.fonts.ready;
    const headings = [...document.querySelectorAll('main :is(h1, h2)')].filter((one) =>
      one.checkVisibility(),
    );
    return Object.fromEntries(
      headings.map((one) => [one.textContent, Math.round(one.getBoundingClientRect().top + scrollY)]),
    );
  });
}

describe.skipIf(CHROMIUM === undefined)('the life of a subscription on the Billing tab', () => {
  // Runs first, because the plan shows less once the provider's clock is ahead.
  test.each([
    ['wide', 'a plan', { width: 1440, height: 900 }],
    ['narrow', 'a plan', { width: 390, height: 844 }],
    ['wide', 'no plan', { width: 1440, height: 900 }],
    ['narrow', 'no plan', { width: 390, height: 844 }],
  ] as const)(
    'what comes later stands below what stood there at once, %s, with %s',
    async (_width, held, viewport) => {
      await journey.visit(
        async (page, context) => {
          if (held === 'a plan') await openBilling(journey, page, 'price_documents_pro');
          else await becomeUser(journey.app, context);
          const answered = Promise.withResolvers<void>();
          await page.route('**/functions/v1/billing-overview', async (route) => {
            await answered.promise;
            await route.continue();
          });
          await page.goto('/dashboard/billing');
          if (held === 'a plan') await page.getByText('All plans').click();
          await page.getByRole('heading', { name: 'Course Creation' }).waitFor();
          const before = await placesOf(page);
          answered.resolve();
          await page.getByRole('heading', { name: 'More credits', exact: true }).waitFor();
          const after = await placesOf(page);
          const moved = (name: string): number => Math.abs((after[name] ?? Infinity) - (before[name] ?? 0));
          expect(moved('Billing')).toBe(0);
          for (const line of ['Document Analysis', 'Course Creation'])
            expect(moved(line), line).toBeLessThan(5);
          const lowest = after['Course Creation'] ?? Infinity;
          for (const name of ['Billing details', 'More credits'])
            expect(after[name], name).toBeGreaterThan(lowest);
        },
        { viewport },
      );
    },
  );

  test('shows price, next payment, card, use and invoice; the invoice is downloaded', async () => {
    await journey.visit(async (page) => {
      const person = await openBilling(journey, page, 'price_documents_pro');
      const panel = currentPlanOf(page);
      const end = await periodEnd(person);
      for (const text of ['Pro Plan', '£49 a month', end, 'Visa ending in 4242', '0 of 100 documents'])
        await panel.getByText(text).first().waitFor();
      await panel.getByText('Your Pro Plan is active and renews by itself.').waitFor();
      await panel.getByText(`The allowance resets on ${end}.`).waitFor();

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^Download invoice/ }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^Invoice-.+\.pdf$/);
      expect(
        readFileSync(await download.path())
          .subarray(0, 5)
          .toString(),
      ).toBe('%PDF-');

      // Sixty in ten days: a hundred will not last for thirty days.
      expect(await panel.getByText('At this pace').count()).toBe(0);
      const client = createClient(journey.app.url, journey.app.anonKey, {
        accessToken: async () => person.token,
      });
      await client.rpc('use_credits', {
        p_user_id: person.id,
        p_amount: 60,
        p_description: CREDIT_DESCRIPTION,
      });
      await advanceClock(journey.app, 10);
      await page.reload();
      await panel.getByText('60 of 100 documents').waitFor();
      await panel.getByText('40 credits left.').waitFor();
      const pace = await panel.getByText('At this pace you run out on').textContent();
      const runsOut = Date.parse(/on (.+)\./.exec(pace ?? '')?.[1] ?? '');
      expect(Math.abs(runsOut - (Date.now() + 16.7 * DAY))).toBeLessThan(2 * DAY);
    });
  });

  test('an upgrade shows its exact cost before it is paid, and then charges exactly that', async () => {
    await journey.visit(async (page) => {
      await openBilling(journey, page, 'price_documents_basic');
      await showPlans(page);
      await page.getByRole('button', { name: 'Upgrade to Pro' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Upgrade to Pro Plan?' });
      const pay = dialog.getByRole('button', { name: /^Pay £[\d.]+ and upgrade$/ });
      const amount = /£[\d.]+/.exec((await pay.textContent()) ?? '')?.[0] ?? '';
      await dialog.getByRole('row', { name: `To pay now ${amount}` }).waitFor();
      await dialog.getByRole('row', { name: /Each month from .+ £49/ }).waitFor();

      // Escape and Keep change nothing, and the focus returns to the button.
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Upgrade to Pro');
      await page.keyboard.press('Enter');
      await pay.click();
      await page.getByText('You are on the Pro Plan now').waitFor();
      await currentPlanOf(page).getByText('£49 a month').waitFor();
      await currentPlanOf(page).getByText('of 100 documents').waitFor();
      await page.getByRole('row', { name: amount }).getByText('Paid').waitFor();
    });
  });

  test('an upgrade that the card refuses is reported in the dialog, with a link to change the card', async () => {
    await journey.visit(async (page) => {
      await openBilling(journey, page, 'price_documents_basic', CARDS.failsLater);
      await showPlans(page);
      await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByRole('button', { name: /^Pay £/ }).click();
      await dialog.getByRole('alert').getByText('Your plan is not changed.').waitFor();
      await dialog.getByRole('button', { name: 'Update card' }).click();
      await saveCard(page, CARDS.succeeds);
      await page.waitForURL(/\/dashboard\/billing$/);
      await currentPlanOf(page).getByText('Visa ending in 4242').waitFor();
      await currentPlanOf(page).getByText('Basic Plan', { exact: true }).waitFor();
    });
  });

  test.each([
    ['taken in full once it is confirmed', 'Complete'],
    ['not taken when the bank is told no, and can be tried again', 'Fail'],
  ] as const)('an upgrade that the bank asks about is %s', async (_name, answer) => {
    await journey.visit(async (page) => {
      await openBilling(journey, page, 'price_documents_basic', CARDS.alwaysAuthentication);
      await showPlans(page);
      await page.getByRole('button', { name: 'Upgrade to Pro' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Upgrade to Pro Plan?' });
      const pay = dialog.getByRole('button', { name: /^Pay £[\d.]+ and upgrade$/ });
      const amount = /£[\d.]+/.exec((await pay.textContent()) ?? '')?.[0] ?? '';
      await pay.click();
      await dialog.getByRole('alert').getByText('Your bank wants to confirm this payment').waitFor();
      await expectAccessible(page);
      // Nothing is charged and nothing changes before the bank has confirmed.
      await currentPlanOf(page).getByText('£15 a month').waitFor();
      expect(await page.getByRole('row', { name: 'Due' }).count()).toBe(0);

      await dialog.getByRole('button', { name: 'Confirm with your bank' }).click();
      await page.waitForURL(/test-provider\/portal/);
      await expectAccessible(page);
      await page.getByRole('button', { name: /^Pro Plan, £49/ }).click();
      await page.getByRole('heading', { name: 'Confirm with your bank' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: answer }).click();
      if (answer === 'Fail') {
        await page.getByRole('alert').getByText('Your plan is not changed.').waitFor();
        await page.getByRole('link', { name: /^Return to / }).click();
        await page.waitForURL(/\/dashboard\/billing$/);
        await currentPlanOf(page).getByText('£15 a month').waitFor();
        await showPlans(page);
        await page.getByRole('button', { name: 'Upgrade to Pro' }).waitFor();
        return;
      }
      await page.waitForURL(/\/dashboard\/billing$/);
      await currentPlanOf(page).getByText('£49 a month').waitFor();
      await currentPlanOf(page).getByText('of 100 documents').waitFor();
      await page.getByRole('row', { name: amount }).getByText('Paid').waitFor();
    });
  });

  test('another plan of the same line, chosen on the home page, is offered as a change with its price', async () => {
    await journey.visit(async (page) => {
      await openBilling(journey, page, 'price_documents_basic');
      await page.goto('/');
      await page.mouse.move(5, 5);
      await page.mouse.move(8, 8);
      // A plan that the user has is not offered again.
      await page.getByRole('link', { name: 'Current Plan' }).waitFor();
      expect(await page.getByRole('button', { name: 'Choose Basic', exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: 'Choose Premium', exact: true }).click();
      await page.getByRole('alertdialog', { name: 'Upgrade to Premium Plan?' }).waitFor();
      await page.getByRole('row', { name: /^To pay now £1/ }).waitFor();
      expect(new URL(page.url()).search).toBe('');
      await page.getByRole('button', { name: 'Keep Basic Plan' }).click();
      await currentPlanOf(page).getByText('£15 a month').waitFor();
    });
  });

  test('a downgrade waits for the end of the period and can be cancelled', async () => {
    await journey.visit(async (page) => {
      const person = await openBilling(journey, page, 'price_documents_pro');
      const end = await periodEnd(person);
      await showPlans(page);
      await page.getByRole('button', { name: 'Change to Basic' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Change to Basic Plan?' });
      await dialog.getByRole('row', { name: 'To pay now £0' }).waitFor();
      await dialog.getByRole('button', { name: `Change on ${end}` }).click();
      await currentPlanOf(page).getByText(`Changes to Basic Plan on ${end}`).waitFor();
      await page.getByText(`Starts on ${end}`).waitFor();
      await page.getByRole('button', { name: 'Keep Pro Plan' }).click();
      await page.getByText(`Renews on ${end}`).waitFor();
      expect(await currentPlanOf(page).getByText('Changes to').count()).toBe(0);
    });
  });

  test('a plan is cancelled with the keyboard alone, resumed, cancelled again, and then ends', async () => {
    await journey.visit(async (page) => {
      const person = await openBilling(journey, page, 'price_courses_essential');
      const end = await periodEnd(person);
      const cancel = page.getByRole('button', { name: 'Cancel plan' });
      await cancel.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('alertdialog', { name: 'Cancel Essential Plan?' });
      await dialog.getByText(end).waitFor();
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Keep plan');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await currentPlanOf(page).getByText('Ends on', { exact: true }).waitFor();
      await currentPlanOf(page).getByText(`stays active until ${end} and does not renew.`).waitFor();
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Billing');

      await page.getByRole('button', { name: 'Resume Essential Plan' }).click();
      await page.getByText('Your Essential Plan goes on').waitFor();
      await currentPlanOf(page).getByText('Next billing date').waitFor();
      await cancel.click();
      await dialog.getByRole('button', { name: 'Cancel plan' }).click();
      await currentPlanOf(page).getByText('Ends on', { exact: true }).waitFor();
      await advanceClock(journey.app, 32);
      await settle(journey.app);
      // Without a reload: the page follows the provider's state.
      await currentPlanOf(page).getByText('Inactive').waitFor();
      await currentPlanOf(page).getByText('Your Essential Plan has ended.').waitFor();
      await page.getByRole('button', { name: 'Choose Essential' }).waitFor();
    });
  });

  test('a failed renewal is reported at once, and another card settles it', async () => {
    await journey.visit(async (page) => {
      await openBilling(journey, page, 'price_documents_basic', CARDS.failsLater);
      await advanceClock(journey.app, 32);
      await settle(journey.app);
      const due = page.getByRole('alert', { name: 'Payment Due' });
      await due.getByText('£15 for your Basic Plan could not be taken from Visa ending in 0341.').waitFor();
      await currentPlanOf(page).getByText('Payment Due').waitFor();
      await page.getByRole('row', { name: '£15' }).getByText('Due').waitFor();

      await due.getByRole('button', { name: 'Update card' }).click();
      await saveCard(page, CARDS.declined);
      await page.getByRole('alert').getByText('Your old card is kept.').waitFor();
      await saveCard(page, CARDS.succeeds);
      await page.waitForURL(/\/dashboard\/billing$/);
      await currentPlanOf(page).getByText('Visa ending in 4242').waitFor();
      await currentPlanOf(page).getByText('Basic Plan', { exact: true }).waitFor();
      expect(await page.getByRole('alert', { name: 'Payment Due' }).count()).toBe(0);
    });
  });

  test.each([
    ['wide and light', { width: 1440, height: 900 }, 'light'],
    ['narrow and dark', { width: 320, height: 640 }, 'dark'],
  ] as const)('is accessible and fits, %s, with the dialogs too', async (_name, viewport, colorScheme) => {
    await journey.visit(
      async (page) => {
        await openBilling(journey, page, 'price_documents_pro');
        await expectAccessible(page);
        await page.getByText('You have the Pro Plan. £49 a month. Next payment: £49 on').waitFor();
        // The cards of the other plans are folded until somebody asks for them.
        expect(await page.getByRole('heading', { name: 'Premium Plan' }).count()).toBe(0);
        await showPlans(page);
        await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
        await page.getByRole('row', { name: 'To pay now' }).waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Keep Pro Plan' }).click();
        await page.getByRole('button', { name: 'Cancel plan' }).click();
        await expectAccessible(page);
      },
      { viewport, colorScheme },
    );
  });

  test('reports when billing cannot be loaded, and loads it on another attempt', async () => {
    claims('Nothing has changed about your plan.');
    await journey.visit(async (page, context) => {
      await page.route('**/functions/v1/billing-overview', (route) => route.abort());
      await becomeUser(journey.app, context);
      await page.goto('/dashboard/billing');
      await page.getByRole('alert').getByText('Billing could not be loaded').waitFor();
      // Nothing is sold while the user's plans are unknown.
      expect(await page.getByRole('button', { name: /^Choose / }).count()).toBe(0);
      await page.unroute('**/functions/v1/billing-overview');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No Active Plan').waitFor();
      await page.getByRole('button', { name: 'Choose Basic' }).waitFor();
    });
  });
});
