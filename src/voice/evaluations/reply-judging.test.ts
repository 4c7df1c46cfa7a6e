import { expect, test } from 'vitest';
import { judgeReply } from './reply-judging.server.ts';

const reply = (text: string, ...names: string[]) => ({
  text,
  calls: names.map((name) => ({ name, arguments: { start: '2026-03-10T15:00:00.000Z', guests: 4 } })),
});

test('exact words are compared without case and outer spaces, an expression is looked for anywhere', () => {
  const exact = { type: 'exact', content: 'We open at nine.' } as const;
  expect(judgeReply(exact, reply('  we open  at NINE. '))).toBeNull();
  expect(judgeReply(exact, reply('We open at nine. Anything else?'))).toBe(
    'The words are not “We open at nine.”.',
  );
  const pattern = { type: 'regex', content: '(?i)nine pounds?' } as const;
  expect(judgeReply(pattern, reply('A margherita is Nine pounds.'))).toBeNull();
  expect(judgeReply(pattern, reply('A margherita is ten pounds.'))).toBe(
    'Nothing in the words is matched by (?i)nine pounds?',
  );
});

test('tools that are expected have to be called, with the arguments that are named', () => {
  const wants = (type: 'exact' | 'regex', given?: Record<string, unknown>) =>
    ({
      type,
      toolCalls: [{ name: 'book_call', ...(given === undefined ? {} : { arguments: given }) }],
    }) as Parameters<typeof judgeReply>[0];
  expect(judgeReply(wants('exact'), reply('Booked.', 'free_times', 'book_call'))).toBeNull();
  expect(judgeReply(wants('exact'), reply('Booked.'))).toBe('The tool book_call was not called.');
  expect(judgeReply(wants('exact', { guests: 4 }), reply('Booked.', 'book_call'))).toBeNull();
  expect(judgeReply(wants('exact', { guests: 5 }), reply('Booked.', 'book_call'))).toBe(
    'The tool book_call was called with other arguments.',
  );
  expect(judgeReply(wants('regex', { start: '^2026-03' }), reply('Booked.', 'book_call'))).toBeNull();
  expect(judgeReply(wants('regex', { start: '^2027' }), reply('Booked.', 'book_call'))).not.toBeNull();
});

test('an expression that would take for ever elsewhere is answered at once', () => {
  const hostile = { type: 'regex', content: '(a+)+$' } as const;
  expect(judgeReply(hostile, reply(`${'a'.repeat(50_000)}b`))).not.toBeNull();
});
