import { expect, test } from 'vitest';
import { showsSettings } from '../../../../tests/support/claims.ts';
import { SimulatedConversation } from '../../../../tests/support/voice/simulated-conversation.ts';
import type { ConversationEffect } from './conversation-events.server.ts';

const types = (effects: readonly ConversationEffect[]): string[] => effects.map(({ type }) => type);
const only = (effects: readonly ConversationEffect[], type: ConversationEffect['type']) =>
  effects.filter((effect) => effect.type === type);

/** A conversation in which the assistant is being heard, with `sentences` of an answer. */
function speaking(...sentences: string[]): SimulatedConversation {
  const talk = new SimulatedConversation().greeted();
  talk.says('what does the audit cost');
  talk.answers(...(sentences.length > 0 ? sentences : ['It is free.', 'It takes a week.']));
  talk.log.length = 0;
  return talk;
}

test('the client says playable, is told to listen, and then hears the first message', () => {
  const talk = new SimulatedConversation();
  expect(talk.on({ type: 'playable' })).toEqual([]);
  talk.on({ type: 'joined' });
  expect(talk.on({ type: 'playable' })).toMatchObject([
    { type: 'listening' },
    { type: 'speak', text: 'Hello. How can I help?' },
  ]);
  expect(talk.on({ type: 'playable' })).toEqual([]);
});

test('a client that never says playable is served after five seconds', () => {
  const talk = new SimulatedConversation();
  talk.on({ type: 'joined' });
  expect(talk.quiet(4900)).toEqual([]);
  expect(types(talk.quiet(200))).toEqual(['listening', 'speak']);
});

test('a first message may be made up, or wait until it is asked for, and comes once', () => {
  showsSettings('assistant', 'firstMessage', 'firstMessageMode');
  const made = new SimulatedConversation({
    firstMessageMode: 'assistant-speaks-first-with-model-generated-message',
  });
  made.on({ type: 'joined' });
  expect(types(made.on({ type: 'playable' }))).toEqual(['listening', 'greet']);
  const waits = new SimulatedConversation({ firstMessageMode: 'assistant-waits-for-user' });
  waits.on({ type: 'joined' });
  expect(types(waits.on({ type: 'playable' }))).toEqual(['listening']);
  expect(types(waits.on({ type: 'say-first-message' }))).toEqual(['speak']);
  expect(types(waits.on({ type: 'say-first-message' }))).toEqual([]);
});

test('a recording that begins when the assistant has spoken already brings no first message into the talk', () => {
  const waiting = () => new SimulatedConversation({ firstMessageMode: 'assistant-waits-for-user' }).greeted();
  const begun = waiting();
  expect(types(begun.on({ type: 'say-first-message', recorded: true }))).toEqual(['speak']);
  const talk = waiting();
  talk.says('what does the audit cost');
  talk.answers('Nine hundred. May I record this call?');
  talk.hearAll();
  expect(types(talk.on({ type: 'say-first-message', recorded: true }))).toEqual([]);
});

/** A conversation whose caller was asked about recording and has answered. */
function answeredQuestion(given: boolean, greets = true): SimulatedConversation {
  const talk = new SimulatedConversation({}, false, 'May I record this call?').greeted();
  talk.says('yes');
  talk.on({ type: 'recording-answered', given, greets });
  talk.answers(given ? 'It is recorded from now on.' : 'It is not recorded.');
  talk.log.length = 0;
  return talk;
}
const FIRST = { type: 'speak', text: 'Hello. How can I help?' };

test('a first message waits for the recording: for the yes, then until its beginning is heard of, or three seconds', () => {
  const asked = new SimulatedConversation({}, false, 'May I record this call?');
  asked.on({ type: 'joined' });
  expect(asked.on({ type: 'playable' })).toMatchObject([
    { type: 'listening' },
    { type: 'speak', text: 'May I record this call?' },
  ]);
  asked.hearAll();
  expect(asked.on({ type: 'say-first-message', recorded: true })).toEqual([]);
  expect(only(asked.quiet(10_000), 'speak')).toEqual([]);

  const begun = answeredQuestion(true);
  begun.on({ type: 'say-first-message', recorded: true });
  expect(only(begun.quiet(100), 'speak')).toEqual([]);
  begun.hearAll();
  expect(only(begun.quiet(100), 'speak')).toMatchObject([FIRST]);
  expect(types(begun.on({ type: 'say-first-message', recorded: true }))).toEqual([]);
  begun.hearAll();
  expect(only(begun.quiet(5000), 'speak')).toEqual([]);

  const silent = answeredQuestion(true);
  silent.hearAll();
  expect(only(silent.quiet(2900), 'speak')).toEqual([]);
  expect(only(silent.quiet(200), 'speak')).toMatchObject([FIRST]);
});

