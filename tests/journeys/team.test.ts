/// <reference lib="dom" />
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMail } from '../support/auth/mail-read.ts';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { storeReport } from '../support/customers/stored-report.ts';
import { becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** An own file with its report. */
async function storeFor({ id, token }: Person, name: string): Promise<string> {
  const { app } = journey;
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 10)
     on conflict (user_id) do update set credits = 10`,
    [id],
  );
  const client = createClient(app.url, app.anonKey, { accessToken: async () => token });
  return storeReport(app, { id, token, client } as never, { name, texts: ['The rent is 900 pounds.'] });
}

describe.skipIf(CHROMIUM === undefined)('a team', () => {
  test('is made, somebody is invited and joins, sees what is shown and nothing else, and leaves', async () => {
    const guest = await journey.visit((_page, context) => becomeUser(journey.app, context));
    const owner = await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await storeFor(person, 'lease.txt');
      await storeFor(person, 'diary.txt');
      await page.goto('/dashboard/account');
      const panel = page.getByRole('region', { name: 'Team' });
      await panel.getByText('Nobody sees a file that you do not show.').waitFor();
      await panel.getByLabel('Name of the team').fill('Harbour House');
      await panel.getByRole('button', { name: 'Make a team' }).click();
      await panel.getByText('You pay for the team: 8 credits left.').waitFor();
      await panel.getByText('Everybody’s own credits are used first.').waitFor();
      await panel.getByLabel('Email Address').fill(guest.email);
      await panel.getByRole('button', { name: 'Invite' }).click();
      await panel.getByText(`An invitation is on its way to ${guest.email}.`).waitFor();
      await expectAccessible(page);
      await page.goto('/dashboard');
      await page.getByText('Nobody else of your team shows a file yet.').waitFor();
      await page.getByLabel('Choose lease.txt').check();
      await page.getByRole('button', { name: 'Show to the team' }).click();
      await page.getByRole('button', { name: 'Hide from the team' }).waitFor();
      return person;
    });
    const mail = await readMail(journey.app.url, guest.email, /invited to the team/);
    const link = /https?:\S+invitation=[\w-]+/.exec(mail.text)?.[0] ?? '';
    await journey.visit(async (page) => {
      await page.goto(link);
      await page.getByLabel('Email').fill(guest.email);
      await page.getByLabel('Password', { exact: true }).fill(guest.password);
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      const panel = page.getByRole('region', { name: 'Team' });
      await panel
        .getByText('Its owners and members see the files that you show to it, and no others.')
        .waitFor();
      await panel.getByRole('button', { name: 'Join the team' }).click();
      await panel.getByText('Harbour House').waitFor();
      expect(page.url()).not.toContain('invitation');
      await expectAccessible(page);
      await page.goto('/dashboard');
      const files = page.getByRole('region', { name: /^Files of Harbour House/ });
      await files.getByText('lease.txt').waitFor();
      expect(await page.getByText('diary.txt').count()).toBe(0);
      await expectAccessible(page);
      await files.getByRole('link', { name: 'View Analysis of lease.txt' }).click();
      await page.getByText('lease.txt, shown by your team').waitFor();
      expect(await page.getByRole('button', { name: 'Analyze again' }).count()).toBe(0);
      await expectAccessible(page);
      await page.goto('/dashboard/account');
      await panel.getByRole('button', { name: 'Leave the team' }).click();
      await panel.getByLabel('Name of the team').waitFor();
    });
    const { database } = journey.app.resources;
    expect(await database.many('select user_id from public.team_members')).toEqual([{ user_id: owner.id }]);
  });
});
