import { describe, expect, test } from 'vitest';
import { showsSettings } from '../../../tests/support/claims.ts';
import type { CallAssistant } from '../engines/engines.server.ts';
import { assistantSchema } from '../records/voice-assistant.contract.ts';
import type { ConversationEffect, ConversationEvent } from './conversation/conversation-events.server.ts';
import { conversationRules } from './conversation/conversation-rules.server.ts';
import { beginConversation, stepConversation } from './conversation/conversation-step.server.ts';
import { weigh } from './conversation/interruption-words.server.ts';
import { endpointDelayMs, pauseAfter } from './conversation/turn-ending.server.ts';
import { callReport } from './record/call-report.server.ts';
import type { CallMessage } from './record/transcript.server.ts';

/** A conversation whose sentences are heard at once, with a clock of its own. */
function conversation(assistant: CallAssistant) {
  let now = 0;
  let state = beginConversation(conversationRules(assistant), now);
  const spoken: [seconds: number, text: string][] = [];
  const other: ConversationEffect[] = [];
  const happen = (event: ConversationEvent): void => {
    const step = stepConversation(state, event, now);
    state = step.state;
    for (const effect of step.effects) {
      if (effect.type !== 'speak') {
        other.push(effect);
        continue;
      }
      spoken.push([now / 1000, effect.text]);
      happen({ type: 'audible', speech: effect.speech });
      happen({ type: 'played', speech: effect.speech });
    }
  };
  happen({ type: 'joined' });
  happen({ type: 'playable' });
  return {
    spoken,
    ended: () => other.find((effect) => effect.type === 'end'),
    happen,
    pass(seconds: number): void {
      for (const until = now + seconds * 1000; now < until; ) {
        now += 100;
        happen({ type: 'tick' });
      }
    },
  };
}

describe('messagePlan', () => {
  const messagePlan = {
    idleMessages: ['Are you still there?', 'Can I help?'],
    idleTimeoutSeconds: 6,
    idleMessageMaxSpokenCount: 3,
    silenceTimeoutMessage: 'Goodbye, then.',
  };

  test('asks a silent caller in turn, so often, and the silence still ends the call with a last word', () => {
    showsSettings(
      'assistant',
      'messagePlan.idleMessages',
      'messagePlan.idleTimeoutSeconds',
      'messagePlan.idleMessageMaxSpokenCount',
      'messagePlan.silenceTimeoutMessage',
    );
    const call = conversation({ firstMessage: 'Hello.', silenceTimeoutSeconds: 30, messagePlan });
    call.pass(31);
    expect(call.spoken.map(([at, text]) => [Math.round(at), text])).toEqual([
      [0, 'Hello.'],
      [6, 'Are you still there?'],
      [12, 'Can I help?'],
      [18, 'Are you still there?'],
      [30, 'Goodbye, then.'],
    ]);
    expect(call.ended()).toEqual({ type: 'end', reason: 'silence-timed-out' });
  });

  test('a caller who speaks begins the silence anew', () => {
    const call = conversation({ firstMessage: 'Hello.', silenceTimeoutSeconds: 30, messagePlan });
    call.pass(29);
    call.happen({ type: 'typed', text: 'yes' });
    call.happen({ type: 'reply-ended', turn: 99 });
    call.pass(2);
    expect(call.ended()).toBeUndefined();
  });

  test('without a plan nothing is said', () => {
    const call = conversation({ firstMessage: 'Hello.', silenceTimeoutSeconds: 30 });
    call.pass(31);
    expect(call.spoken).toHaveLength(1);
  });
});

test('hooks say something to a silent caller, each after its own time and so often, again once the caller spoke', () => {
  showsSettings(
    'assistant',
    'hooks[].on',
    'hooks[].do[].type',
    'hooks[].do[].exact',
    'hooks[].options.timeoutSeconds',
    'hooks[].options.triggerMaxCount',
    'hooks[].options.triggerResetMode',
  );
  const say = (exact: string | string[]) => [{ type: 'say' as const, exact }];
  const call = conversation({
    firstMessage: 'Hello.',
    silenceTimeoutSeconds: 60,
    hooks: [
      {
        on: 'customer.speech.timeout',
        do: say(['Still there?', 'Hello?']),
        options: { timeoutSeconds: 4, triggerMaxCount: 2, triggerResetMode: 'onUserSpeech' },
      },
      {
        on: 'customer.speech.timeout',
        do: say('I can wait.'),
        options: { timeoutSeconds: 10, triggerMaxCount: 1 },
      },
      { on: 'customer.speech.timeout', do: [{ type: 'tool' }] },
      { on: 'call.ending', do: say('never') },
    ],
  });
  call.pass(30);
  const spoken = () => call.spoken.map(([at, text]) => [Math.round(at), text]);
  const first = [
    [0, 'Hello.'],
    [4, 'Still there?'],
    [8, 'Hello?'],
    [18, 'I can wait.'],
  ];
  expect(spoken()).toEqual(first);
  call.happen({ type: 'typed', text: 'yes' });
  call.pass(0.2);
  call.happen({ type: 'reply-ended', turn: 5 });
  call.pass(12);
  expect(spoken().slice(first.length)).toEqual([
    [34, 'Still there?'],
    [38, 'Hello?'],
  ]);
});

