/// <reference lib="dom" />

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

const PHONE = { viewport: { width: 390, height: 844 } } as const;
const NARROW = { viewport: { width: 320, height: 640 } } as const;

describe.skipIf(CHROMIUM === undefined)('the frame of the public site', () => {
  test('on a phone the sections are in a menu, which closes after a choice; the bar stays', async () => {
    await journey.visit(async (page) => {
      await page.goto('/');
      expect(await page.getByRole('link', { name: 'Phone', exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: 'Menu' }).click();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Phone', exact: true }).click();
      await expect.poll(() => page.locator('#site-menu').isVisible()).toBe(false);
      expect(new URL(page.url()).hash).toBe('#phone');
      const bar = await page.locator('.site-top').boundingBox();
      expect(bar?.y).toBe(0);
      // The target heading is not hidden below the bar.
      const heading = await page.locator('#phone h2').first().boundingBox();
      expect(heading?.y).toBeGreaterThanOrEqual(bar?.height ?? 0);
    }, PHONE);
  });

  test('the menu works before any script of the application is loaded', async () => {
    await journey.visit(
      async (page) => {
        await page.goto('/');
        await page.getByRole('button', { name: 'Menu' }).click();
        await page.getByRole('link', { name: 'Sign In', exact: true }).click();
        await page.waitForURL(/\/login$/);
      },
      { ...PHONE, javaScriptEnabled: false },
    );
  });

  test.each(['/', '/privacy', '/terms', '/cancel'])(
    'at 320 pixels %s fits a signed-in user, and signs them out from the menu',
    async (path) => {
      await journey.visit(async (page, context) => {
        await becomeUser(journey.app, context);
        await page.goto(path);
        await page.getByRole('link', { name: 'Dashboard' }).first().waitFor();
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
        if (path !== '/') return;
        await page.getByRole('button', { name: 'Menu' }).click();
        await page.getByRole('button', { name: 'Sign Out' }).click();
        await page.getByRole('link', { name: 'Sign Up' }).first().waitFor();
      }, NARROW);
    },
  );

  test('a page that stays open comes to rest: none of its animations runs for ever', async () => {
    await journey.visit(
      async (page) => {
        for (const path of ['/', '/login']) {
          await page.goto(path);
          const endless = await page.evaluate(() =>
            document
              .getAnimations()
              .filter(
                (animation) => animation.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
              )
              .map((animation) => (animation as CSSAnimation).animationName),
          );
          expect(endless, path).toEqual([]);
        }
      },
      { reducedMotion: 'no-preference' },
    );
  });

  test('Back and Escape close the enquiry without leaving the page, and the entries are kept', async () => {
    await journey.visit(async (page) => {
      await page.goto('/');
      const dialog = page.getByRole('dialog', { name: "Let's discuss your project" });
      const open = () => page.getByRole('link', { name: 'Get Started Today' }).first().click();
      await open();
      await dialog.waitFor();
      await page.getByLabel('Full Name').fill('Ada Byron');
      await page.getByLabel('Additional Notes').fill('Two desks and a loom');
      await page.goBack();
      await dialog.waitFor({ state: 'detached' });
      expect(new URL(page.url()).pathname).toBe('/');
      await open();
      await expect.poll(() => page.getByLabel('Full Name').inputValue()).toBe('Ada Byron');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.goto('/enquire');
      await expect.poll(() => page.getByLabel('Additional Notes').inputValue()).toBe('Two desks and a loom');
      await page.getByLabel('Email Address').fill('ada@customers.example');
      await page.getByLabel('Service of Interest').selectOption('App Builder');
      await page.getByRole('button', { name: 'Send enquiry' }).click();
      await page.getByRole('heading', { name: 'Thank You!' }).waitFor();
      expect(await page.locator('.line-stops [aria-current="step"] b').textContent()).toBe(
        'A person reads it',
      );
      await page.goto('/enquire');
      await page.getByLabel('Full Name').waitFor();
      expect(await page.getByLabel('Full Name').inputValue()).toBe('');
    });
  });

  test('the sign-in names missing fields; closing it leads to the home page, and so does the mark on every page', async () => {
    await journey.visit(async (page) => {
      await page.goto('/login');
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await page.getByText('2 fields need another look:').waitFor();
      for (const words of ['Enter your email address', 'Enter your password'])
        await page.getByRole('alert').getByText(words).waitFor();
      await page.getByRole('link', { name: 'Close' }).click();
      await page.waitForURL((url) => url.pathname === '/');
      await page.goto('/terms');
      await page.getByRole('banner').getByRole('link', { name: 'Northline' }).click();
      await page.waitForURL((url) => url.pathname === '/');
    });
  });

  test('a person who creates an account sees which terms they accept', async () => {
    await journey.visit(async (page) => {
      await page.goto('/signup');
      const terms = page.getByText('By creating an account you accept our terms.');
      expect(await terms.getByRole('link', { name: 'terms' }).getAttribute('href')).toBe('/terms');
      expect(await terms.getByRole('link', { name: 'privacy notice' }).getAttribute('href')).toBe('/privacy');
    });
  });

  test('at 1440 by 900 the button that sends an enquiry is visible', async () => {
    await journey.visit(
      async (page) => {
        await page.goto('/enquire');
        const send = page.getByRole('button', { name: 'Send enquiry' });
        await send.waitFor();
        expect(await send.evaluate((button) => button.getBoundingClientRect().bottom)).toBeLessThanOrEqual(
          900,
        );
      },
      { viewport: { width: 1440, height: 900 } },
    );
  });

  test('the page after a payment says so when there was none', async () => {
    claims(
      'This page opens after a payment.',
      'If you have paid, nothing is lost and you need not pay again.',
      'A payment that your bank still works on appears on the Billing tab when it is through.',
    );
    await journey.visit(async (page) => {
      await page.goto('/success');
      await page.getByRole('heading', { name: 'No payment to show here' }).waitFor();
      expect(await page.getByText('Payment received').count()).toBe(0);
      await expectAccessible(page);
      await page.goto('/success?session_id=cs_test_invented');
      await page.getByText('No paid purchase belongs to this address.').waitFor();
      expect(await page.getByText(/Thank you|Payment (Successful|received)/).count()).toBe(0);
      await page.route('**/functions/v1/checkout-outcome', (route) => route.abort());
      await page.reload();
      await page.getByRole('heading', { name: 'We could not look up the payment' }).waitFor();
      await expectAccessible(page);
      await page.unroute('**/functions/v1/checkout-outcome');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No paid purchase belongs to this address.').waitFor();
    });
  });
});
