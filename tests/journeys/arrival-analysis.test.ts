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

const note = (name: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from('The rent of 950 pounds is due on 3 May 2027. Notice is one month.'),
});

describe.skipIf(CHROMIUM === undefined)('a document that arrives', () => {
  test('is analysed at once if the account has chosen that, on every device, and is left alone otherwise', async () => {
    claims('The choice could not be kept.');
    await journey.visit(async (page, context) => {
      const { id } = await becomeUser(journey.app, context);
      await journey.app.resources.database.run(
        `insert into public.customers (user_id, credits) values ($1, 5)
         on conflict (user_id) do update set credits = 5`,
        [id],
      );
      await page.goto('/dashboard');
      const wish = page.getByRole('checkbox', { name: 'Analyse documents as they arrive' });
      const upload = (name: string) => page.locator('input[type=file]').setInputFiles(note(name));
      expect(await wish.isChecked()).toBe(false);
      await upload('first.txt');
      await page.getByRole('button', { name: 'Analyze first.txt' }).waitFor();
      await wish.check();
      await expect
        .poll(async () => {
          const [row] = await journey.app.resources.database.many(
            "select raw_user_meta_data ->> 'analyze_on_upload' as wish from auth.users where id = $1",
            [id],
          );
          return row?.wish;
        })
        .toBe('true');
      await page.reload();
      await expect.poll(() => wish.isChecked()).toBe(true);
      await upload('second.txt');
      await page.getByRole('link', { name: 'View Analysis of second.txt' }).waitFor();
      await page.getByRole('button', { name: 'Analyze first.txt' }).waitFor();
      await expectAccessible(page);
      await page.route('**/auth/v1/user', (route) => route.fulfill({ status: 503, json: { msg: 'later' } }));
      await wish.click();
      await page.getByText('The choice could not be kept. Please try again.').waitFor();
      await expect.poll(() => wish.isChecked()).toBe(true);
    });
  });
});
