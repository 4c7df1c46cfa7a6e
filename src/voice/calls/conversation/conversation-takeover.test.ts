import { expect, test } from 'vitest';
import { SimulatedConversation } from '../../../../tests/support/voice/simulated-conversation.ts';
import type { CallAssistant } from '../../engines/engines.server.ts';
import type { ConversationEffect } from './conversation-events.server.ts';

const BACK = 'You are speaking with the AI assistant again.';
const types = (effects: readonly ConversationEffect[]): string[] => effects.map(({ type }) => type);

/** A conversation that a colleague has taken over, with an empty log. */
function taken(assistant: CallAssistant = {}, goesOut = false): SimulatedConversation {
  const talk = new SimulatedConversation(assistant, goesOut).greeted();
  talk.on({ type: 'take-over' });
  talk.log.length = 0;
  return talk;
}

test('taken over, the assistant is silent at once and gives up what it was going to say', () => {
  const talk = new SimulatedConversation().greeted();
  talk.says('what does the audit cost');
  talk.answers('It is free.', 'It takes a week.');
  expect(types(talk.on({ type: 'take-over' }))).toEqual(['interrupt', 'speech-update']);
  const thinking = new SimulatedConversation().greeted();
  thinking.says('what does the audit cost');
  expect(types(thinking.on({ type: 'take-over' }))).toEqual(['cancel-reply']);
  const turn = thinking.turn();
  expect(thinking.on({ type: 'sentence', turn, text: 'It is free.' })).toEqual([]);
  expect(thinking.on({ type: 'reply-ended', turn, hangUp: 'assistant-ended-call' })).toEqual([]);
});

test('meanwhile the caller is understood and not answered, and nothing is said for silence', () => {
  const talk = taken({
    silenceTimeoutSeconds: 10,
    messagePlan: { idleMessages: ['Are you there?'], idleTimeoutSeconds: 5 },
  });
  expect(types(talk.says('can I have tuesday'))).toEqual([
    'begin-utterance',
    'speech-update',
    'pause-utterance',
    'end-utterance',
    'speech-update',
  ]);
  talk.on({ type: 'typed', text: 'tuesday at three' });
  talk.on({ type: 'say', text: 'We close now.', endCallAfterSpoken: true });
  talk.on({ type: 'say-first-message' });
  talk.quiet(60_000);
  expect(talk.types()).not.toContain('reply');
  expect(talk.types()).not.toContain('speak');
  expect(talk.ended()).toBeUndefined();
});

test('the longest length of a call holds for who took it over as well', () => {
  const talk = taken({ maxDurationSeconds: 60 });
  talk.quiet(61_000);
  expect(talk.ended()).toBe('exceeded-max-duration');
});

test('given back, it says so, and silence counts from then on', () => {
  const talk = taken({ silenceTimeoutSeconds: 10 });
  talk.quiet(30_000);
  expect(talk.on({ type: 'give-back', sentence: BACK })).toMatchObject([{ type: 'speak', text: BACK }]);
  talk.hearAll();
  talk.quiet(9000);
  expect(talk.ended()).toBeUndefined();
  talk.quiet(2000);
  expect(talk.ended()).toBe('silence-timed-out');
  expect(taken().on({ type: 'unmute-assistant' })).toEqual([]);
});

test('what the caller said after the colleague’s last words is answered then, what was said before is not', () => {
  const answered = taken();
  answered.says('can I have tuesday');
  answered.on({ type: 'colleague-spoke' });
  answered.on({ type: 'give-back', sentence: BACK });
  answered.hearAll();
  expect(answered.types()).not.toContain('reply');
  const open = taken();
  open.on({ type: 'colleague-spoke' });
  open.says('and what does it cost');
  open.on({ type: 'give-back', sentence: BACK });
  expect(open.types()).not.toContain('reply');
  open.hearAll();
  expect(open.log.find(({ type }) => type === 'reply')).toMatchObject({ text: 'and what does it cost' });
});

test('a muted assistant stays silent when it is given back, until it is unmuted', () => {
  const talk = taken();
  talk.on({ type: 'mute-assistant' });
  talk.says('are you there');
  expect(talk.on({ type: 'give-back', sentence: BACK })).toEqual([]);
  expect(types(talk.on({ type: 'unmute-assistant' }))).toEqual(['reply']);
});

test('whoever took a call over hears for themselves whether a machine answers', () => {
  const talk = taken({ voicemailDetection: { provider: 'vapi' }, voicemailMessage: 'Please call us.' }, true);
  talk.says('please leave a message after the tone');
  talk.on({ type: 'beep', ms: 900 });
  talk.quiet(20_000);
  expect(talk.types()).not.toContain('speak');
  expect(talk.ended()).toBeUndefined();
});

test('a call is taken over only while turns are taken; an assistant that waits for the caller says that it is back all the same', () => {
  const talk = new SimulatedConversation();
  talk.on({ type: 'take-over' });
  talk.on({ type: 'joined' });
  talk.on({ type: 'take-over' });
  expect(talk.state.taken).toBe(false);
  const made = new SimulatedConversation({ firstMessageMode: 'assistant-waits-for-user' });
  made.on({ type: 'joined' });
  made.on({ type: 'playable' });
  made.on({ type: 'take-over' });
  expect(made.on({ type: 'give-back', sentence: BACK })).toMatchObject([{ type: 'speak', text: BACK }]);
});
