import { expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { createDocumentPasswords, HELD_MS } from './document-passwords.server.ts';

test('a password is kept for a day at most, and only for its analysis', () => {
  let clock = 0;
  const passwords = createDocumentPasswords(() => clock);
  passwords.hold('one', 'tulip');
  expect([passwords.get('one'), passwords.get('two')]).toEqual(['tulip', undefined]);
  clock = HELD_MS - 1;
  expect(passwords.get('one')).toBe('tulip');
  clock += 1;
  expect(passwords.get('one')).toBeUndefined();
});

test('an ended analysis leaves no password, and no more than 500 are kept', () => {
  claims('It is kept in memory while the file is read, and nowhere else.');
  const passwords = createDocumentPasswords(() => 0);
  for (let number = 0; number <= 500; number += 1) passwords.hold(String(number), 'tulip');
  expect([passwords.get('0'), passwords.get('1')]).toEqual([undefined, 'tulip']);
  passwords.drop('1');
  expect(passwords.get('1')).toBeUndefined();
});
