import fc from 'fast-check';
import { expect, test } from 'vitest';
import { showsSettings } from '../../../../tests/support/claims.ts';
import { SimulatedConversation } from '../../../../tests/support/voice/simulated-conversation.ts';
import type { ConversationEvent } from './conversation-events.server.ts';
import { stepConversation } from './conversation-step.server.ts';

test('nobody came, nobody spoke, or it took too long', () => {
  showsSettings('assistant', 'silenceTimeoutSeconds', 'maxDurationSeconds');
  const alone = new SimulatedConversation();
  alone.quiet(59_900);
  expect(alone.ended()).toBeUndefined();
  alone.quiet(200);
  expect(alone.ended()).toBe('customer-did-not-answer');

  const silent = new SimulatedConversation({ silenceTimeoutSeconds: 10 }).greeted();
  silent.quiet(9900);
  expect(silent.ended()).toBeUndefined();
  silent.quiet(200);
  expect(silent.ended()).toBe('silence-timed-out');

  const long = new SimulatedConversation({ maxDurationSeconds: 60, silenceTimeoutSeconds: 30 }).greeted();
  for (let round = 0; round < 20; round += 1) {
    long.says('and another thing');
    long.answers('Yes.');
    long.hearAll();
  }
  long.quiet(30_000);
  expect(long.ended()).toBe('exceeded-max-duration');
});

test('silence counts from the last word of either side', () => {
  const talk = new SimulatedConversation({ silenceTimeoutSeconds: 10 }).greeted();
  talk.quiet(8000);
  talk.says('hello');
  talk.quiet(8000);
  expect(talk.ended()).toBeUndefined();
  talk.answers('Hello.');
  talk.quiet(15_000);
  expect(talk.ended()).toBeUndefined();
  talk.hearAll();
  talk.quiet(9900);
  expect(talk.ended()).toBeUndefined();
  talk.quiet(300);
  expect(talk.ended()).toBe('silence-timed-out');
});

test('the assistant hangs up after its goodbye was heard, and nothing interrupts it', () => {
  showsSettings('assistant', 'endCallMessage');
  const talk = new SimulatedConversation({ endCallMessage: 'Goodbye.' }).greeted();
  talk.says('that is all');
  talk.on({ type: 'sentence', turn: talk.turn(), text: 'Thank you.' });
  talk.on({ type: 'reply-ended', turn: talk.turn(), hangUp: 'assistant-ended-call' });
  talk.says('wait stop');
  expect(talk.state.speech.map(({ text }) => text)).toEqual(['Thank you.', 'Goodbye.']);
  expect(talk.ended()).toBeUndefined();
  talk.hearAll();
  expect(talk.ended()).toBe('assistant-ended-call');
});

test('a phrase of the assistant ends the call when it was heard', () => {
  showsSettings('assistant', 'endCallPhrases');
  const talk = new SimulatedConversation({ endCallPhrases: ['have a nice day'] }).greeted();
  talk.says('thank you bye');
  talk.answers('You are welcome: have a nice day!');
  expect(talk.ended()).toBeUndefined();
  talk.hearAll();
  expect(talk.ended()).toBe('assistant-said-end-call-phrase');
});

test('say with an end: after what is being said, then the text, then the end', () => {
  const talk = new SimulatedConversation().greeted();
  talk.says('hello');
  talk.answers('One.', 'Two.');
  talk.on({ type: 'say', text: 'We close now.', endCallAfterSpoken: true });
  expect(talk.state.speech.map(({ text }) => text)).toEqual(['One.', 'Two.', 'We close now.']);
  talk.hearAll();
  expect(talk.ended()).toBe('assistant-ended-call-after-message-spoken');
});

test('a goodbye that is never heard is not waited for, nor a dialogue that never answers', () => {
  const talk = new SimulatedConversation().greeted();
  talk.on({ type: 'say', text: 'Goodbye.', endCallAfterSpoken: true });
  talk.quiet(20_100);
  expect(talk.ended()).toBe('assistant-ended-call-after-message-spoken');
  const stuck = new SimulatedConversation().greeted();
  stuck.says('hello');
  stuck.quiet(20_100);
  expect(stuck.ended()).toBe('pipeline-error-custom-llm-llm-failed');
});

const id = fc.integer({ min: 0, max: 12 });
const text = fc.constantFrom('', 'yes', 'uh-huh', 'stop', 'what does it cost', 'goodbye then', 'I want to');
const happening: fc.Arbitrary<ConversationEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .double({ min: 0, max: 1, noNaN: true })
      .map((probability) => ({ type: 'window' as const, ms: 32, probability })),
  },
  { weight: 4, arbitrary: fc.constant({ type: 'tick' as const }) },
  fc.constantFrom<ConversationEvent>(
    { type: 'joined' },
    { type: 'playable' },
    { type: 'say-first-message' },
    { type: 'mute-assistant' },
    { type: 'unmute-assistant' },
  ),
  fc.record({ type: fc.constant('partial' as const), utterance: id, text }),
  fc.record({ type: fc.constant('final' as const), utterance: id, text, confidence: fc.constant(0.5) }),
  fc.record({ type: fc.constant('typed' as const), text }),
  fc.record({ type: fc.constant('say' as const), text, endCallAfterSpoken: fc.boolean() }),
  fc.record({ type: fc.constant('sentence' as const), turn: id, text }),
  fc.record({ type: fc.constant('reply-ended' as const), turn: id }),
  fc.record({ type: fc.constant('audible' as const), speech: id }),
  fc.record({ type: fc.constant('played' as const), speech: id }),
);
const step = fc.record({ event: happening, later: fc.integer({ min: 0, max: 400 }) });

test('whatever happens: one end at most and nothing after it, no answer besides another, no lasting hold', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), fc.boolean(), (steps, joins) => {
      const talk = new SimulatedConversation({ maxDurationSeconds: 30, endCallPhrases: ['goodbye then'] });
      if (joins) talk.greeted();
      for (const { event, later } of steps) {
        talk.now += later;
        const before = talk.state;
        const frozen = JSON.stringify(before);
        talk.on(event);
        expect(JSON.stringify(before)).toBe(frozen);
      }
      // Whatever happened before, time alone ends it.
      talk.quiet(200);
      for (let second = 0; second < 90; second += 1) {
        talk.now += 1000;
        talk.on({ type: 'tick' });
      }
      expect(talk.count('end')).toBe(1);
      expect(talk.types().at(-1)).toBe('end');
      expect(stepConversation(talk.state, { type: 'typed', text: 'hello' }, talk.now).effects).toEqual([]);
      checkPairs(talk);
    }),
    { numRuns: Number(process.env.VOICE_PROPERTY_RUNS ?? 200) },
  );
});

/** Checks that what has begun ends before it begins again. */
function checkPairs(talk: SimulatedConversation): void {
  let held = false;
  let listening = false;
  const speech = { user: false, assistant: false };
  for (const effect of talk.log) {
    if (effect.type === 'hold') {
      expect(held).toBe(false);
      held = true;
    }
    if (['release', 'interrupt', 'cancel-reply'].includes(effect.type)) held = false;
    if (effect.type === 'begin-utterance' || effect.type === 'end-utterance') {
      expect(effect.type === 'begin-utterance').toBe(!listening);
      listening = !listening;
    }
    if (effect.type === 'speech-update') {
      expect(speech[effect.role]).toBe(effect.status === 'stopped');
      speech[effect.role] = effect.status === 'started';
    }
  }
}
