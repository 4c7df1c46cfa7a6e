import { expect, test } from 'vitest';
import { Catalogue, type Plan, SPECIFIED_PLANS } from './plans.ts';

const [basic, pro] = SPECIFIED_PLANS as readonly [Plan, Plan];

test('lines about allowances and prices are computed, whatever was written before the plan changed', () => {
  expect(pro.features).toEqual(['100 documents a month', '1,000 MB storage']);
  expect(new Catalogue().courses.map(({ features }) => features.at(-1))).toEqual([
    'Videos up to 15 minutes',
    'Videos up to 30 minutes',
    'Videos of any length',
  ]);
  const changed = {
    ...pro,
    pricePence: 9900,
    features: ['100 documents a month', '49p a document', '1,000 MB storage', 'A named person to ask'],
    limits: { ...pro.limits, creditsPerMonth: 1, storageMb: 3072 },
  };
  expect(new Catalogue([changed]).documents[0]?.features).toEqual([
    '1 document a month',
    '3 GB storage',
    'A named person to ask',
  ]);
});

test('a plan is the most popular only where there is a choice', () => {
  expect(new Catalogue().documents.filter(({ mostPopular }) => mostPopular)).toHaveLength(1);
  expect(new Catalogue([pro], [basic]).documents[0]?.mostPopular).toBe(false);
  const both = new Catalogue([basic, pro]);
  expect(both.documents.map(({ mostPopular }) => mostPopular)).toEqual([false, true]);
});