test('without a yes the first message comes at once; whoever has asked for something is answered, and greeted no more', () => {
  const refused = answeredQuestion(false);
  refused.hearAll();
  expect(only(refused.quiet(100), 'speak')).toMatchObject([FIRST]);

  const answered = answeredQuestion(true, false);
  answered.hearAll();
  answered.on({ type: 'say-first-message', recorded: true });
  expect(only(answered.quiet(5000), 'speak')).toEqual([]);

  const impatient = answeredQuestion(true);
  impatient.hearAll();
  expect(only(impatient.says('what does the audit cost', 500), 'reply')).toHaveLength(1);
  impatient.answers('It is free.');
  impatient.hearAll();
  expect(impatient.quiet(5000).filter((effect) => effect.type === 'speak')).toEqual([]);

  const waits = new SimulatedConversation(
    { firstMessageMode: 'assistant-waits-for-user' },
    ...([false, 'May I record this call?'] as const),
  ).greeted();
  expect(only(waits.log, 'speak')).toEqual([]);
});

test('a turn: voice, 300 ms of silence after a whole sentence, its text, an answer', () => {
  const talk = new SimulatedConversation().greeted();
  talk.log.length = 0;
  talk.voice(1000);
  talk.partial('what does the audit cost');
  expect(types(talk.quiet(280))).not.toContain('end-utterance');
  expect(types(talk.quiet(64))).toContain('end-utterance');
  expect(talk.final('what does the audit cost')).toMatchObject([
    { type: 'reply', text: 'what does the audit cost', typed: false },
  ]);
  expect(types(talk.log)).toEqual([
    'begin-utterance',
    'speech-update',
    'pause-utterance',
    'end-utterance',
    'speech-update',
    'reply',
  ]);
});

test('after 0.2 s of silence what was said may be all; a caller who goes on has it taken back', () => {
  const talk = new SimulatedConversation().greeted();
  talk.voice(1000);
  const [before, after] = [types(talk.quiet(160)), types(talk.quiet(64))];
  expect(before).not.toContain('pause-utterance');
  expect(after).toContain('pause-utterance');
  expect(types(talk.voice(64))).toEqual(['resume-utterance']);
  expect(types(talk.quiet(224))).toEqual(['pause-utterance']);
});

test.each([
  ['What is your phone number, digit by digit?', 'digits'],
  ['May I have your customer number, please?', 'digits'],
  ['Please spell your last name letter by letter.', 'letters'],
  ['What is your e-mail address? If you have none, just say no.', 'letters'],
  ['How can I help you?', undefined],
  ['Our number is on the page.', undefined],
])('after "%s" callers are expected to read out %s', (asked, expected) => {
  const talk = new SimulatedConversation().greeted();
  talk.on({ type: 'say', text: asked, endCallAfterSpoken: false });
  const [spoken] = only(talk.log, 'speak').slice(-1) as { speech?: number }[];
  talk.on({ type: 'audible', speech: spoken?.speech ?? 0 });
  talk.on({ type: 'played', speech: spoken?.speech ?? 0 });
  expect(only(talk.voice(100), 'begin-utterance')).toMatchObject([{ expected }]);
});

test.each([
  ['I would like to', 1500],
  ['my number is oh two oh', 1500],
  ['call me at five five five', 1500],
  ['book a call on tuesday', 300],
  ['Yes.', 300],
  ['', 700],
])('after "%s" a pause of %d ms ends the turn', (partial, delay) => {
  const talk = new SimulatedConversation().greeted();
  talk.voice(640);
  talk.partial(partial);
  const end = only(talk.quiet(2000), 'end-utterance')[0] as { at?: number } | undefined;
  const waited = (end?.at ?? 0) - talk.state.lastVoiceAt;
  expect(waited).toBeGreaterThanOrEqual(delay);
  expect(waited).toBeLessThan(delay + 70);
});

test('a click opens no turn, and voice of which nothing was understood is asked about', () => {
  const talk = new SimulatedConversation().greeted();
  talk.log.length = 0;
  talk.voice(32);
  talk.quiet(2000);
  expect(talk.types()).toEqual([]);
  talk.says('', 200);
  expect(talk.count('reply')).toBe(0);
  talk.says('', 1200);
  expect(only(talk.log, 'reply')).toMatchObject([{ text: '', confidence: 0 }]);
});

