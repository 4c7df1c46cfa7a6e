import { expect, test } from 'vitest';
import type { TestLine } from './assistant-tests.contract.ts';
import { linesOf, messagesOf } from './test-lines.server.ts';

const line = (changes: Partial<TestLine>): TestLine => ({
  ...{ say: 'Hello', judge: 'contains', expect: '', tool: '' },
  ...changes,
});

test('lines become messages and come back as they were written', () => {
  const lines = [
    line({ expect: 'nine pounds (£9.00) \\ or more?' }),
    line({ judge: 'exact', expect: 'We open at nine.' }),
    line({ judge: 'regex', expect: '^We (open|close)' }),
    line({ tool: 'book_call' }),
    line({ expect: 'booked', tool: 'book_call' }),
    line({}),
  ];
  expect(linesOf(messagesOf(lines))).toEqual(lines);
  expect(messagesOf([line({ expect: 'nine' })])).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', judgePlan: { type: 'regex', content: '(?i)nine' } },
  ]);
});

test('what lines cannot say is left to the API that wrote it', () => {
  const user = { role: 'user', content: 'Hello' } as const;
  const judge = (more: object) =>
    ({ role: 'assistant', judgePlan: { type: 'exact', content: 'Hi' }, ...more }) as const;
  expect(linesOf([judge({})])).toBeNull();
  expect(linesOf([user, judge({}), judge({})])).toBeNull();
  expect(linesOf([user, judge({ continuePlan: { exitOnFailureEnabled: true } })])).toBeNull();
  expect(linesOf([{ role: 'system', content: 'Be brief.' }, user])).toBeNull();
  const twice = [{ name: 'a' }, { name: 'b' }];
  expect(linesOf([user, judge({ judgePlan: { type: 'exact', toolCalls: twice } })])).toBeNull();
  const given = [{ name: 'a', arguments: { n: 1 } }];
  expect(linesOf([user, judge({ judgePlan: { type: 'exact', toolCalls: given } })])).toBeNull();
});
