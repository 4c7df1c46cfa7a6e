import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startVoiceProviders,
  type VoiceProviders,
} from '../../../tests/support/servers/voice-provider-servers.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { eventually, greetedCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { writtenCall } from '../../../tests/support/voice/written-visitor.ts';
import { withProviders } from './provider-engines.server.ts';

let app: TestApp;
let providers: VoiceProviders;

beforeAll(async () => {
  providers = await startVoiceProviders();
  const briefing = {
    system: () => 'You are the assistant.',
    tools: () => ({ end_call: { description: 'Hangs up.', run: async () => 'ended' } }),
    context: () => undefined,
  };
  const address = `http://:${providers.key}@${providers.host}/v1?model=gpt-realtime`;
  const settings = { VOICE_LLM_URL: address, VOICE_STT_URL: '', VOICE_TTS_URL: '' };
  app = await startTestApp({ voiceEngines: withProviders(settings, simpleEngines(), briefing) });
});
afterAll(async () => {
  await app.close();
  await providers.close();
});

test('a whole call by a realtime session: greeted, asked aloud and by keyboard, answered in one voice, hung up', async () => {
  const { realtime } = providers;
  providers.heard.push(...Array(4).fill('what is the price'));
  // On a busy machine a turn may be answered twice.
  providers.answers.push(...Array(4).fill({ text: 'It costs nine pounds. Anything else?' }));
  const call = await greetedCall(app, { assistant: { firstMessage: 'Bakery, hello.' } });
  const heard = (): number => call.peer.heard.reduce((sum, { length }) => sum + length, 0);
  expect(heard()).toBeGreaterThan(0);
  await call.peer.speak(tone(500, 0.8));
  await call.peer.speak(new Int16Array(16_000));
  const transcript = (words: string): boolean =>
    call.messages('transcript').some(({ transcript: text }) => text.includes(words));
  await until('the answer is heard', () => transcript('Anything else?'));
  await until(
    'the assistant is silent',
    () => call.messages('speech-update').findLast(({ role }) => role === 'assistant')?.status === 'stopped',
  );
  providers.answers.splice(0, 4, { call: 'end_call', given: {} });
  call.peer.send(
    JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'no, thank you' } }),
  );
  const record = await call.over();
  await call.peer.close();
  expect(record.endedReason).toBe('assistant-ended-call');
  expect(record.transcript).toMatch(
    /^AI: Bakery, hello\.\n(User: what is the price\n)+AI: It costs nine pounds\. Anything else\?\nUser: no, thank you\n/,
  );
  expect(record.costBreakdown).toMatchObject({ stt: 0, tts: 0 });
  expect(record.costBreakdown.llmPromptTokens).toBeGreaterThanOrEqual(33);
  expect(realtime.items.map(({ role }) => role).slice(0, 2)).toEqual(['assistant', 'user']);
  expect(realtime.items.some(({ text }) => text === 'no, thank you')).toBe(true);
});

const SHOP = 'https://shop.example';

/** A visitor of another site writes to an assistant. */
async function visitorWrites() {
  const { body: assistant } = await voiceApi(app, 'POST', '/assistant', {
    ...{ name: 'Bakery', firstMessage: 'Bakery, hello.', website: { origins: [SHOP] } },
  });
  const made = await fetch(`${app.url}/voice/v1/website/${assistant.id}/call`, {
    method: 'POST',
    headers: { origin: SHOP, 'content-type': 'application/json' },
    body: JSON.stringify({ written: true }),
  });
  const { webCallUrl: room } = (await made.json()) as { webCallUrl: string };
  const callId = new URL(room).pathname.split('/').at(-2);
  const written = await writtenCall(room);
  await eventually('the greeting', () => written.said()[0]);
  return {
    ...written,
    answered: (text: string) => eventually(text, () => written.said().find((said) => said === text)),
    over: () =>
      eventually('the end', async () => {
        const { body } = await voiceApi(app, 'GET', `/call/${callId}`);
        return body.status === 'ended' ? body : undefined;
      }),
  };
}

test('a visitor writes to a realtime model: it answers in writing, is paid for no sound, and may end the call', async () => {
  const { realtime, answers } = providers;
  realtime.events.length = 0;
  const visitor = await visitorWrites();
  answers.splice(0, answers.length, { text: 'A loaf costs four pounds.' });
  visitor.write('what does a loaf cost');
  await visitor.answered('A loaf costs four pounds.');
  answers.push({ call: 'end_call', given: {} });
  visitor.write('that is all');
  const record = await visitor.over();
  expect(record.endedReason).toBe('assistant-ended-call');
  expect(record.transcript).toMatch(
    /^AI: Bakery, hello\.\nUser: what does a loaf cost\nAI: A loaf costs four pounds\.\nUser: that is all\n/,
  );
  expect(record.costBreakdown).toMatchObject({ stt: 0, tts: 0, ttsCharacters: 0 });
  expect(record.costBreakdown.llmPromptTokens).toBe(22);
  const asked = realtime.events.filter(({ type }) => type === 'response.create');
  expect(asked.map(({ response }) => response.output_modalities)).toEqual([['text'], ['text']]);
  expect(realtime.items.map(({ role, text }) => [role, text]).slice(0, 3)).toEqual([
    ['assistant', 'Bakery, hello.'],
    ['user', 'what does a loaf cost'],
    ['assistant', 'A loaf costs four pounds.'],
  ]);
});

test('in writing too, a realtime model that refuses or breaks off is replaced for that turn', async () => {
  const visitor = await visitorWrites();
  providers.answers.length = 0;
  providers.mode = 'refusing';
  visitor.write('are you there');
  await visitor.answered('You said are you there.');
  providers.mode = 'well';
  providers.answers.push({ text: 'I am here again.' });
  visitor.write('and now');
  await visitor.answered('I am here again.');
  // The model reads what was said in its place.
  const read = providers.realtime.items.map(({ text }) => text).join('\n');
  expect(read).toContain('You said are you there.');
  visitor.socket.close();
  expect((await visitor.over()).endedReason).toBe('customer-ended-call');
});