test('words that the recogniser does not read are asked for again, and the call goes on', () => {
  const talk = new SimulatedConversation().greeted();
  const sorry = { type: 'speak', text: expect.stringMatching(/^Sorry, I could not hear that/) };
  talk.log.length = 0;
  talk.voice(800);
  talk.quiet(6500);
  const [late] = only(talk.log, 'end-utterance') as { utterance: number }[];
  expect([only(talk.log, 'speak'), talk.count('reply')]).toEqual([[expect.objectContaining(sorry)], 0]);
  talk.hearAll();
  // A text that comes after all is not answered a second time.
  talk.on({ type: 'final', utterance: late?.utterance ?? 0, text: 'how much is it', confidence: 0.9 });
  expect(talk.count('reply')).toBe(0);
  // A recogniser that fails at once is told from a cough, also for a short word.
  talk.log.length = 0;
  talk.voice(300);
  talk.quiet(1600);
  const [closed] = talk.state.due;
  talk.on({ type: 'final', utterance: closed?.id ?? 0, text: '', confidence: 0, lost: true });
  expect(only(talk.log, 'speak')).toMatchObject([sorry]);
  talk.hearAll();
  talk.says('how much is it');
  expect(only(talk.log, 'reply')).toMatchObject([{ text: 'how much is it' }]);
});

test('barge-in: the assistant is silent within 130 ms of certain voice, and words take its turn', () => {
  const talk = speaking();
  const onset = talk.now;
  const hold = only(talk.voice(300), 'hold')[0] as { at?: number } | undefined;
  expect((hold?.at ?? 0) - onset).toBeLessThanOrEqual(130);
  expect(types(talk.partial('and what about the price'))).toEqual([
    'interrupt',
    'user-interrupted',
    'speech-update',
  ]);
  talk.quiet(1600);
  expect(talk.final('and what about the price of the site')).toMatchObject([
    { type: 'reply', text: 'and what about the price of the site' },
  ]);
});

test.each(['', 'uh-huh', 'Okay.', 'yeah right', 'mm'])(
  'a cough or an acknowledgement (%j) does not cost the answer',
  (text) => {
    const talk = speaking();
    talk.voice(400);
    talk.partial(text);
    talk.quiet(800);
    talk.final(text);
    expect(talk.count('hold')).toBe(1);
    expect(talk.count('release')).toBe(1);
    expect(talk.count('interrupt') + talk.count('user-interrupted') + talk.count('reply')).toBe(0);
    expect(talk.state.speech).toHaveLength(2);
  },
);

test('voice that is not certain, or that comes before anything is heard, holds after 200 ms only', () => {
  const doubtful = speaking();
  expect(only(doubtful.sound(192, 0.6), 'hold')).toEqual([]);
  expect(only(doubtful.sound(64, 0.6), 'hold')).toHaveLength(1);
  const thinking = new SimulatedConversation().greeted();
  thinking.says('what does it cost');
  expect(only(thinking.voice(192), 'hold')).toEqual([]);
  expect(only(thinking.voice(64), 'hold')).toHaveLength(1);
});

test('a first word that is another one a moment later costs no answer', () => {
  const talk = speaking();
  talk.voice(260);
  talk.partial('but');
  talk.voice(160);
  talk.partial('uh huh');
  expect(only(talk.quiet(320), 'release')).toHaveLength(1);
  talk.final('uh huh');
  expect(talk.count('interrupt')).toBe(0);
});

test('after a noise of 0.15 s the assistant goes on within 0.3 s', () => {
  const talk = speaking();
  talk.voice(150);
  const release = only(talk.quiet(320), 'release');
  expect(talk.count('hold')).toBe(1);
  expect(release).toHaveLength(1);
});

test('an acknowledgement that goes on with words takes the turn', () => {
  const talk = speaking();
  talk.voice(400);
  talk.partial('yeah');
  expect(only(talk.quiet(320), 'release')).toHaveLength(1);
  talk.final('yeah but what does it cost');
  expect(talk.count('interrupt')).toBe(1);
});

test('a held assistant goes on one second after the voice when its text never comes', () => {
  const talk = speaking();
  talk.voice(300);
  talk.quiet(2500);
  expect(talk.count('release')).toBe(1);
  expect(talk.count('interrupt')).toBe(0);
});

test('somebody who keeps talking takes the turn even when no word is recognised', () => {
  const talk = speaking();
  talk.voice(2500);
  expect(talk.count('interrupt')).toBe(1);
});

