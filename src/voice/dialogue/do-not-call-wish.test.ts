import { expect, test } from 'vitest';
import { asksNotToBeCalled } from './do-not-call-wish.server.ts';

test.each([
  'Do not call me again.',
  'Please don’t ever call us any more!',
  'never call this number',
  'I want you to stop calling me',
  'Stop ringing here, please',
  'Take me off your calling list.',
  'please remove my number from the list',
  'Put me on the do not call list',
  "don't call me",
])('%s is the wish not to be called', (text) => {
  expect(asksNotToBeCalled(text)).toBe(true);
});

test.each([
  'Do not call me before nine tomorrow',
  'You can call me again on Monday',
  'Why did you not call me yesterday?',
  'I never got a call from you',
  'Can you call me back?',
  'Please take that off my bill',
  'Who is calling?',
])('%s is no such wish', (text) => {
  expect(asksNotToBeCalled(text)).toBe(false);
});
