import { expect, test } from 'vitest';
import { initialsOf } from './avatar.tsx';

test.each([
  ['Priya Shah', 'PS'],
  ['Priya Anjali Shah', 'PS'],
  ['priya', 'P'],
  ['Élodie d’Arc', 'ÉA'],
  ['李 小龙', '李小'],
  ['priya.shah@customers.example', 'P'],
  ['Priya Raman (demo)', 'PR'],
  ['Priya (she/her) Shah', 'PS'],
  ['Ada 🦊 Óşman', 'AÓ'],
  ['בנימין כהן', 'בכ'],
  ['  ', ''],
  ['', ''],
  ['!!', ''],
])('initials of %j are %j', (name, expected) => {
  expect(initialsOf(name)).toBe(expected);
});
