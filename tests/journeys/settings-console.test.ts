/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import {
  becomeOperator,
  becomeTrustedOperator,
  becomeUser,
  type Journey,
  startJourney,
} from '../support/journey.ts';
import { startMailServer, type TestMailServer } from '../support/servers/mail-server.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

let mail: TestMailServer;
let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  mail = await startMailServer('agency:s3cret');
  journey = await startJourney({
    settings: { VOICE_HOURS: 'mon-fri 8:00-12:00', OUTBOUND_ALLOW_HOSTS: new URL(mail.url).host },
  });
});
afterAll(async () => {
  await journey?.close();
  await mail?.close();
});

async function inspect(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expectAccessible(page);
      if (PICTURES !== undefined)
        await page.screenshot({
          path: `${PICTURES}/${name}-${size.width}-${colorScheme}.png`,
          fullPage: true,
        });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

describe.skipIf(CHROMIUM === undefined)('the settings at the console', () => {
  test('an owner names the mail server, tries it, and gets the mail, with the keyboard alone', async () => {
    claims('Save first: a trial uses the saved values.');
    await journey.visit(async (page, context) => {
      const address = await becomeTrustedOperator(journey.app, context);
      await page.goto('/operator');
      await page.getByRole('link', { name: 'Name your mail server and try it' }).click();
      await page.getByRole('heading', { name: 'Mail', exact: true }).waitFor();
      const server = page.getByLabel('Mail server');
      await server.focus();
      await page.keyboard.type(mail.url.replace('s3cret', 'wrong'));
      await page.getByText('Save first: a trial uses the saved values.').waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('Saved and in use.').waitFor();
      expect(await page.content()).not.toContain('agency:wrong');
      await page.getByRole('button', { name: 'Try it' }).press('Enter');
      await page.getByText(/535 5\.7\.8 Wrong name or password/).waitFor();
      await inspect(page, 'settings-mail-refused');

      await page.getByLabel('Mail server').fill(mail.url);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Try it', disabled: false }).press('Enter');
      await page.getByText(`took a mail to ${address}`).waitFor();
      expect(mail.received.at(-1)).toMatchObject({ to: address });
      await inspect(page, 'settings-mail');

      // The checklist of the home knows it, and so does the Mail page.
      await page.goto('/operator');
      const step = page.locator('li', { hasText: 'Mail that leaves this machine' });
      await step.getByText('Done').waitFor();
      await page.goto('/operator/mail');
      await page.getByText(address).first().waitFor();
      await page.goto('/operator/settings#mail');
      await page.getByRole('button', { name: 'Back to the default of Mail server' }).click();
      await page.getByText('Saved and in use.').waitFor();
      await expect.poll(() => page.getByLabel('Mail server').getAttribute('placeholder')).toBe('');
    });
  });

  test('a credit pack that an owner prices is what a customer sees, and an environment setting cannot be changed', async () => {
    claims('Set in the environment of the server, which wins.', 'Change … there.');
    await journey.visit(async (page, context) => {
      await becomeTrustedOperator(journey.app, context);
      await page.goto('/operator/settings');
      await page.getByRole('button', { name: 'Credits' }).click();
      await page.getByLabel('Credit packs').fill('20=1250');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved and in use.').waitFor();
      await page.getByLabel('Credit packs').fill('a pound each');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The setting “Credit packs” must be credits=price pairs').waitFor();
      await inspect(page, 'settings-credits-refused');

      await page.getByRole('button', { name: 'Opening hours' }).click();
      const hours = page.getByRole('textbox', { name: 'Opening hours' });
      expect(await hours.inputValue()).toBe('mon-fri 8:00-12:00');
      expect(await hours.getAttribute('readonly')).not.toBeNull();
      await page.getByText('Set in the environment of the server, which wins.').waitFor();
      await page.getByLabel('Time zone').fill('Europe/Paris');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Back to the default of Time zone' }).waitFor();
      expect(await page.locator('.setting-pending').count()).toBe(0);
      await inspect(page, 'settings-hours');
      await page.getByRole('button', { name: 'Telephone' }).click();
      await page.getByLabel('Numbers that may be called').fill('+44');
      await page.keyboard.press('Enter');
      await page.locator('.setting-pending').waitFor();
      for (const group of ['Payments', 'Voice models']) {
        await page.getByRole('button', { name: group, exact: true }).click();
        await page.getByRole('heading', { name: group, exact: true }).waitFor();
        await inspect(page, `settings-${group.toLowerCase().replace(' ', '-')}`);
      }

      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByText('changed “Credit packs” from default to 20=1250.').first().waitFor();
      await page.getByText('Details').first().click();
      await page.getByText('settings.change').first().waitFor();
      await inspect(page, 'audit');
      await page.getByLabel('Search person, action or subject').fill('no such thing');
      await page.getByText('Nothing was found.').waitFor();
    });
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await page.goto('/dashboard/billing');
      await page.getByText('£12.50').first().waitFor();
    });
  });

  test('an operator with a password only is led to a second factor', async () => {
    await journey.visit(async (page, context) => {
      await becomeOperator(journey.app, context);
      await page.goto('/operator/settings');
      await page.getByText('They lead money and mail, so a password alone does not open them.').waitFor();
      const link = page.getByRole('link', { name: 'Set up a second factor' });
      expect(await link.getAttribute('href')).toBe('/dashboard/account#second-factor');
      await inspect(page, 'settings-no-factor');
    });
  });
});