test('stopSpeakingPlan names phrases that never and always take the turn', () => {
  showsSettings(
    'assistant',
    'stopSpeakingPlan.voiceSeconds',
    'stopSpeakingPlan.acknowledgementPhrases',
    'stopSpeakingPlan.interruptionPhrases',
  );
  const { phrases } = conversationRules({
    stopSpeakingPlan: { acknowledgementPhrases: ['Go on!'], interruptionPhrases: ['next question'] },
  });
  expect(weigh('go on', phrases).weight).toBe('acknowledgement');
  expect(weigh('go on').weight).toBe('words');
  expect(weigh('well next question please', phrases).weight).toBe('stop');
});

test('startSpeakingPlan says how long a pause ends a turn', () => {
  showsSettings(
    'assistant',
    'startSpeakingPlan.transcriptionEndpointingPlan.onPunctuationSeconds',
    'startSpeakingPlan.transcriptionEndpointingPlan.onNoPunctuationSeconds',
    'startSpeakingPlan.transcriptionEndpointingPlan.onNumberSeconds',
  );
  const { pauses } = conversationRules({
    startSpeakingPlan: {
      transcriptionEndpointingPlan: { onPunctuationSeconds: 0.2, onNoPunctuationSeconds: 1.2 },
    },
  });
  expect(
    ['It is me.', 'it is me', 'my number is five', ''].map((text) => endpointDelayMs(text, pauses)),
  ).toEqual([200, 1200, 500, 700]);
});

const message = (role: CallMessage['role'], text: string, more: object = {}): CallMessage => ({
  role,
  message: text,
  time: 0,
  endTime: 0,
  secondsFromStart: 0,
  ...more,
});
const outcome = {
  startedAt: 0,
  endedAt: 60_000,
  endedReason: 'customer-ended-call' as const,
  messages: [
    message('bot', 'Hello.'),
    message('user', 'Call me please, I am Ann'),
    message('tool_calls', 'take_enquiry', {
      toolCalls: [{ function: { name: 'take_enquiry', arguments: { name: 'Ann', phone: '+442079460000' } } }],
    }),
    message('tool_call_result', 'take_enquiry', { result: { id: 'ENQ-1' } }),
  ],
  transcript: 'AI: Hello.\nUser: Call me please, I am Ann\n',
  history: [],
  latencies: [],
  usage: { recognisedMs: 0, characters: 0, promptTokens: 0, completionTokens: 0 },
  media: undefined,
  analysis: undefined,
};

test('what providers charge by their own prices stands in place of the usual ones, and names who pays', () => {
  const usage = { recognisedMs: 60_000, characters: 1000, promptTokens: 1000, completionTokens: 0 };
  const charged = [
    { part: 'llm', credentialId: 'c1', dollars: 0.5 },
    { part: 'llm', credentialId: undefined, dollars: 0.25 },
  ] as const;
  const prices = {
    ...{ sttPerMinute: 1, ttsPer1000Characters: 2 },
    ...{ llmPer1000PromptTokens: 40, llmPer1000CompletionTokens: 40 },
  };
  expect(callReport({ ...outcome, usage: { ...usage, charged } }, {}, prices)).toMatchObject({
    cost: 3.75,
    costBreakdown: { stt: 1, tts: 2, llm: 0.75 },
    costs: [
      { type: 'transcriber', minutes: 1, cost: 1 },
      { type: 'model', promptTokens: 1000, completionTokens: 0, cost: 0.25 },
      { type: 'voice', characters: 1000, cost: 2 },
      { type: 'model', cost: 0.5, credentialId: 'c1' },
    ],
  });
  expect(callReport({ ...outcome, usage }, {}, prices)).toMatchObject({
    cost: 43,
    costs: [{ cost: 1 }, { cost: 40 }, { cost: 2 }],
  });
});

