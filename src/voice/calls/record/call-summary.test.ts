import { expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { analyseByRules } from './call-summary.server.ts';
import type { CallMessage } from './transcript.server.ts';

const at = { time: 0, endTime: 0, secondsFromStart: 0 };
const user = (message: string): CallMessage => ({ role: 'user', message, ...at });
const bot = (message: string): CallMessage => ({ role: 'bot', message, ...at });
const tool = (name: string, given: object, result: unknown): CallMessage[] => [
  { role: 'tool_calls', message: name, toolCalls: [{ function: { name, arguments: given } }], ...at },
  { role: 'tool_call_result', message: name, result, ...at },
];
const analyse = (messages: readonly CallMessage[], rubric = 'PassFail') =>
  analyseByRules(messages, 'customer-ended-call', rubric);

test('a caller who was answered was served', () => {
  const messages = [
    bot('Hello. How can I help you?'),
    user('How much is the margherita?'),
    bot('It costs £9.'),
    user('thank you'),
  ];
  expect(analyse(messages)).toEqual({
    summary: 'The caller wanted: "How much is the margherita". Nothing was left open.',
    successEvaluation: 'true',
  });
});

test('to move and to cancel, and neither was done: both are open, and it is no success', () => {
  claims('Writes every call up: what was wanted, what was agreed and what is left open.');
  const messages = [
    bot('How can I help you?'),
    user('Please move my appointment to Friday'),
    bot('I will take a message, so that a colleague can change it for you. What is it about?'),
    user('Never mind. Can you cancel my booking?'),
    bot('All right, I leave that.'),
  ];
  expect(analyse(messages)).toEqual({
    summary:
      'The caller wanted: "Please move my appointment to Friday"; "Never mind. Can you cancel my booking". Left open: "Please move my appointment to Friday"; "Never mind. Can you cancel my booking".',
    successEvaluation: 'false',
  });
});

test('a message that was wanted is a success; one in place of what was wanted is not', () => {
  const taken = tool('take_enquiry', { name: 'Ann', notes: 'a shed' }, { id: 'ENQ-1' });
  expect(
    analyse([user('I want to leave a message'), bot('What is it about?'), user('a shed'), ...taken]),
  ).toMatchObject({
    summary:
      'The caller wanted: "I want to leave a message". Agreed: a message was taken for Ann about "a shed". Nothing was left open.',
    successEvaluation: 'true',
  });
  expect(
    analyse([user('I need to cancel my appointment'), bot('What is it about?'), user('a shed'), ...taken]),
  ).toMatchObject({
    summary: expect.stringContaining('Passed on as a message: "I need to cancel my appointment"'),
    successEvaluation: 'false',
  });
});

test('a booking that failed is open, one that was made is met', () => {
  const wish = [user('I would like to book a call'), bot('Which day?'), user('Tuesday')];
  const given = { start: '2026-03-03T10:00:00Z', name: 'Ann' };
  expect(analyse([...wish, ...tool('book_call', given, { error: 'no' })]).successEvaluation).toBe('false');
  expect(analyse([...wish, ...tool('book_call', given, { id: 'b1' })])).toMatchObject({
    summary: expect.stringContaining('Agreed: a call was booked for Ann at 2026-03-03T10:00:00Z'),
    successEvaluation: 'true',
  });
});

test('what was asked again and answered then is met; the rubric says how it is told', () => {
  const half = [
    user('Do you sell kites?'),
    bot("I don't have that here; shall I take a message?"),
    user('What do the bells cost?'),
    bot('Bells cost £3.'),
  ];
  const said = ['NumericScale', 'PercentageScale', 'DescriptiveScale', 'LikertScale', 'PassFail'].map(
    (rubric) => analyse(half, rubric).successEvaluation,
  );
  expect(said).toEqual(['6', '50%', 'Fair', 'Disagree', 'false']);
  expect(JSON.parse(analyse(half, 'Checklist').successEvaluation ?? '')).toEqual([
    { criterion: 'Do you sell kites?', status: 'open' },
    { criterion: 'What do the bells cost?', status: 'met' },
  ]);
  expect(
    analyse([...half, user('So do you sell kites?'), bot('Yes, kites cost £9.')]).successEvaluation,
  ).toBe('true');
});

test('a consent is no wish, and what was only asked back is not met', () => {
  const consented = [
    bot('May this call be recorded?'),
    user('Yes, I agree'),
    bot('Thank you. How can I help you?'),
    user('How much is the margherita?'),
    bot('It costs £9.'),
  ];
  expect(analyse(consented)).toEqual({
    summary: 'The caller wanted: "How much is the margherita". Nothing was left open.',
    successEvaluation: 'true',
  });
  const askedBack = [user('Is there an app for this?'), bot("Do you mean 'Is there an app'?")];
  expect(analyse(askedBack)).toMatchObject({ successEvaluation: 'false' });
});

test('a tool that did what was asked has met the wish, also where its answer was cut off', () => {
  const messages = [user('Find a free table please'), ...tool('find_free_table', {}, { table: 4 })];
  expect(analyse(messages)).toMatchObject({ successEvaluation: 'true' });
});

test('a caller who said nothing was not served', () => {
  expect(analyse([bot('Hello.')])).toEqual({
    summary: 'The caller said nothing.',
    successEvaluation: 'false',
  });
});

test('a colleague who had the call has answered, unless nobody knows what was said', () => {
  const colleague = (message: string): CallMessage => ({ role: 'system', kind: 'colleague', message, ...at });
  const notice: CallMessage = {
    role: 'system',
    kind: 'notice',
    message: 'A colleague has taken the call over.',
    ...at,
  };
  const asked = [user('What do the bells cost?'), notice];
  expect(analyse([...asked, colleague('Three pounds.')]).successEvaluation).toBe('true');
  expect(
    analyse([...asked, colleague('A colleague spoke; the words were not recognised.')]).successEvaluation,
  ).toBe('false');
});