test('"no" and "stop" take the turn however short they were', () => {
  for (const word of ['no', 'Stop!', 'hold on', 'excuse me']) {
    const talk = speaking();
    talk.voice(130);
    talk.quiet(800);
    talk.final(word);
    expect([word, talk.count('interrupt')]).toEqual([word, 1]);
    expect(only(talk.log, 'reply')).toMatchObject([{ text: word }]);
  }
});

test('an assistant that wants three words goes on speaking until they are there', () => {
  showsSettings('assistant', 'numWordsToInterruptAssistant', 'stopSpeakingPlan.numWords');
  const talk = new SimulatedConversation({ numWordsToInterruptAssistant: 3 }).greeted();
  talk.says('what does it cost');
  talk.answers('It is free.');
  talk.log.length = 0;
  talk.voice(600);
  talk.partial('but the');
  expect(talk.types()).not.toContain('hold');
  expect(talk.count('interrupt')).toBe(0);
  talk.partial('but the price');
  expect(talk.count('interrupt')).toBe(1);
});

test('a first message that may not be interrupted is heard to its end', () => {
  showsSettings('assistant', 'firstMessageInterruptionsEnabled');
  const talk = new SimulatedConversation({ firstMessageInterruptionsEnabled: false });
  talk.on({ type: 'joined' });
  talk.on({ type: 'playable' });
  talk.on({ type: 'audible', speech: talk.state.speech[0]?.id ?? 0 });
  talk.says('hello hello can you hear me');
  expect(talk.count('hold') + talk.count('interrupt')).toBe(0);
  talk.on({ type: 'typed', text: 'What does it cost?' });
  expect([talk.count('interrupt'), talk.count('reply')]).toEqual([0, 0]);
  talk.hearAll();
  expect(only(talk.log, 'reply')).toMatchObject([{ text: 'What does it cost?', typed: true }]);
});

test('a caller who only paused is answered once, to all that was said', () => {
  const talk = new SimulatedConversation().greeted();
  talk.says('I want a website');
  talk.log.length = 0;
  talk.voice(500);
  expect(talk.count('hold')).toBe(1);
  talk.partial('with a shop');
  expect(talk.types()).toContain('cancel-reply');
  expect(talk.count('user-interrupted')).toBe(0);
  talk.quiet(1600);
  expect(talk.final('with a shop')).toMatchObject([{ type: 'reply', text: 'I want a website with a shop' }]);
});

test('sentences of a turn that was given up are not spoken', () => {
  const talk = new SimulatedConversation().greeted();
  talk.says('I want a website');
  const given = talk.turn();
  talk.says('with a shop');
  expect(talk.on({ type: 'sentence', turn: given, text: 'Late.' })).toEqual([]);
  expect(talk.on({ type: 'reply-ended', turn: given })).toEqual([]);
});

test('speech is not answered sooner than the response delay, nor an interruption within its back-off', () => {
  showsSettings(
    'assistant',
    'responseDelaySeconds',
    'startSpeakingPlan.waitSeconds',
    'stopSpeakingPlan.backoffSeconds',
  );
  const talk = new SimulatedConversation({
    responseDelaySeconds: 2,
    stopSpeakingPlan: { backoffSeconds: 5 },
  }).greeted();
  talk.says('what does it cost');
  const voiceEnded = talk.state.lastVoiceAt;
  talk.answers('It is free.');
  expect(only(talk.log, 'speak').at(-1)).toMatchObject({ notBefore: voiceEnded + 2000 });
  talk.voice(250);
  talk.partial('stop');
  const interrupted = talk.now;
  talk.quiet(800);
  talk.final('stop');
  talk.on({ type: 'sentence', turn: talk.turn(), text: 'Yes.' });
  expect(only(talk.log, 'speak').at(-1)).toMatchObject({
    notBefore: interrupted + 5000,
  });
});

test('a typed text is a turn of its own and interrupts', () => {
  const talk = speaking();
  talk.on({ type: 'typed', text: 'What are your prices?' });
  expect(talk.types()).toEqual(['interrupt', 'user-interrupted', 'speech-update', 'reply']);
  expect(only(talk.log, 'reply')).toMatchObject([{ typed: true, confidence: 1 }]);
});

test('a muted assistant falls silent, begins nothing, and answers when it may speak again', () => {
  const talk = speaking();
  expect(types(talk.on({ type: 'mute-assistant' }))).toEqual(['interrupt', 'speech-update']);
  talk.says('are you still there');
  expect(talk.on({ type: 'say', text: 'Not now', endCallAfterSpoken: false })).toEqual([]);
  expect(talk.count('reply')).toBe(0);
  expect(types(talk.on({ type: 'unmute-assistant' }))).toEqual(['reply']);
});