test('analysisPlan: what is not wanted is left out, structured data follow the schema', () => {
  showsSettings(
    'assistant',
    'analysisPlan.minMessagesThreshold',
    'analysisPlan.summaryPlan.enabled',
    'analysisPlan.structuredDataPlan.enabled',
    'analysisPlan.structuredDataPlan.schema.*',
    'analysisPlan.successEvaluationPlan.enabled',
    'analysisPlan.structuredDataSchema.*',
  );
  const schema = {
    type: 'object',
    properties: { Name: { type: 'string' }, phone: { type: 'number' }, town: {} },
  };
  const analysis = (analysisPlan: CallAssistant['analysisPlan']) =>
    callReport(outcome, { analysisPlan }).analysis;
  expect(
    analysis({ summaryPlan: { enabled: false }, structuredDataPlan: { enabled: true, schema } }),
  ).toEqual({ successEvaluation: 'true', structuredData: { Name: 'Ann' } });
  expect(analysis({ successEvaluationPrompt: 'off' })).not.toHaveProperty('successEvaluation');
  expect(analysis({ minMessagesThreshold: 3 })).toEqual({});
});

test('structured data have the types of the schema, from tools and from what was said', () => {
  const messages = [
    message('bot', 'Hello.'),
    message('user', 'A table for four people please, I am vegan, mail ann@example.com'),
    message('tool_calls', 'book_table', {
      toolCalls: [
        { function: { name: 'book_table', arguments: { guests: '4', terrace: 'yes', size: 'large' } } },
      ],
    }),
  ];
  const schema = {
    type: 'object',
    properties: {
      guests: { type: 'integer' },
      terrace: { type: 'boolean' },
      size: { type: 'string', enum: ['small', 'large'] },
      people: { type: 'number' },
      email: { type: 'string' },
      diet: { type: 'string', enum: ['vegan', 'vegetarian'] },
      town: { type: 'string' },
    },
  };
  const { structuredData } = callReport(
    { ...outcome, messages },
    { analysisPlan: { structuredDataPlan: { schema } } },
  ).analysis as { structuredData: object };
  expect(structuredData).toEqual({
    guests: 4,
    terrace: true,
    size: 'large',
    people: 4,
    email: 'ann@example.com',
    diet: 'vegan',
  });
});

test('hipaaEnabled: nothing that was said is in the record', () => {
  showsSettings('assistant', 'hipaaEnabled', 'compliancePlan.hipaaEnabled');
  for (const assistant of [{ hipaaEnabled: true }, { compliancePlan: { hipaaEnabled: true } }]) {
    const report = callReport(outcome, assistant);
    expect(JSON.stringify(report)).not.toContain('Ann');
    expect(report).toMatchObject({ status: 'ended', endedReason: 'customer-ended-call' });
  }
});

test('customEndpointingRules: the pause follows what was said and asked, in time that grows with the text only', () => {
  showsSettings('assistant', 'startSpeakingPlan.customEndpointingRules.*');
  const customEndpointingRules = [
    { type: 'both', assistantRegex: 'card number', customerRegex: '^[0-9 ]+$', timeoutSeconds: 3 },
    {
      type: 'customer',
      regex: 'HOLD ON',
      regexOptions: [{ type: 'ignore-case', enabled: true }],
      timeoutSeconds: 5,
    },
    { type: 'assistant', regex: 'spell', timeoutSeconds: 2 },
    { type: 'customer', regex: '(a+)+$', timeoutSeconds: 1 },
  ] as const;
  const rules = conversationRules({
    startSpeakingPlan: { customEndpointingRules: [...customEndpointingRules] },
  });
  expect(pauseAfter('4929 1', 'Please say your card number.', rules)).toBe(3000);
  expect(pauseAfter('hold on please', 'Yes?', rules)).toBe(5000);
  expect(pauseAfter('b', 'Please spell it.', rules)).toBe(2000);
  expect(pauseAfter('I am done.', 'Yes?', rules)).toBe(endpointDelayMs('I am done.'));
  // An expression that would take a backtracking engine longer than the age of the universe.
  expect(pauseAfter(`${'a'.repeat(5000)}!`, 'Yes?', rules)).toBe(endpointDelayMs('a!'));
  const wrong = [
    { type: 'customer', regex: '(a', timeoutSeconds: 1 },
    { type: 'customer', regex: 'a', timeoutSeconds: 99 },
  ];
  for (const rule of wrong) {
    const given = { startSpeakingPlan: { customEndpointingRules: [rule] } };
    expect(assistantSchema.safeParse(given).error?.issues[0]?.path).toContain('customEndpointingRules');
  }
});
