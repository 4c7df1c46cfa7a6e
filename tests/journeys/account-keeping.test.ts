/// <reference lib="dom" />

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMail } from '../support/auth/mail-read.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type LocalOidcProvider,
  startOidcProvider,
} from '../support/auth/oidc-provider-server.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { buyPlan, settle } from '../support/customers/plan-purchase.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let issuer: LocalOidcProvider;
let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  issuer = await startOidcProvider();
  journey = await startJourney({
    settings: {
      AUTH_GOOGLE_CLIENT_ID: CLIENT_ID,
      AUTH_GOOGLE_SECRET: CLIENT_SECRET,
      AUTH_GOOGLE_ISSUER: issuer.issuer,
      AUTH_MANUAL_LINKING: 'true',
      OUTBOUND_ALLOW_HOSTS: issuer.host,
    },
  });
  issuer.open(`${journey.app.url}/auth/v1/callback`);
});
afterAll(async () => {
  await journey?.close();
  await issuer?.close();
});

describe.skipIf(CHROMIUM === undefined)('an account whose owner may lose it', () => {
  test('a deletion is planned, shown on every tab, and cancelled on the page and by the mail without scripts', async () => {
    claims(
      'It is kept for some days first, so that you can change your mind.',
      'The plan ends with your account on ….',
    );
    const { database } = journey.app.resources;
    const { person, link } = await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await buyPlan(journey.app, person.token, 'price_documents_pro', person.email);
      await settle(journey.app);
      await page.goto('/dashboard/account#data');
      const notice = page.getByText(/This account will be deleted on \d+ \w+ \d{4}, as was asked for/);
      const askForDeletion = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Delete this account' }).click();
        await page.getByText('For 14 days nothing is deleted, and you can keep the account').waitFor();
        await page.getByLabel('Type delete to confirm').fill('delete');
        await page.getByRole('button', { name: 'Delete account' }).click();
        await notice.waitFor();
      };
      await askForDeletion();
      expect(await page.getByText('Until then nothing of it is deleted.').count()).toBe(1);
      await expectAccessible(page);
      await page.goto('/dashboard/billing');
      await notice.waitFor();
      await page
        .getByText(/^Your Pro Plan ends with your account on .*, and is not charged again\.$/)
        .waitFor();
      await page
        .getByText(/^You have the Pro Plan\. Your account is to be deleted on .*: nothing is/)
        .waitFor();
      await page.getByText(/The plan ends with your account on \d+ \w+/).waitFor();
      expect(await page.getByText(/Next (payment|billing)|allowance resets/).count()).toBe(0);
      await page.getByRole('button', { name: 'Keep this account' }).click();
      await notice.waitFor({ state: 'detached' });
      await page.getByText('Next payment: £49 on').waitFor();
      await page.getByText('Next billing date').waitFor();
      await readMail(journey.app.url, person.email, /account stays/);
      await page.goto('/dashboard/account#data');
      await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
      expect(await notice.count()).toBe(0);
      await askForDeletion();
      // Kept elsewhere: the page learns of it when it is opened again.
      await database.run('update auth.users set deletion_due_at = null where id = $1', [person.id]);
      await page.reload();
      await notice.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Delete this account' }).waitFor();
      await askForDeletion();
      const due = await database.one('select deletion_due_at from auth.users where id = $1', [person.id]);
      const mails = await database.many(
        "select body_text from private.mails where recipient = $1 and body_text like '%' || $2 || '%'",
        [person.email, `d=${Math.floor((due.deletion_due_at?.getTime() ?? 0) / 1000)}&`],
      );
      expect(mails[0]?.body_text).toMatch(/^Hello Priya Shah,\n/);
      return { person, link: /https?:\S+\/auth\/v1\/keep\?\S+/.exec(mails[0]?.body_text ?? '')?.[0] ?? '' };
    });
    await journey.visit(
      async (page) => {
        await page.goto(link);
        await page.getByRole('button', { name: 'Keep my account' }).click();
        await page.getByRole('heading', { name: 'Your account stays' }).waitFor();
      },
      { javaScriptEnabled: false },
    );
    const kept = await database.one('select deletion_due_at from auth.users where id = $1', [person.id]);
    expect(kept.deletion_due_at).toBe(null);
  });

  test('a provider’s sign-in is linked, refused if it belongs to somebody else, and unlinked; the last one stays', async () => {
    await journey.visit(async (page, context) => {
      const { email } = await becomeUser(journey.app, context);
      issuer.people.set('linked', { sub: 'linked', email: 'linked@customers.example', email_verified: true });
      await page.goto('/dashboard/account#identities');
      const rows = page.getByRole('region', { name: 'Linked sign-ins' }).getByRole('listitem');
      await rows.filter({ hasText: email }).waitFor();
      expect(await page.getByRole('button', { name: 'Unlink' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Link Google' }).click();
      await rows.filter({ hasText: 'linked@customers.example' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/dashboard/account');
      await expectAccessible(page);
    });
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await page.goto('/dashboard/account#identities');
      await page.getByRole('button', { name: 'Link Google' }).click();
      await page.getByText('That sign-in opens an account already. Each opens one account only.').waitFor();
      expect(await page.getByText('What opens this account. The last one always stays.').count()).toBe(1);
      issuer.people.set('second', { sub: 'second', email: 'second@customers.example', email_verified: true });
      await context.clearCookies();
      await page.getByRole('button', { name: 'Link Google' }).click();
      await page.getByText('second@customers.example').waitFor();
      await page.getByRole('button', { name: 'Unlink Google' }).click();
      await page.getByText('Google will no longer open this account.').waitFor();
      await page.getByRole('button', { name: 'Keep Google' }).click();
      await page.getByRole('button', { name: 'Unlink Google' }).click();
      await page.getByRole('button', { name: 'Yes, unlink Google' }).click();
      await page.getByText('second@customers.example').waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: 'Unlink' }).count()).toBe(0);
    });
  });
});
