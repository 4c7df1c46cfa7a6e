/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstOperatorAddress } from '../../src/business/console/first-operator.server.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { type Journey, signUp, somebody, startJourney } from '../support/journey.ts';

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

describe.skipIf(CHROMIUM === undefined)('the owner of a fresh installation', () => {
  test('gets the console at the address of the first start, without a terminal, and is led to a second factor', async () => {
    claims(
      '… becomes the first operator: the person who reads enquiries, answers customers and edits the site.',
      'Others come in by your word.',
      'Set up a second factor now: a password alone protects every enquiry and every customer.',
      'It ends with recovery codes.',
    );
    const address = (await firstOperatorAddress(journey.app.resources)) ?? '';
    const person = somebody();
    await journey.visit(async (page) => {
      await page.goto(address);
      await page.getByRole('heading', { name: 'Create Your Account' }).waitFor();
      await signUp(page, person);
      await page.getByRole('heading', { name: 'Make the console yours' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Take the console' }).click();
      await page.getByRole('heading', { name: 'The console is yours' }).waitFor();
      await expectAccessible(page);
      const next = page.getByRole('link', { name: 'Set up a second factor' });
      expect(await next.getAttribute('href')).toBe('/dashboard/account#second-factor');
      await page.getByRole('button', { name: 'Open the console' }).click();
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      expect(page.url()).toBe(`${journey.app.url}/operator`);
    });
    // A person who finds the address later gets nothing by it.
    await journey.visit(async (page) => {
      const other = somebody();
      await page.goto(address);
      await signUp(page, other);
      await page.getByRole('button', { name: 'Take the console' }).click();
      await page
        .getByText('The console has its first operator already. Ask that person to let you in.')
        .waitFor();
      await page.goto('/operator');
      await page.getByRole('heading', { name: "This console is the agency's own" }).waitFor();
    });
  });
});
