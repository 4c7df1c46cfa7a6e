import { expect, test } from 'vitest';
import type { Plan } from '../../kernel/contract/plans.ts';
import { PublishedSite } from '../../kernel/contract/site-content.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import { createPriceMap } from './price-map.server.ts';

// Nothing is read before `refresh`.
const parts = { database: {} as Database, site: new PublishedSite() };
const planOf = (price: string): Plan => parts.site.plans.find(price) as Plan;

test('STRIPE_PRICES maps both ways, and a plan that it does not name keeps its own id', () => {
  const prices = createPriceMap([' price_documents_pro = price_1Abc '], parts, true);
  expect(prices.toProvider(planOf('price_documents_pro'))).toBe('price_1Abc');
  expect(prices.fromProvider('price_1Abc')).toBe(planOf('price_documents_pro'));
  expect(prices.fromProvider('price_documents_pro')).toBeUndefined();
  expect(prices.toProvider(planOf('price_documents_basic'))).toBe('price_documents_basic');
  expect(prices.fromProvider('price_documents_basic')).toBe(planOf('price_documents_basic'));
});

test('a pair that names none of our plans, and one price for two plans, are refused in one sentence', () => {
  const made = (...pairs: string[]) => createPriceMap(pairs, parts, true);
  for (const pair of ['price_of_another=price_1', 'price_documents_pro=', 'price_documents_pro', '=price_1'])
    expect(() => made(pair)).toThrow(`STRIPE_PRICES has ${pair}, which is not a price id of ours`);
  expect(() => made('price_documents_pro=price_1', 'price_documents_basic=price_1')).toThrow(
    'STRIPE_PRICES gives the price price_1 to two plans.',
  );
  expect(() => made('price_documents_pro=price_documents_basic')).toThrow('to two plans');
});
