/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { becomeUser, type Journey, type Person } from '../journey.ts';
import { buyPlan, CARDS, settle } from './plan-purchase.ts';

/** The panel of the user's plan. */
export const currentPlanOf = (page: Page): Locator => page.getByRole('region', { name: 'Current Plan' });

/** A user who pays for a plan, on the Billing tab. */
export async function openBilling(
  journey: Journey,
  page: Page,
  priceId: string,
  card: string = CARDS.succeeds,
): Promise<Person> {
  const person = await becomeUser(journey.app, page.context());
  await buyPlan(journey.app, person.token, priceId, person.email, card);
  await settle(journey.app);
  await page.goto('/dashboard/billing');
  await currentPlanOf(page).waitFor();
  return person;
}

/** Unfolds the other plans. */
export const showPlans = (page: Page): Promise<void> =>
  page.getByRole('link', { name: 'Change plan' }).first().press('Enter');

/** Fills in the form under 'Change the card' on the provider's page. */
export async function saveCard(page: Page, card: string): Promise<void> {
  await page.waitForURL(/test-provider\/portal/);
  await page.getByLabel(/card number/i).fill(card);
  await page.getByLabel(/expir/i).fill('12 / 34');
  await page.getByLabel(/security code|cvc/i).fill('123');
  await page.getByLabel(/name on card/i).fill('Priya Shah');
  await page.getByRole('button', { name: 'Save the card' }).click();
}

/** Expects that no rule of axe is broken and nothing is wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target}`)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}
