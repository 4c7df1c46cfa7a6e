import { expect, test } from 'vitest';
import { needsSite } from './rings.ts';

test('only tests that need nothing do without the built site, and not those of them that read it', () => {
  expect(needsSite('src/kernel/contract/formats.test.ts')).toBe(false);
  expect(needsSite('tests/web/budgets.test.ts')).toBe(true);
  expect(needsSite('src/business/news/news-list.test.ts')).toBe(true);
  expect(needsSite('tests/journeys/main-journey.test.ts')).toBe(true);
});
