/// <reference lib="dom" />
import { createClient } from '@supabase/supabase-js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMail } from '../support/auth/mail-read.ts';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { callFunction } from '../support/customers/plan-purchase.ts';
import { storeReport } from '../support/customers/stored-report.ts';
import { becomeUser, type Journey, type Person, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** The user's own file with its report. */
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

/** A team of two, created by its functions. */
async function bringTogether(owner: Person, guest: Person): Promise<void> {
  const { app } = journey;
  expect((await callFunction(app, 'create-team', owner.token, { name: 'Harbour House' })).status).toBe(200);
  const invited = { email: guest.email, role: 'member' };
  expect((await callFunction(app, 'invite-member', owner.token, invited)).status).toBe(200);
  const { text } = await readMail(app.url, guest.email, /invited to the team/);
  const token = /#invitation=([\w-]+)/.exec(text)?.[1];
  expect((await callFunction(app, 'accept-invitation', guest.token, { token })).status).toBe(200);
}

/** Checks that nothing on the page is outside of a 320 px screen. */
async function expectNarrow(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  if (before !== null) await page.setViewportSize(before);
}

/** Comes by the mail, joins, sees only the shown files, uploads with the team's credits, and leaves. */
async function beGuest(page: Page, guest: Person): Promise<void> {
  const mail = await readMail(journey.app.url, guest.email, /invited to the team/);
  await page.goto(/https?:\S+#invitation=[\w-]+/.exec(mail.text)?.[0] ?? '');
  // Signing up and coming back does not lose what the mail was about.
  await page.getByRole('heading', { name: 'Join Harbour House' }).waitFor();
  await page
    .getByText(`You are invited to the team Harbour House as a member. Sign in with ${guest.email}.`)
    .waitFor();
  expect(await page.getByLabel('Email').inputValue()).toBe(guest.email);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create a free account' }).click();
  await page.getByText(`Create the account with ${guest.email}.`).waitFor();
  expect(await page.getByLabel('Email').inputValue()).toBe(guest.email);
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await expect.poll(() => page.getByLabel('Email').inputValue()).toBe(guest.email);
  await page.getByLabel('Password', { exact: true }).fill(guest.password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Team' });
  await panel
    .getByText('You are invited to the team Harbour House as a member. Its owners and members see the files')
    .waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('team');
  await panel.getByRole('button', { name: 'Join the team' }).click();
  await expect.poll(() => page.url()).not.toContain('invitation');
  await panel.getByText('Harbour House').first().waitFor();
  await expectAccessible(page);
  await expectNarrow(page);
  await page.goto('/dashboard');
  const files = page.getByRole('region', { name: /^Files of Harbour House/ });
  await files.getByText('lease.txt').waitFor();
  expect(await page.getByText('diary.txt').count()).toBe(0);
  await page.getByText('Priya Shah pays for your uploads when your own are used up.').waitFor();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('A note of mine.') });
  await page.getByRole('button', { name: 'Analyze note.txt' }).waitFor();
  await expectAccessible(page);
  await expectNarrow(page);
  const saved = page.waitForEvent('download');
  await files.getByRole('button', { name: 'Download lease.txt' }).click();
  expect((await saved).suggestedFilename()).toBe('lease.txt');
  await files.getByRole('link', { name: 'View Analysis of lease.txt' }).click();
  await page.getByText('lease.txt, shown by your team').waitFor();
  expect(await page.getByRole('button', { name: 'Analyze again' }).count()).toBe(0);
  await expectAccessible(page);
  await expectNarrow(page);
  await page.goto('/dashboard/billing');
  await page.getByText('Document Analysis, paid by your team').waitFor();
  await page.goto('/dashboard/account#invitation=of-another-team');
  await panel.getByText('You are invited to another team. To join it, leave yours first.').waitFor();
  await panel.getByRole('button', { name: 'Not now' }).click();
  await panel.getByRole('button', { name: 'Leave the team' }).click();
  const question = page.getByRole('alertdialog', { name: 'Leave the team?' });
  await question
    .getByText(
      'At once you see no file of the team, use none of its credits, and the team sees none of yours.',
    )
    .waitFor();
  await question.getByRole('button', { name: 'Leave', exact: true }).click();
  await panel.getByLabel('Name of the team').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('team');
}

describe.skipIf(CHROMIUM === undefined)('a team', () => {
  test('is created, somebody is invited and joins, sees only the shared files, and leaves', async () => {
    const guest = await journey.visit((_page, context) => becomeUser(journey.app, context));
    await journey.visit(async (page, context) => {
      const person = await becomeUser(journey.app, context);
      await storeFor(person, 'lease.txt');
      await storeFor(person, 'diary.txt');
      await page.goto('/dashboard/account#team');
      const panel = page.getByRole('region', { name: 'Team' });
      await panel
        .getByText('In a team you show files and their reports to each other, and one of you pays for all.')
        .waitFor();
      await panel.getByText('Nobody sees a file that you do not show.').waitFor();
      await panel.getByLabel('Name of the team').fill('Harbour');
      await panel.getByRole('button', { name: 'Make a team' }).click();
      await panel.getByText('You pay for the team: 9 credits left.').waitFor();
      await panel.getByText('Everybody’s own credits are used first.').waitFor();
      await panel.getByRole('button', { name: 'Rename' }).click();
      await panel.getByLabel('Name of the team').fill('Harbour House');
      await panel.getByRole('button', { name: 'Save' }).click();
      await panel.getByText('Harbour House').waitFor();
      await panel.getByLabel('Email Address').fill(guest.email);
      await panel.getByRole('button', { name: 'Invite', exact: true }).click();
      await panel.getByText(`An invitation is on its way to ${guest.email}.`).waitFor();
      await expectAccessible(page);
      await expectNarrow(page);
      await page.goto('/dashboard');
      await page
        .getByText('Nobody shows a file to the team yet. Choose some of yours, and show them.')
        .waitFor();
      await page.getByLabel('Choose lease.txt').check();
      await page.getByRole('button', { name: 'Show to the team' }).click();
      await page.getByText('Your team sees lease.txt now').waitFor();
      await page.getByRole('button', { name: 'Hide from the team', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Hide from the team: lease.txt' }).waitFor();
      await expectAccessible(page);
      await journey.visit((theirs) => beGuest(theirs, guest));
      await page.goto('/dashboard/billing');
      await page.getByText('Document Analysis, by your team').waitFor();
      await page.goto('/dashboard/account#team');
      await panel.getByRole('button', { name: 'Leave the team' }).click();
      const question = page.getByRole('alertdialog', { name: 'Leave the team?' });
      await question.getByText('Nobody else is in it, so the team ends. Your files stay yours.').waitFor();
      await question.getByRole('button', { name: 'Leave', exact: true }).click();
      await panel.getByLabel('Name of the team').waitFor();
    });
    const { database } = journey.app.resources;
    expect(await database.many('select user_id from northline_app.team_members')).toEqual([]);
    expect(await database.many('select file_id from northline_app.team_files')).toEqual([]);
  });

  test('its owner sets roles, removes somebody and stops paying', async () => {
    const guest = await journey.visit((_page, context) => becomeUser(journey.app, context));
    await journey.visit(async (page, context) => {
      const owner = await becomeUser(journey.app, context);
      await bringTogether(owner, guest);
      await page.goto('/dashboard/account#team');
      const panel = page.getByRole('region', { name: 'Team' });
      const roles = panel.getByRole('combobox', { name: 'Role of Priya Shah' });
      await roles.first().selectOption('member');
      const question = page.getByRole('alertdialog', { name: 'Give up being an owner?' });
      await question.getByText('Only another owner can make you one again.').waitFor();
      await expectAccessible(page);
      await question.getByRole('button', { name: 'Give it up' }).click();
      await panel.getByText('A team needs an owner: make somebody else one first.').waitFor();
      await roles.nth(1).selectOption('billing');
      const { database } = journey.app.resources;
      const roleOf = async () =>
        (await database.maybe('select role from northline_app.team_members where user_id = $1', [guest.id]))
          ?.role;
      await expect.poll(roleOf).toBe('billing');
      await panel.getByRole('button', { name: 'Stop paying for the team' }).click();
      await panel
        .getByText('Nobody pays for the team at the moment: everybody uses their own credits.')
        .waitFor();
      await panel.getByRole('button', { name: 'Remove Priya Shah' }).click();
      const removal = page.getByRole('alertdialog', { name: 'Remove Priya Shah?' });
      await removal
        .getByText(
          'At once they see no file of the team, use none of its credits, and the team sees none of theirs.',
        )
        .waitFor();
      await removal.getByRole('button', { name: 'Remove', exact: true }).click();
      await expect.poll(roleOf).toBeUndefined();
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('team');
    });
  });

  test('changes appear on its members’ pages without a reload, also for a removed member', async () => {
    const owner = await journey.visit((_page, context) => becomeUser(journey.app, context));
    const lease = await storeFor(owner, 'lease.txt');
    await journey.visit(async (page, context) => {
      const guest = await becomeUser(journey.app, context);
      await bringTogether(owner, guest);
      const { database } = journey.app.resources;
      const opened = await page.context().newPage();
      await opened.goto('/dashboard/account#team');
      const panel = opened.getByRole('region', { name: 'Team' });
      await panel.getByText('Harbour House').waitFor();
      await page.goto('/dashboard');
      await page.getByText('Nobody shows a file to the team yet.').waitFor();
      await database.run(
        `insert into northline_app.team_files (file_id, team_id, shared_by)
         select $1, team_id, user_id from northline_app.team_members where user_id = $2`,
        [lease, owner.id],
      );
      const row = page.locator('.team-rows').getByText('lease.txt');
      await row.waitFor();
      await callFunction(journey.app, 'rename-team', owner.token, { name: 'Quay House' });
      await page.getByRole('region', { name: /^Files of Quay House/ }).waitFor();
      await panel.getByText('Quay House').waitFor();
      await callFunction(journey.app, 'change-member', owner.token, { user_id: guest.id, role: 'owner' });
      await panel.getByRole('combobox', { name: 'Role of Priya Shah' }).first().waitFor();
      await callFunction(journey.app, 'remove-member', owner.token, { user_id: guest.id });
      await row.waitFor({ state: 'detached' });
      await panel.getByLabel('Name of the team').waitFor();
    });
  });

  test('its last owner learns before deleting the account what will happen to it, and hands it over', async () => {
    const guest = await journey.visit((_page, context) => becomeUser(journey.app, context));
    await journey.visit(async (page, context) => {
      const owner = await becomeUser(journey.app, context);
      expect((await callFunction(journey.app, 'create-team', owner.token, { name: 'Quay' })).status).toBe(
        200,
      );
      await page.goto('/dashboard/account#data');
      const data = page.getByRole('region', { name: 'Your data' });
      await data.getByRole('button', { name: 'Delete this account' }).click();
      await data.getByText('The team Quay ends with your account. Nobody else is in it.').waitFor();
      await callFunction(journey.app, 'remove-member', owner.token, { user_id: owner.id });
      await bringTogether(owner, guest);
      await page.reload();
      await data.getByRole('button', { name: 'Delete this account' }).click();
      await data
        .getByText(
          'You are the only owner of Harbour House. With your account the team ends: nobody in it sees files of the others or uses your credits any more. Everybody keeps their own files.',
        )
        .waitFor();
      await data.getByLabel('Type delete to confirm').fill('delete');
      await data.getByRole('button', { name: 'Delete account' }).click();
      await data.getByText('Make somebody else an owner first, or say that it may end.').waitFor();
      await data.getByLabel('The team may end with my account').waitFor();
      // A person without a name is shown by their address, which may be wider than the screen.
      await journey.app.resources.database.run(
        "update auth.users set raw_user_meta_data = '{}' where id = $1",
        [guest.id],
      );
      await data.locator('option', { hasText: guest.email }).waitFor({ state: 'attached' });
      await expectAccessible(page);
      await expectNarrow(page);
      await data.getByRole('button', { name: 'Make an owner' }).click();
      await data
        .getByText(
          'With your account you leave Harbour House, which goes on without the files that you showed to it. Your credits are no longer the team’s.',
        )
        .waitFor();
      await data.getByRole('button', { name: 'Delete account' }).click();
      await page.waitForURL('/');
    });
    const { database } = journey.app.resources;
    expect(
      await database.many('select role from northline_app.team_members where user_id = $1', [guest.id]),
    ).toEqual([{ role: 'owner' }]);
  });
});
