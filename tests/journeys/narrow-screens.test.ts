/// <reference lib="dom" />
import { createClient } from '@supabase/supabase-js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDocuments } from '../../packages/document-reader/src/samples/make-documents.fixture.ts';
import { mailboxAddress } from '../../src/business/mailbox/mailbox-access.server.ts';
import { analysisPath } from '../../src/kernel/contract/routes.ts';
import { CHROMIUM } from '../support/browser.ts';
import { analyze, settled, upload } from '../support/customers/analysis-customer.ts';
import { signUpPerson } from '../support/customers/auth-client.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { buyPlan, callFunction, settle, startCheckout } from '../support/customers/plan-purchase.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

// Waits depend on the page and not on a clock, because a busy machine takes longer.
let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** The width in WCAG 1.4.10, which is also 1280 pixels at 400 %. */
const NARROW = { viewport: { width: 320, height: 640 } } as const;
const LONG = 'Grundstuecksverkehrsgenehmigungszustaendigkeitsuebertragungsverordnung_final_v3.pdf';

/** Checks that the page is accessible, no wider than the window, and has no cut-off control. */
async function expectFits(page: Page): Promise<void> {
  await expectAccessible(page);
  const cut = await page.locator(':is(button, a, input, select, summary):visible').evaluateAll((controls) =>
    controls
      .filter((control) => control.closest('.hidden-text, .skip, .trap') === null)
      .filter((control) => {
        const { left, right } = control.getBoundingClientRect();
        return left < 0 || right > innerWidth || control.scrollWidth > control.clientWidth + 1;
      })
      .filter(
        (control) => !(control instanceof HTMLInputElement) && getComputedStyle(control).display !== 'inline',
      )
      .map((control) => `${control.tagName} ${control.textContent}`),
  );
  expect(cut).toEqual([]);
  const lists = await page
    .locator('.rows:visible')
    .evaluateAll((found) => found.filter((list) => list.scrollWidth > list.clientWidth).length);
  expect(lists).toBe(0);
}

describe.skipIf(CHROMIUM === undefined)('on a screen of 320 pixels', () => {
  test('files with long names and their reports fit', async () => {
    await journey.visit(async (page, context) => {
      const { id, token } = await becomeUser(journey.app, context);
      await journey.app.resources.database.run(
        `insert into public.customers (user_id, credits) values ($1, 9)
         on conflict (user_id) do update set credits = 9`,
        [id],
      );
      const client = createClient(journey.app.url, journey.app.anonKey, { accessToken: async () => token });
      const customer = { id, token, client };
      const lease = makeDocuments()['tenancy-agreement.pdf'];
      await upload(customer, LONG, lease);
      const read = await upload(customer, `report-of-${LONG}`, lease);
      const locked = await upload(customer, 'tenancy-agreement-locked.pdf');
      for (const file of [read, locked]) {
        await analyze(journey.app, token, file);
        await settled(journey.app, file);
      }
      await page.goto('/dashboard');
      await page.getByRole('button', { name: /^Analyze Grund/ }).waitFor();
      await expectFits(page);
      await page.getByRole('button', { name: /^Delete Grund/ }).click();
      await expectFits(page);
      await page.keyboard.press('Escape');
      // Icons grow with the text.
      const icon = page.locator('.file .lucide').first();
      const widthAt = (size: string) =>
        icon.evaluate((svg, text) => {
          document.documentElement.style.fontSize = text;
          return svg.getBoundingClientRect().width;
        }, size);
      const [usual, large] = [await widthAt('100%'), await widthAt('200%')];
      expect(large).toBe(usual * 2);
      await widthAt('');

      await page.goto(analysisPath(read));
      await page.getByRole('heading', { name: 'Key facts' }).waitFor();
      await expectFits(page);
      // An amount is never split over two lines.
      const rent = page.getByRole('row', { name: /^Rent/ }).getByText('£1,125.00');
      expect(await rent.evaluate((cell) => cell.getClientRects().length)).toBe(1);
      expect((await rent.boundingBox())?.height).toBeLessThan(40);
    }, NARROW);
  });

  test('every section of the account fits', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await page.goto('/dashboard/account');
      const sections = page.getByRole('navigation', { name: 'Sections of your account' });
      await sections.waitFor();
      for (const section of await sections.getByRole('link').all()) {
        await section.click();
        await expectFits(page);
      }
    }, NARROW);
  });

  test('the payment page and the portal fit', async () => {
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      const { body } = await startCheckout(journey.app, person.token, 'price_documents_pro');
      await page.goto(body.url ?? '');
      await page.getByRole('button', { name: 'Subscribe' }).click();
      await page.getByText('Please check the fields marked below.').waitFor();
      await expectFits(page);

      await buyPlan(journey.app, person.token, 'price_documents_basic', person.email);
      await settle(journey.app);
      const portal = await callFunction(journey.app, 'billing-portal', person.token, {
        return_url: `${journey.app.url}/dashboard`,
      });
      await page.goto(portal.body.url ?? '');
      for (const part of ['Change the card', 'Change the plan']) await page.getByText(part).click();
      await page.getByRole('heading', { name: 'Invoices' }).waitFor();
      expect(await page.getByText('£15, Paid').isVisible()).toBe(true);
      await expectFits(page);
    }, NARROW);
  });

  test.each([
    ['an enquiry', '/enquire', '**/functions/v1/enquiry', 'Send enquiry'],
    ['a sign-up', '/signup', '**/auth/v1/signup*', 'Create Account'],
  ])(
    'why %s was not taken is in view, wherever the form was scrolled to',
    async (_what, path, call, send) => {
      await journey.visit(async (page) => {
        await page.route(call, (route) => route.abort());
        await page.goto(path);
        await page.getByLabel('Full Name').fill('Priya Shah');
        await page.getByLabel('Email').first().fill('priya@customers.example');
        if (path === '/enquire') await page.getByLabel('Service of Interest').selectOption('App Builder');
        else {
          await page.getByLabel('Password', { exact: true }).fill('harbour lantern 2741');
          await page.getByLabel('Confirm Password').fill('harbour lantern 2741');
        }
        const top = path === '/enquire' ? page.getByLabel('Full Name') : page.getByLabel('Confirm Password');
        await top.scrollIntoViewIfNeeded();
        await page.getByRole('button', { name: send }).click();
        const reason = page.locator('.form-error[role="alert"]');
        await reason.waitFor();
        await expect
          .poll(async () => {
            const foot = await page.locator('.form-foot').boundingBox();
            const box = await reason.boundingBox();
            return box !== null && box.y >= 0 && box.y + box.height <= (foot?.y ?? 0) + 1;
          })
          .toBe(true);
      }, NARROW);
    },
  );

  test('the mailbox fits', async () => {
    await signUpPerson(journey.app);
    await journey.visit(async (page) => {
      await page.goto(mailboxAddress(journey.app.resources) ?? '');
      await page.getByRole('heading', { name: 'Mailbox' }).waitFor();
      await page.getByText('As HTML').first().click();
      // The frame runs no scripts, so axe would wait for it for ever.
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    }, NARROW);
  });
});
