import { expect, test } from 'vitest';
import { isEmergencyName, isEmergencyNumber } from './emergency-numbers.contract.ts';

test('emergency numbers are known alone, with a country’s code, and as they are written', () => {
  for (const number of ['112', '999', '911', '110', '15', '17', '18', '101', '111', '000', '116 117'])
    expect(isEmergencyNumber(number), number).toBe(true);
  for (const number of ['+112', '+44999', '0044 999', '+1911', '+49110', '+3315', '+49 116117'])
    expect(isEmergencyNumber(number), number).toBe(true);
});

test('other numbers are not: those that begin or end like one, and the shortest of the world', () => {
  for (const number of [
    '+442079460112',
    '+12025550911',
    '+4915112345678',
    '+2474112',
    '+6834999',
    '100200',
    '16',
  ])
    expect(isEmergencyNumber(number), number).toBe(false);
});

test('a SIP address is one by the universal names and those of its country; extensions are not', () => {
  const is = (name: string, country = 'GB') => isEmergencyName(name, country);
  expect(['112', '999', '911', 'sos', 'sos.police', '+44999'].map((name) => is(name))).not.toContain(false);
  expect(['101', '111', '15', 'bob', 'sosie', '+442079460112'].map((name) => is(name))).not.toContain(true);
  expect([is('15', 'FR'), is('110', 'DE'), is('110', '')]).toEqual([true, true, false]);
});
