import { expect, test } from 'vitest';
import { findDuration } from './durations.ts';

test('durations are read in figures and words of six languages; working days are recognised', () => {
  const said = (text: string) => {
    const { printed, count, unit, working } = findDuration(text) ?? {};
    return [printed, count, unit, working];
  };
  expect(said('not less than two months’ notice')).toEqual(['two months', 2, 'month', false]);
  expect(said('mit einer Frist von drei Monaten zum Quartalsende')).toEqual([
    'drei Monaten',
    3,
    'month',
    false,
  ]);
  expect(said('un préavis de six (6) mois')).toEqual(['six (6) mois', 6, 'month', false]);
  expect(said('een opzegtermijn van 1 maand')).toEqual(['1 maand', 1, 'month', false]);
  expect(said('una antelación mínima de treinta días hábiles')).toEqual([
    'treinta días hábiles',
    30,
    'day',
    true,
  ]);
  expect(said('preavviso di due settimane')).toEqual(['due settimane', 2, 'week', false]);
  expect(said('10 working days')).toEqual(['10 working days', 10, 'day', true]);
  expect(said('14 Werktage')).toEqual(['14 Werktage', 14, 'day', true]);
  expect(findDuration('in 2026, 3.5 months or some years')).toBeUndefined();
});
