import { expect, test } from 'vitest';
import { coreOf } from './core-words.server.ts';

test.each([
  ['hello good morning i was just wondering if you take cheques please', 'you take cheques'],
  ['so could you please tell me where you are then', 'where you are'],
  ['i i want to to cancel', 'i want to cancel'],
  ['sorry quick question do you happen to know the price', 'the price'],
  ['what do you know', 'what do you know'],
  ['look at my contract', 'look at my contract'],
  ['hello please', 'hello please'],
])('%j means %j', (words, core) => {
  expect(coreOf(words)).toBe(core);
});
