import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startVoiceProviders,
  type VoiceProviders,
} from '../../../tests/support/servers/voice-provider-servers.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { greetedCall } from '../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';
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
