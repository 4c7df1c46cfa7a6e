/// <reference lib="dom" />

import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { buyPlan, settle } from '../support/customers/plan-purchase.ts';
import { becomeOperator, becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** A customer with a plan, who once wrote an enquiry with a telephone number. */
async function newCustomer(context: BrowserContext): Promise<Person> {
  const priya = await becomeUser(journey.app, context);
  await buyPlan(journey.app, priya.token, 'price_documents_pro', priya.email);
  await settle(journey.app);
  await journey.app.resources.database.run(
    `insert into public.enquiries (id, name, email, phone, enquiry_type, additional_notes, address_hash, text_hash)
     values ('ENQ-1-' || substr(md5($1), 1, 6), 'Priya Shah', $1, '020 7946 0018', 'App Builder', 'Two offices, one switchboard.', 'a', 't')`,
    [priya.email],
  );
  return priya;
}

/** Light and dark, wide and narrow: the picture for inspection, no overflow, no finding of axe. */
async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      if (PICTURES === undefined && (colorScheme === 'dark') === width > 1000) continue;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      const look = `${name}-${width}-${colorScheme}`;
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${look}.png`, fullPage: true });
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        look,
      ).toBeLessThanOrEqual(0);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${look} ${id}: ${nodes[0]?.target}`)).toEqual([]);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe.skipIf(CHROMIUM === undefined)('a customer at the console', () => {
  test('a call is answered by the customer’s page: found by number, given credits, refunded', async () => {
    claims('Arrow keys choose, Enter opens, Escape closes.');
    await journey.visit(async (theirs, context) => {
      const priya = await newCustomer(context);
      await journey.visit(async (page, operatorContext) => {
        await becomeOperator(journey.app, operatorContext);
        await page.goto('/operator');
        await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
        await page.keyboard.press('/');
        const field = page.getByRole('combobox', { name: 'Search everything' });
        await field.fill('+44 20 7946 0018');
        const hit = page.getByRole('group', { name: 'Customers' }).getByRole('option').first();
        await hit.waitFor();
        expect(await hit.getAttribute('aria-selected')).toBe('true');
        await page.getByRole('group', { name: 'Enquiries' }).waitFor();
        await inspect(page, 'search');
        await field.press('ArrowDown');
        await field.press('ArrowUp');
        await field.press('Enter');
        await page.waitForURL(`**/operator/customers/${priya.id}`);
        await page.getByRole('heading', { name: 'Priya Shah', level: 1 }).waitFor();
        await page.getByRole('link', { name: '020 7946 0018' }).waitFor();
        await page.getByRole('link', { name: /App Builder/ }).waitFor();
        await inspect(page, 'customer');

        await page.getByRole('button', { name: 'Give credits' }).click();
        await page.getByLabel('Why').first().fill('Sorry for the wait');
        await page.getByRole('button', { name: 'Give 5 credits' }).click();
        await page.getByText('5 credits given.').waitFor();
        await page.getByRole('row', { name: /Sorry for the wait \+5 105/ }).waitFor();

        await page.getByRole('button', { name: /^Refund invoice/ }).click();
        await page.getByLabel('Amount in pounds').fill('10');
        await page.getByLabel('Why').first().fill('A bad scan');
        await page.getByRole('button', { name: 'Refund £10' }).click();
        await page.getByText(/^£10(\.00)? refunded\.$/).waitFor();
        await page.getByText(/^£10(\.00)? refunded$/).waitFor();
      });
      await theirs.goto('/dashboard/billing');
      await theirs.getByRole('row', { name: /Sorry for the wait \+5/ }).waitFor();
      await theirs.getByRole('row', { name: /Payment given back/ }).waitFor();
    });
  });

  test('a customer lets the agency see the portal, reads what was looked at, and ends it', async () => {
    claims(
      'You can change nothing here.',
      'To see the portal as this customer does, ask the customer to open Account and to press “Allow for an hour” at Support access.',
    );
    await journey.visit(async (theirs, context) => {
      const priya = await newCustomer(context);
      await theirs.goto('/dashboard/account#support-access');
      const panel = theirs.getByRole('region', { name: 'Support access' });
      await panel.getByRole('button', { name: 'Allow for an hour' }).click();
      await panel.getByText(/^We can see your portal until/).waitFor();
      await theirs.goto('/dashboard');
      await theirs.getByText(/^You let us see your portal until/).waitFor();
      await inspect(theirs, 'support-banner');
      await journey.visit(async (page, operatorContext) => {
        await becomeOperator(journey.app, operatorContext);
        await page.goto(`/operator/customers/${priya.id}`);
        await page.getByRole('link', { name: 'See the portal' }).click();
        await page.getByText('No file is stored.').waitFor();
        await page.getByText(/You can change nothing here\./).waitFor();
        await page.getByLabel('Billing').check();
        await page.getByText('Pro Plan').first().waitFor();
        await inspect(page, 'portal');
        await theirs.goto('/dashboard/account#support-access');
        await panel.getByText('Billing', { exact: true }).first().waitFor();
        await inspect(theirs, 'support-panel');
        await panel.getByRole('button', { name: 'End it now' }).click();
        await panel.getByRole('button', { name: 'Allow for an hour' }).waitFor();
        await page.getByLabel('Messages', { exact: true }).check();
        await page.getByRole('heading', { name: 'You cannot see this portal now' }).waitFor();
      });
    });
  });

  test('a name of 180 letters takes three lines of the screen at most, and all of it can be read', async () => {
    const name = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(5).trim();
    await journey.visit(async (_theirs, context) => {
      const { id } = await becomeUser(journey.app, context);
      await journey.app.resources.database.run(
        `update auth.users set raw_user_meta_data = raw_user_meta_data || jsonb_build_object('full_name', $2::text) where id = $1`,
        [id, name],
      );
      await journey.visit(async (page, operatorContext) => {
        await becomeOperator(journey.app, operatorContext);
        for (const address of ['customers', 'messages']) {
          await page.goto(`/operator/${address}/${id}`);
          const heading = page.getByRole('heading', { name, exact: true });
          await heading.waitFor();
          expect(await heading.getAttribute('title')).toBe(name);
          const lines = await heading.evaluate(
            (shown) => shown.clientHeight / Number.parseFloat(getComputedStyle(shown).lineHeight),
          );
          expect(lines).toBeLessThan(3.3);
          await inspect(page, `long-name-${address}`);
        }
      });
    });
  });

  test('each record has its address, and the keyboard alone moves, opens and finds', async () => {
    await journey.visit(async (page, operatorContext) => {
      await becomeOperator(journey.app, operatorContext);
      const { database } = journey.app.resources;
      await database.run('delete from public.enquiries');
      for (const n of [1, 2, 3])
        await database.run(
          `insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash, due_at)
           values ($1, $2, 'v@example.com', 'App Builder', 'a', 't', now() + make_interval(hours => $3))`,
          [`ENQ-${n}-key`, `Visitor ${n}`, n],
        );
      await page.goto('/operator/enquiries');
      await page.getByRole('button', { name: /Visitor 3/ }).waitFor();
      for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
      await page.waitForURL('**/operator/enquiries/ENQ-2-key');
      await page.getByRole('article', { name: 'Visitor 2' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('article', { name: 'Visitor 3' }).waitFor();
      await page.goBack();
      await page.getByRole('article', { name: 'Visitor 2' }).waitFor();
      // It leaves the list of those that wait; the keys go on from its place.
      await page.getByRole('button', { name: 'Mark as answered' }).click();
      await page.getByRole('button', { name: /Visitor 2/ }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Not answered after all' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('article', { name: 'Visitor 3' }).waitFor();
      // An answered one is in another list, and its address works all the same.
      await database.run("update public.enquiries set replied_at = now() where id = 'ENQ-1-key'");
      await page.goto('/operator/enquiries/ENQ-1-key');
      await page.getByRole('article', { name: 'Visitor 1' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next in the list').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search everything' }).fill('heal');
      await page.getByRole('option', { name: 'Health' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL('**/operator/health');
      const nav = page.getByRole('navigation', { name: 'Operator' });
      await nav.getByRole('link', { name: 'Enquiries 1 waiting' }).waitFor();
    });
  });
});
