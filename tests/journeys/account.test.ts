/// <reference lib="dom" />

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { ageLastCode, codeOf, enrolledPerson } from '../support/auth/authenticator.ts';
import { codeIn, linkIn, pressButton, readMail } from '../support/auth/mail-read.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { callAuth, newClient } from '../support/customers/auth-client.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

async function signIn(page: Page, { email }: Pick<Person, 'email'>, password: string): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
}

async function openAccount(page: Page, fragment = ''): Promise<void> {
  await page.goto(`/dashboard/account${fragment}`);
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
}

/** Opens a section of the account from its index. */
async function openSection(page: Page, name: string): Promise<void> {
  const sections = page.getByRole('navigation', { name: 'Sections of your account' });
  await sections.getByRole('link', { name }).press('Enter');
  expect(await sections.locator('[aria-current]').allTextContents()).toEqual([name]);
}

describe.skipIf(CHROMIUM === undefined)('the account of a customer', () => {
  test('a second factor is set up, asked at the next sign-in, and replaced by a recovery code', async () => {
    let secret = '';
    let recovery: string[] = [];
    const person = await journey.visit(async (page, context) => {
      const user = await becomeUser(journey.app, context);
      await openAccount(page, '#second-factor');
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('second-factor');
      await page.getByRole('button', { name: 'Set up an authenticator' }).click();
      const picture = page.getByAltText('QR code of the key below');
      await expect
        .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBeGreaterThan(100);
      secret = ((await page.locator('.enrolment-secret output').textContent()) ?? '').replaceAll(' ', '');
      await page.getByLabel('First code').fill('000000');
      await page.getByRole('button', { name: 'Turn it on' }).click();
      await page.getByText('That code is not right').waitFor();
      await page.getByLabel('First code').fill(codeOf(secret));
      await page.getByRole('button', { name: 'Turn it on' }).click();
      // No page opens without recovery codes, and the codes of a step that was left are replaced.
      const codes = page.getByRole('list', { name: 'Your recovery codes' }).getByRole('listitem');
      await expect.poll(() => codes.count()).toBe(10);
      const left = await codes.allTextContents();
      await page.goto('/dashboard/billing');
      await page.getByRole('heading', { name: 'Last step: keep your recovery codes' }).waitFor();
      await expect.poll(() => codes.count()).toBe(10);
      recovery = await codes.allTextContents();
      expect(recovery).not.toContain(left[0]);
      expect(recovery[0]).toMatch(/^(\w{4}-){3}\w{4}$/);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(recovery.join('\n'));
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(readFileSync((await file.path()) ?? '', 'utf8')).toContain(recovery.join('\n'));
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
      expect(await codes.last().isVisible()).toBe(true);
      await page.emulateMedia({ media: null });
      await ageLastCode(journey.app);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'I have kept them' }).click();
      await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
      return user;
    });
    await journey.visit(async (page) => {
      await signIn(page, person, person.password);
      await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
      expect(await page.getByText('Your Files').count()).toBe(0);
      for (const path of ['/dashboard/billing', '/dashboard/account', '/operator']) {
        await page.goto(path);
        await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
      }
      await expectAccessible(page);
      await page.goto('/dashboard');
      await page.getByLabel('Code of your authenticator').fill(codeOf(secret));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Your Files', exact: false }).first().waitFor();
    });
    await journey.visit(async (page) => {
      await signIn(page, person, person.password);
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').fill(recovery[0] ?? '');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Your Files', exact: false }).first().waitFor();
      await openAccount(page, '#second-factor');
      await page.getByText('9 recovery codes left.').waitFor();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Set up an authenticator' }).waitFor();
    });
  });

  test('a forgotten password is replaced on another device, with the authenticator or a recovery code', async () => {
    claims('Then you choose your new password.');
    for (const way of ['authenticator and code of the mail', 'recovery code and link of the mail']) {
      const person = await enrolledPerson(journey.app);
      const bearer = (await person.client.auth.getSession()).data.session?.access_token ?? '';
      const made = await callAuth(journey.app, 'POST', '/factors/recovery-codes', { bearer, body: {} });
      const recovery: string[] = made.body.codes ?? [];
      const byLink = way.endsWith('link of the mail');
      const field = byLink ? 'Recovery code' : 'Code of your authenticator';
      const password = 'a quieter harbour 4471';
      await journey.visit(async (page) => {
        await page.goto('/login');
        await page.getByLabel('Email').fill(person.email);
        await page.getByRole('button', { name: 'Forgot your password' }).click();
        await page.getByRole('button', { name: 'Send reset link' }).click();
        await page.getByRole('heading', { name: 'Password Reset Email Sent' }).waitFor();
        const mail = await readMail(journey.app.url, person.email, /new .* password/i);
        if (byLink) {
          // Another address of the same page would not load it again.
          await page.goto('about:blank');
          await page.goto((await pressButton(linkIn(mail))).href);
        }
        if (!byLink) {
          await page.getByLabel('Code from the mail').fill(codeIn(mail));
          await page.getByRole('button', { name: 'Continue' }).click();
        }
        await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
        expect(await page.getByLabel('New Password').count()).toBe(0);
        await expectAccessible(page);
        if (byLink) await page.getByRole('button', { name: 'Use a recovery code' }).click();
        await page.getByLabel(field).fill('000000');
        await page.getByLabel(field).press('Enter');
        await page.locator('.field-error').getByText('That code is not right').waitFor();
        await page.getByLabel(field).fill(byLink ? (recovery[0] ?? '') : codeOf(person.secret));
        await page.getByLabel(field).press('Enter');
        await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
        await page.getByLabel('New Password', { exact: true }).fill(password);
        await page.getByLabel('Confirm Password').fill(password);
        await page.getByRole('button', { name: 'Save password' }).click();
        await page.waitForURL(/\/dashboard$/);
        await page.getByRole('heading', { name: 'Your Files' }).first().waitFor();
      });
      const { error } = await newClient(journey.app).auth.signInWithPassword({
        email: person.email,
        password,
      });
      expect(error).toBeNull();
    }
  });

  test('name and password change, mails are switched off, the data is downloaded, the account deleted', async () => {
    claims(
      "A copy, a correction and the deletion of your account are in your account's settings.",
      'Download what is kept about you, and delete the account, both on the Account tab.',
      'On the Account tab: another password, a second factor with recovery codes, passkeys, and where you are signed in.',
    );
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await openAccount(page);
      await openSection(page, 'Signing in');
      await page
        .getByText(
          'A passkey belongs to a name, and the address of this page is a number. Open it at its domain, or on your own machine at localhost.',
        )
        .waitFor();
      await page.getByLabel('Current Password').fill('wrong');
      await openSection(page, 'Profile');
      expect(await page.getByLabel('Full Name').inputValue()).toBe('Priya Shah');
      await page.getByLabel('Full Name').fill('Priya Shah-Byron');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.').waitFor();

      const next = `${person.password} and more`;
      await page.goBack();
      await page.getByLabel('New Password', { exact: true }).waitFor();
      // Words that were typed in another section are still there.
      expect(await page.getByLabel('Current Password').inputValue()).toBe('wrong');
      await page.getByLabel('New Password', { exact: true }).fill(next);
      await page.getByLabel('Confirm Password').fill(next);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The current password is not right.').waitFor();
      await page.getByLabel('Current Password').fill(person.password);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Your password was changed.').waitFor();

      await openSection(page, 'Notices');
      await page.getByLabel('Write to me when documents').uncheck();
      await expect
        .poll(() =>
          journey.app.resources.database.one(
            'select raw_user_meta_data as data from auth.users where id = $1',
            [person.id],
          ),
        )
        .toMatchObject({ data: { full_name: 'Priya Shah-Byron', notices: { analysis: false } } });

      await openSection(page, 'Your data');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download your data' }).click(),
      ]);
      const saved = JSON.parse(readFileSync((await download.path()) ?? '', 'utf8'));
      expect(saved.data['auth.users']).toMatchObject([{ id: person.id }]);
      await expectAccessible(page);

      await page.getByRole('button', { name: 'Delete this account' }).click();
      await page.getByRole('button', { name: 'Delete account' }).click();
      await page.getByText('Type the word delete').first().waitFor();
      await page.getByLabel('Type delete to confirm').fill('delete');
      await page.getByRole('button', { name: 'Delete account' }).click();
      await page.waitForURL((url) => url.pathname === '/');
      await signIn(page, person, next);
      await page.locator('.form-error').getByText(MESSAGES.login.invalid).waitFor();
    });
  });

  test('a forgotten password is replaced by the code in the mail, and the typed address is kept', async () => {
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await context.clearCookies();
      await page.goto('/');
      await page.evaluate(() => localStorage.clear());
      await page.goto('/login');
      await page.getByLabel('Email').fill(person.email);
      await page.getByRole('button', { name: 'Forgot your password' }).click();
      await page.getByRole('heading', { name: 'Reset Your Password' }).waitFor();
      expect(await page.getByLabel('Email').inputValue()).toBe(person.email);
      await page.getByRole('button', { name: 'Send reset link' }).click();
      await page.getByRole('heading', { name: 'Password Reset Email Sent' }).waitFor();
      await expectAccessible(page);
      const code = codeIn(await readMail(journey.app.url, person.email, /password/i));
      await page.getByLabel('Code from the mail').fill(code);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
      await page.getByLabel('New Password', { exact: true }).fill('a quieter harbour 4471');
      await page.getByLabel('Confirm Password').fill('a quieter harbour 4471');
      await page.getByRole('button', { name: 'Save password' }).click();
      await page.waitForURL(/\/dashboard$/);
      await page.evaluate(() => localStorage.clear());
      await signIn(page, person, 'a quieter harbour 4471');
      await page.waitForURL(/\/dashboard$/);
    });
  });
});
