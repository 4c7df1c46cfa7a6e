import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from '../support/auth/authenticator.ts';
import { readMail } from '../support/auth/mail-read.ts';
import { claims } from '../support/claims.ts';
import { newOperator } from '../support/customers/operator-client.ts';
import {
  becomeOperator,
  becomeTrustedOperator,
  type Journey,
  signUp,
  somebody,
  startJourney,
} from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey?.close());

async function expectAccessible(page: Page): Promise<void> {
  expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
}

test('an owner invites a person without an account, who is staff with a second factor, then a reader, then nobody', async () => {
  claims(
    'Who may do what at the console.',
    'Owners may do everything: also settings, the site, refunds, colleagues, the audit log, and deleting calls and recordings.',
    'Staff do the daily work: enquiries, messages, calls, bookings, customers, credits, news and assistants.',
    'Readers see what staff see, and change nothing.',
    'You are a reader: you see what happens here, and change nothing.',
    'Sign in or create an account with ….',
    'You are signed in as ….',
    'The invitation is for …: sign out, then open the link of the mail again.',
    'An owner can give you more rights….',
    'It ends with recovery codes; then the console opens.',
  );
  const bob = somebody();
  await journey.visit(async (owner, ownerContext) => {
    const ownerEmail = await becomeTrustedOperator(journey.app, ownerContext);
    await owner.goto('/operator/colleagues');
    await owner.getByLabel('Email Address').fill(bob.email);
    await owner.getByRole('button', { name: 'Send the invitation' }).click();
    await owner.getByText(`An invitation is on its way to ${bob.email}.`).waitFor();
    await owner.getByRole('heading', { name: 'Invited' }).waitFor();
    await expectAccessible(owner);
    const { text } = await readMail(journey.app.url, bob.email, /invited to the console/);
    const link = /https?:\S+#colleague=[\w-]+/.exec(text)?.[0] ?? '';

    // Another account cannot use it.
    const other = await ownerContext.newPage();
    await other.goto(link);
    await other.getByText(`The invitation is for ${bob.email}`).waitFor();
    await other.close();

    await journey.visit(async (page) => {
      await page.goto(link);
      await page.getByText(`${ownerEmail} invites you as staff.`).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Create an account' }).click();
      await signUp(page, bob);
      await page.getByText('Set up a second factor first.').waitFor();
      expect(await page.getByRole('button', { name: 'Accept and open the console' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Set up an authenticator' }).click();
      const secret = ((await page.locator('.enrolment-secret output').textContent()) ?? '').replace(
        /\s/g,
        '',
      );
      await page.getByLabel('First code').fill(codeOf(secret));
      await page.getByRole('button', { name: 'Turn it on' }).click();
      await page.getByRole('button', { name: 'I have kept them' }).click();
      await page.getByRole('button', { name: 'Accept and open the console' }).click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

      // Staff: no settings in the navigation, and at their address a sentence that says who has them.
      await page.getByRole('link', { name: 'Bookings' }).first().waitFor();
      await expect.poll(() => page.getByRole('link', { name: 'Settings' }).count()).toBe(0);
      await page.goto('/operator/settings');
      await page.getByRole('heading', { name: 'This page is for owners' }).waitFor();
      await page.getByText(ownerEmail).waitFor();

      await owner.goto(link);
      await owner.getByRole('heading', { name: 'You were invited to the console' }).waitFor();
      await owner.goto('/operator/colleagues');
      const row = owner.getByRole('listitem').filter({ hasText: bob.email });
      await row.getByLabel(/^Role of/).selectOption('reader');
      await owner.getByText('Reader from now on.').waitFor();
      await page.goto('/operator/news');
      await page.getByText('You are a reader').waitFor();
      expect(await page.getByRole('button', { name: 'Write a post' }).count()).toBe(0);
      await expectAccessible(page);

      await row.getByRole('button', { name: /^Remove/ }).click();
      await owner.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
      await owner.getByText('has no access any more.').waitFor();
      await page.reload();
      await page.getByRole('heading', { name: "This console is the agency's own" }).waitFor();
    });
  });
});

test('an owner with a password alone is asked for a second factor first, and the page fits a phone', async () => {
  claims(
    'They get into everything, so a password alone invites and changes nobody.',
    'Owners invite colleagues and change roles.',
  );
  const staff = await newOperator(journey.app, 'staff');
  for (const [viewport, colorScheme] of [
    [{ width: 390, height: 844 }, 'dark'],
    [{ width: 1440, height: 900 }, 'light'],
  ] as const)
    await journey.visit(
      async (page) => {
        await page.goto('/operator/colleagues');
        await page.getByLabel('Email').fill(staff.email);
        await page.getByLabel('Password', { exact: true }).fill(staff.password);
        await page
          .getByRole('button', { name: /Log ?in|Sign in/i })
          .first()
          .click();
        await page.getByText('Owners invite colleagues and change roles.').waitFor();
        expect(await page.getByLabel(/^Role of/).count()).toBe(0);
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
        await expectAccessible(page);
      },
      { viewport, colorScheme },
    );
  await journey.visit(async (page, context) => {
    await becomeOperator(journey.app, context);
    await page.goto('/operator/colleagues');
    await page.getByText('Colleagues need a second factor').waitFor();
    expect(await page.getByRole('button', { name: 'Send the invitation' }).count()).toBe(0);
  });
});
