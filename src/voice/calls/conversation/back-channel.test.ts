import { expect, test } from 'vitest';
import { showsSettings } from '../../../../tests/support/claims.ts';
import { SimulatedConversation } from '../../../../tests/support/voice/simulated-conversation.ts';
import type { CallAssistant } from '../../engines/engines.server.ts';

/** A caller has spoken for `ms`, has paused for 0.22 s and speaks on. */
function told(ms: number, assistant: CallAssistant = { backchannelingEnabled: true }): SimulatedConversation {
  const talk = new SimulatedConversation(assistant).greeted();
  talk.voice(ms);
  talk.partial('so we have had this website for years and');
  talk.quiet(224);
  talk.log.length = 0;
  return talk;
}

test('who tells something long and speaks on after a pause is shown that one listens, now and then', () => {
  showsSettings('assistant', 'backchannelingEnabled');
  const talk = told(3200);
  talk.voice(160);
  expect(talk.count('back-channel')).toBe(0);
  talk.voice(96);
  expect(talk.types()).toEqual(['resume-utterance', 'back-channel']);
  // Not again within six seconds, nor without a pause before it.
  talk.quiet(224);
  talk.voice(1000);
  expect(talk.count('back-channel')).toBe(1);
  talk.voice(6000);
  expect(talk.count('back-channel')).toBe(1);
  talk.quiet(224);
  talk.voice(320);
  expect(talk.count('back-channel')).toBe(2);
});

test('nothing is heard at the end of a turn, after few words, or where nobody asked for it', () => {
  const ending = told(3200);
  ending.quiet(2000);
  expect(ending.count('end-utterance')).toBe(1);
  expect(ending.count('back-channel')).toBe(0);
  const short = told(1000);
  short.voice(640);
  expect(short.count('back-channel')).toBe(0);
  for (const assistant of [{}, { backchannelingEnabled: false }]) {
    const silent = told(3200, assistant);
    silent.voice(640);
    expect(silent.count('back-channel')).toBe(0);
  }
});

test('whoever reads out a number is left alone, and so is a caller while the assistant is muted or speaks', () => {
  const asked = 'What is your phone number, digit by digit?';
  const reading = told(3200, { backchannelingEnabled: true, firstMessage: asked });
  reading.voice(640);
  expect(reading.count('back-channel')).toBe(0);
  const muted = told(3200);
  muted.on({ type: 'mute-assistant' });
  muted.voice(640);
  expect(muted.count('back-channel')).toBe(0);
  const speaking = told(3200);
  speaking.on({ type: 'say', text: 'One moment.', endCallAfterSpoken: false });
  speaking.voice(640);
  expect(speaking.count('back-channel')).toBe(0);
});
