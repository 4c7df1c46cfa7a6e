import { expect, test } from 'vitest';
import { showsSettings } from '../../../../tests/support/claims.ts';
import { SimulatedConversation } from '../../../../tests/support/voice/simulated-conversation.ts';

const MESSAGE = 'This is Northline. Please call us back.';
const LOOKS = { voicemailDetection: { provider: 'vapi' }, voicemailMessage: MESSAGE } as const;
const GREETING = 'Hi, this is Ann. Please leave a message after the tone.';

const spoken = ({ log }: SimulatedConversation) =>
  log.flatMap((effect) => (effect.type === 'speak' ? [effect.text] : [])).slice(1);
const end = ({ log }: SimulatedConversation) => log.find((effect) => effect.type === 'end');
const replies = ({ log }: SimulatedConversation) => log.filter(({ type }) => type === 'reply');

test('a machine is not talked to: it gets the message after its tone, or the end without one', () => {
  showsSettings('assistant', 'voicemailDetection.provider', 'voicemailMessage');
  const call = new SimulatedConversation(LOOKS, true).greeted();
  call.says(GREETING, 2000);
  expect([spoken(call), replies(call)]).toEqual([[], []]);
  call.on({ type: 'beep', ms: 200 });
  expect(spoken(call)).toEqual([MESSAGE]);
  call.hearAll();
  expect(end(call)).toMatchObject({ reason: 'voicemail' });

  const silent = new SimulatedConversation({ voicemailDetection: { provider: 'vapi' } }, true).greeted();
  silent.says(GREETING, 2000);
  silent.on({ type: 'beep', ms: 200 });
  expect([spoken(silent), end(silent)]).toEqual([[], expect.objectContaining({ reason: 'voicemail' })]);
});

test('a machine without a tone gets the message in its silence, and one that never stops in the end', () => {
  const call = new SimulatedConversation(LOOKS, true).greeted();
  call.says('The person you are calling is not available.', 2000);
  call.quiet(320);
  expect(spoken(call)).toEqual([]);
  call.quiet(2500);
  expect(spoken(call)).toEqual([MESSAGE]);

  const endless = new SimulatedConversation(LOOKS, true).greeted();
  endless.says(GREETING, 2000);
  for (let part = 0; part < 30 && spoken(endless).length === 0; part += 1) {
    endless.voice(1500);
    endless.quiet(400);
  }
  expect(spoken(endless)).toEqual([MESSAGE]);
});

test('a greeting breaks off what is being said; a long tone alone is a machine, a short one is not', () => {
  const call = new SimulatedConversation(LOOKS, true);
  call.on({ type: 'joined' });
  call.on({ type: 'playable' });
  call.on({ type: 'audible', speech: call.state.speech[0]?.id ?? 0 });
  call.voice(1500);
  call.on({
    type: 'partial',
    utterance: call.state.utterance?.id ?? 0,
    text: 'please leave a message after the tone',
  });
  expect(call.log.some(({ type }) => type === 'interrupt')).toBe(true);
  expect(call.state.speech).toEqual([]);

  const toned = new SimulatedConversation(LOOKS, true).greeted();
  toned.on({ type: 'beep', ms: 200 });
  expect(spoken(toned)).toEqual([]);
  toned.on({ type: 'beep', ms: 600 });
  expect(spoken(toned)).toEqual([MESSAGE]);
});

test.each([
  'Hello, Ann Wood speaking.',
  'Would you like to leave a message for her?',
  'She is not here, can I take a message?',
  'Yes, I would like to know how much that is.',
])('a person is talked to: %s', (words) => {
  const call = new SimulatedConversation(LOOKS, true).greeted();
  call.says(words);
  expect(replies(call)).toHaveLength(1);
});

test('nothing is looked for where it is off, or somebody calls us, or the call is a minute old', () => {
  for (const call of [
    new SimulatedConversation({ ...LOOKS, voicemailDetection: 'off' }, true),
    new SimulatedConversation({ voicemailMessage: MESSAGE }, true),
    new SimulatedConversation(LOOKS, false),
  ]) {
    call.greeted().says(GREETING);
    expect(replies(call)).toHaveLength(1);
  }
  const old = new SimulatedConversation({ ...LOOKS, silenceTimeoutSeconds: 600 }, true).greeted();
  old.quiet(61_000);
  old.says(GREETING);
  expect(replies(old)).toHaveLength(1);
});
