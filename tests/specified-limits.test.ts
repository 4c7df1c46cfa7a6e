import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../src/kernel/contract/limits.ts';
import { BUSINESS_TIER, SPECIFIED_PLANS } from '../src/kernel/contract/plans.ts';

test('the times of the specification: splash 2 s, redirect 3 s, refreshes 30 s and 100 ms, credit message 6 s, cards 7 s', () => {
  expect(LIMITS).toMatchObject({
    splash: 2000,
    successRedirect: 3000,
    statisticsRefresh: 30_000,
    fileChangeRefresh: 100,
    creditErrorToast: 6000,
    carousel: 7000,
    uploadBytes: 104_857_600,
    signedUrlSeconds: 3600,
  });
  const sheet = path.join(import.meta.dirname, '..', 'src', 'site', 'home', 'splash.css');
  expect(readFileSync(sheet, 'utf8')).toContain(`splash-leave ${LIMITS.splash / 1000}s`);
});

test('the business tier is unlimited and has no price; no plan brings the design of a website', () => {
  expect(BUSINESS_TIER).toMatchObject({ documentsPerMonth: -1, price: 'Custom Pricing' });
  expect(SPECIFIED_PLANS.map(({ limits }) => limits.websiteDesign)).toEqual(SPECIFIED_PLANS.map(() => false));
  expect(SPECIFIED_PLANS.filter(({ mostPopular }) => mostPopular).map(({ name }) => name)).toEqual([
    'Pro Plan',
    'Professional Plan',
  ]);
});
