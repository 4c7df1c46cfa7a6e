import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { showsSettings } from '../../../tests/support/claims.ts';
import {
  startVoiceProviders,
  type VoiceProviders,
} from '../../../tests/support/servers/voice-provider-servers.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { SPOKEN, simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { eventually, greetedCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { costsByCredential, costWithoutCall } from '../calls/record/call-report.server.ts';
import { openDailyCaps } from '../calls/record/daily-caps.server.ts';
import { CallMeter } from '../engines/call-meter.server.ts';
import type {
  CallAssistant,
  CallContext,
  DialogueStep,
  EnginePrices,
  VoiceEngines,
} from '../engines/engines.server.ts';
import { PROVIDERS } from '../records/provider-list.contract.ts';
import { createVoiceRecords } from '../records/voice-records.server.ts';
import { createProviderChooser } from './call-providers.server.ts';
import { withProviders } from './provider-engines.server.ts';

let app: TestApp;
let providers: VoiceProviders;
let engines: VoiceEngines;
const warnings: string[] = [];
const rung: unknown[] = [];

const briefing = {
  system: () => 'You are the assistant.',
  tools: () => ({
    ring_bell: {
      description: 'Rings.',
      parameters: { type: 'object' },
      run: async (given: unknown) => rung.push(given),
    },
  }),
  context: () => undefined,
};

/**
 * Engines of calls whose assistants may name providers; the installation's provider at `address` serves the
 * others.
 */
function enginesOf(address: string, prices?: EnginePrices): VoiceEngines {
  return withProviders(
    { VOICE_LLM_URL: address, VOICE_STT_URL: address, VOICE_TTS_URL: address },
    { ...simpleEngines(), ...(prices && { prices }) },
    briefing,
    createProviderChooser(app.resources, createVoiceRecords(app.resources, app.resources.keys.voice_org_id)),
  );
}

beforeAll(async () => {
  providers = await startVoiceProviders();
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { OUTBOUND_ALLOW_HOSTS: providers.host },
  });
  engines = enginesOf('');
});
beforeEach(() => {
  providers.mode = 'well';
  for (const list of [providers.answers, providers.heard, providers.requests, warnings, rung])
    list.length = 0;
});
afterAll(async () => {
  await app.close();
  await providers.close();
});

const callOf = (assistant: CallAssistant): CallContext => ({
  callId: 'c1',
  assistant,
  log: (_, line) => warnings.push(line),
});
const here = (path = ''): string => `http://${providers.host}${path}`;

/** A credential that comes with the assistant and leads to the test's servers. */
const own = (provider: string, url: string): CallAssistant['credentials'] => [
  { provider, apiKey: providers.key, url },
];

async function ask(assistant: CallAssistant, text: string): Promise<DialogueStep[]> {
  const dialogue = await engines.openDialogue(callOf(assistant));
  const steps: DialogueStep[] = [];
  const history = [{ role: 'assistant', text: 'Hello.' }] as const;
  for await (const step of dialogue.reply(
    { text, confidence: 1, typed: true },
    history,
    new AbortController().signal,
  ))
    steps.push(step);
  dialogue.close();
  return steps;
}

async function samples(assistant: CallAssistant, of: VoiceEngines = engines): Promise<number> {
  const voice = await of.openVoice(callOf(assistant));
  let count = 0;
  for await (const pcm of voice.speak('One two three.', new AbortController().signal)) count += pcm.length;
  voice.close();
  return count;
}

async function heardBy(
  assistant: CallAssistant,
  of: VoiceEngines = engines,
  call = callOf(assistant),
): Promise<string> {
  const recogniser = await of.openRecogniser(call);
  recogniser.beginUtterance();
  const pcm = tone(500, 0.4);
  for (let at = 0; at < pcm.length; at += 512) recogniser.push(pcm.slice(at, at + 512));
  const { text } = await recogniser.endUtterance();
  recogniser.close();
  return text;
}

test('an assistant’s model answers: OpenAI’s wire with a stored credential, one of its own, and custom-llm', async () => {
  showsSettings('assistant', 'credentials.*', 'credentialIds', 'model.provider', 'model.url');
  const stored = await voiceApi(app, 'POST', '/credential', {
    provider: 'groq',
    apiKey: providers.key,
    url: here('/v1'),
  });
  const assistants: CallAssistant[] = [
    { model: { provider: 'groq', model: 'fast' } },
    { model: { provider: 'groq', model: 'fast' }, credentialIds: [stored.body.id] },
    { model: { provider: 'openai', model: 'fast' }, credentials: own('openai', here('/v1')) },
    {
      model: { provider: 'custom-llm', model: 'fast', url: here('/v1/chat/completions') },
      credentials: [{ provider: 'custom-llm', apiKey: providers.key }],
    },
  ];
  for (const assistant of assistants) {
    providers.answers.push({ text: 'It costs nine pounds.' });
    expect(await ask(assistant, 'what is it')).toEqual([{ kind: 'sentence', text: 'It costs nine pounds.' }]);
    expect(JSON.parse(providers.requests.at(-1)?.body ?? '{}')).toMatchObject({ model: 'fast' });
  }
  expect(warnings).toEqual([]);
  const other = { model: { provider: 'groq' }, credentialIds: ['3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11'] };
  expect((await ask(other, 'what is it'))[0]).toMatchObject({ text: 'You said what is it.' });
  expect(warnings).toEqual([expect.stringContaining('no credential of groq')]);
});

test('Anthropic’s messages: sentences as they stream, tools and their results, what was said before', async () => {
  const assistant = {
    model: { provider: 'anthropic', model: 'wise' },
    credentials: own('anthropic', here()),
  };
  providers.answers.push({ call: 'ring_bell', given: { times: 2 } }, { text: 'It rang. Twice!' });
  expect(
    (await ask(assistant, 'ring twice')).map((step) => ('text' in step ? step.text : step.kind)),
  ).toEqual(['tool-call', 'tool-result', 'It rang.', 'Twice!']);
  expect(rung).toEqual([{ times: 2 }]);
  const [first, second] = providers.requests.map(({ body }) => JSON.parse(body));
  expect(first).toMatchObject({
    model: 'wise',
    stream: true,
    system: 'You are the assistant.',
    tools: [{ name: 'ring_bell', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
      { role: 'user', content: [{ type: 'text', text: 'ring twice' }] },
    ],
  });
  expect(second.messages.slice(-2)).toMatchObject([
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call-1', name: 'ring_bell', input: { times: 2 } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call-1' }] },
  ]);
  providers.mode = 'refusing';
  expect((await ask(assistant, 'and now'))[0]).toMatchObject({ text: 'You said and now.' });
  expect(warnings.join()).not.toContain(providers.key);
});

test('an assistant’s voice speaks: ElevenLabs, Cartesia and OpenAI; what one does not begin the embedded voice says', async () => {
  showsSettings(
    'assistant',
    'voice.provider',
    'voice.voiceId',
    'voice.model',
    'voice.speed',
    'voice.language',
    'voice.stability',
    'voice.similarityBoost',
    'voice.style',
    'voice.useSpeakerBoost',
  );
  const voices = [
    [
      '11labs',
      here(),
      '/v1/text-to-speech/rachel/stream?output_format=pcm_16000',
      { text: 'One two three.', voice_settings: { stability: 0.4 } },
    ],
    ['cartesia', here(), '/tts/bytes', { transcript: 'One two three.', voice: { mode: 'id', id: 'rachel' } }],
    ['openai', here('/v1'), '/v1/audio/speech', { input: 'One two three.', voice: 'rachel', speed: 1.2 }],
  ] as const;
  for (const [provider, url, path, body] of voices) {
    providers.mode = 'well';
    const assistant = {
      voice: { provider, voiceId: 'rachel', stability: 0.4, speed: 1.2 },
      credentials: own(provider, url),
    };
    // 0.2 s at 24 000 samples a second; only OpenAI's sound is resampled to 16 000.
    const count = await samples(assistant);
    expect([provider, count > 3000 && count < 4801]).toEqual([provider, true]);
    const asked = providers.requests.at(-1);
    expect([asked?.path, asked?.key]).toEqual([path, providers.key]);
    expect(JSON.parse(asked?.body ?? '{}')).toMatchObject(body);
    providers.mode = 'refusing';
    expect(await samples(assistant)).toBe(await samples({}, simpleEngines()));
  }
  expect(warnings).toHaveLength(3);
});

test('an assistant’s recogniser hears: Deepgram with language and words, OpenAI with language; the embedded one else', async () => {
  showsSettings(
    'assistant',
    'transcriber.provider',
    'transcriber.model',
    'transcriber.language',
    'transcriber.keywords',
    'transcriber.keyterm',
  );
  const deepgram = {
    transcriber: { provider: 'deepgram', model: 'nova', language: 'de', keyterm: ['Northline'] },
    credentials: own('deepgram', `ws://${providers.host}/v1/listen`),
  };
  providers.heard.push('was kostet das');
  expect(await heardBy(deepgram)).toBe('was kostet das');
  const query = new URL(providers.requests.at(-1)?.path ?? '/', here()).searchParams;
  expect(['model', 'language', 'keyterm'].map((name) => query.get(name))).toEqual([
    'nova',
    'de',
    'Northline',
  ]);
  const openai = {
    transcriber: { provider: 'openai', language: 'fr' },
    credentials: own('openai', here('/v1')),
  };
  providers.heard.push('combien');
  expect(await heardBy(openai)).toBe('combien');
  expect(providers.requests.at(-1)?.body).toMatch(/name="language"\s+fr/);
  providers.mode = 'refusing';
  for (const assistant of [deepgram, openai]) expect(await heardBy(assistant)).toBe(SPOKEN[500]);
});

test('an assistant’s realtime model answers with its credential; a voice and a recogniser of others that it names stay theirs', async () => {
  const credentials = [
    ...(own('openai', here('/v1')) ?? []),
    ...(own('cartesia', here()) ?? []),
    ...(own('deepgram', `ws://${providers.host}/v1/listen`) ?? []),
  ];
  const assistant: CallAssistant = {
    model: { provider: 'openai', model: 'gpt-realtime', temperature: 1 },
    voice: { provider: 'cartesia', voiceId: 'v' },
    transcriber: { provider: 'deepgram' },
    credentials,
  };
  providers.answers.push({ text: 'It costs nine pounds.' });
  expect(await ask(assistant, 'what is it')).toEqual([{ kind: 'sentence', text: 'It costs nine pounds.' }]);
  expect(providers.realtime.items.map(({ text }) => text)).toEqual([
    'Hello.',
    'what is it',
    'It costs nine pounds.',
  ]);
  expect(await samples(assistant)).toBeGreaterThan(3000);
  expect(providers.requests.at(-1)?.path).toBe('/tts/bytes');
  providers.heard.push('was kostet das');
  expect(await heardBy(assistant)).toBe('was kostet das');
  await eventually('the recogniser’s end', () =>
    providers.requests.find(({ body }) => body.startsWith('CloseStream')),
  );
  expect(warnings).toEqual(['model.temperature: a realtime session has none']);
});

test('attack 36: an address of an assistant that is private and not named by the operator is never called', async () => {
  const elsewhere = ['http://127.0.0.1:9/v1', 'https://169.254.169.254/v1', 'https://localhost/v1'];
  for (const url of elsewhere) {
    const model = { provider: 'custom-llm', model: 'x', url };
    expect((await ask({ model }, 'hello'))[0]).toMatchObject({ text: 'You said hello.' });
    const voice = { provider: 'cartesia', voiceId: 'x' };
    expect(await samples({ voice, credentials: own('cartesia', url) })).toBe(
      await samples({}, simpleEngines()),
    );
    const spoken = { model: { provider: 'openai', model: 'gpt-realtime' }, credentials: own('openai', url) };
    expect((await ask(spoken, 'hello'))[0]).toMatchObject({ text: 'You said hello.' });
    const socket = own('deepgram', url.replace('http', 'ws'));
    expect(await heardBy({ transcriber: { provider: 'deepgram' }, credentials: socket })).toBe(SPOKEN[500]);
  }
  expect(warnings).toHaveLength(12);
  expect(providers.requests).toEqual([]);
});

test('every provider has an address that may be called, or needs one', () => {
  for (const { provider, url, keyless } of Object.values(PROVIDERS).flat())
    if (keyless !== true)
      expect([provider, app.resources.outbound.approve(url).lookup === undefined]).toEqual([provider, false]);
});

test('a credential’s prices are what its calls cost, by part, and one that has spent its day is not used', async () => {
  const stored = await voiceApi(app, 'POST', '/credential', {
    ...{ provider: 'cerebras', apiKey: providers.key, url: here('/v1'), dailySpend: 2 },
    prices: { llmPer1000PromptTokens: 10, llmPer1000CompletionTokens: 100 },
  });
  expect(stored).toMatchObject({ status: 201, body: { dailySpend: 2 } });
  const credentialId = stored.body.id;
  const voices = own('openai', here('/v1'))?.map((one) => ({
    ...one,
    prices: { ttsPer1000Characters: 500 },
  }));
  const assistant: CallAssistant = {
    model: { provider: 'cerebras', model: 'fast' },
    voice: { provider: 'openai', voiceId: 'v' },
    ...(voices === undefined ? {} : { credentials: voices }),
  };
  const meter = new CallMeter();
  const call = { ...callOf(assistant), meter };
  const [dialogue, voice] = [await engines.openDialogue(call), await engines.openVoice(call)];
  providers.answers.push({ text: 'Nine pounds.' });
  const turn = { text: 'how much', confidence: 1, typed: true };
  for await (const _ of dialogue.reply(turn, [], new AbortController().signal));
  for await (const _ of voice.speak('Nine pounds.', new AbortController().signal));
  // 11 tokens of the question and 7 of the answer; 12 letters.
  expect(meter.costs()).toEqual([
    { part: 'llm', credentialId, dollars: expect.closeTo(0.81) },
    { part: 'tts', credentialId: undefined, dollars: 6 },
  ]);
  const costs = costsByCredential(meter.costs());
  expect(costs).toEqual({ costs: [{ type: 'model', cost: 0.81, credentialId }] });

  expect(await engines.charges?.(call, 'model')).toBe(true);
  expect(await engines.charges?.(call, 'voice')).toBe(true);
  expect(await engines.charges?.(call, 'transcriber')).toBe(false);
  expect(await engines.charges?.(callOf({ model: { provider: 'groq' } }), 'model')).toBe(false);

  for (const used of [1, 2, 3]) {
    const answered = await ask({ model: assistant.model }, 'what is it').catch(String);
    if (used === 3) expect(answered[0]).toMatchObject({ text: 'You said what is it.' });
    else expect(warnings).toEqual([]);
    const costs = [{ type: 'model', cost: 1, credentialId }];
    // A call is stored before the second attempt, a test before the third.
    if (used === 1)
      await app.resources.database.run("insert into private.voice_records (kind, body) values ('call', $1)", [
        JSON.stringify({ status: 'ended', costs }),
      ]);
    else await openDailyCaps(app.resources).count({ kind: 'test', minutes: 1, cost: 1, costs });
  }
  expect(warnings).toEqual([expect.stringContaining('the credential of cerebras has reached its daily limit')]);

  for (const [body, says] of [
    [{ provider: 'xai', prices: { sttPerMinute: 1 } }, 'holds no key'],
    [{ provider: 'xai', apiKey: 'k', dailySpend: 1 }, 'needs prices'],
    [{ provider: 'xai', apiKey: 'k', prices: { perSmile: 1 } }, 'prices'],
  ] as const)
    expect((await voiceApi(app, 'POST', '/credential', body)).body.message).toContain(says);
});

/** The prices of the installation's own providers. */
const usual: EnginePrices = {
  sttPerMinute: 600,
  ttsPer1000Characters: 500,
  llmPer1000PromptTokens: 1000,
  llmPer1000CompletionTokens: 1000,
};

test('engines of a call that have different prices are each counted by their own, those of the installation too', async () => {
  const priced = enginesOf(providers.address('http', '/v1'), usual);
  const prices = { sttPerMinute: 60, ttsPer1000Characters: 100 };
  const named: CallAssistant = {
    ...{ voice: { provider: 'openai', voiceId: 'v' }, transcriber: { provider: 'openai' } },
    credentials: [{ provider: 'openai', apiKey: providers.key, url: here('/v1'), prices }],
  };
  const meter = new CallMeter();
  for (const assistant of [named, {}]) {
    const call = { ...callOf(assistant), meter };
    const voice = await priced.openVoice(call);
    for await (const _ of voice.speak('Ten pounds', new AbortController().signal));
    voice.close();
    providers.heard.push('how much');
    expect(await heardBy(assistant, priced, call)).toBe('how much');
  }
  // Ten letters, and 0.4 seconds.
  expect(meter.costs().map(({ part, dollars }) => [part, dollars])).toEqual([
    ['tts', 1],
    ['stt', expect.closeTo(0.4)],
    ['tts', 5],
    ['stt', expect.closeTo(4)],
  ]);
  const used = { recognisedMs: 800, characters: 20, charged: meter.costs() };
  expect(costWithoutCall(used, usual)).toBeCloseTo(10.4);
});

test('attack 40: a call that is handed from one assistant to another costs what both have, and ends when that is enough', async () => {
  const prices = { ...usual, sttPerMinute: 0, ttsPer1000Characters: 0 };
  const { openDialogue } = enginesOf(providers.address('http', '/v1'), prices);
  const calls = await startTestApp({
    voiceEngines: { ...simpleEngines(), openDialogue, prices },
    settings: { VOICE_CALL_SPEND: '15' },
    beside: app,
  });
  onTestFinished(() => calls.close());
  const own10 = { llmPer1000PromptTokens: 10, llmPer1000CompletionTokens: 100 };
  const reception = {
    ...{ name: 'Reception', firstMessage: 'Hello.', clientMessages: ['model-output', 'speech-update'] },
    model: { provider: 'cerebras', model: 'fast' },
    credentials: own('cerebras', here('/v1'))?.map((one) => ({ ...one, prices: own10 })),
  };
  const assistantDestinations = [{ type: 'assistant', assistantName: 'Sales desk' }];
  const sales = { name: 'Sales desk', firstMessage: 'Sales here.' };
  const members = [{ assistant: reception, assistantDestinations }, { assistant: sales }];
  const call = await greetedCall(calls, { squad: { members } });
  onTestFinished(() => call.peer.close());
  const outputs = () => call.messages('model-output').map(({ output }) => output);
  const silences = () => call.messages('speech-update').filter(({ status }) => status === 'stopped').length;
  const type = (content: string) =>
    call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } }));
  const say = async (content: string, count: number): Promise<void> => {
    const before = silences();
    type(content);
    await until(`an answer to ${content}`, () => outputs().length >= count);
    await until('it was said', () => silences() > before);
  };
  providers.answers.push({ text: 'Nine pounds.' }, { text: 'Ten pounds.' });
  await say('how much is it', 1);
  await say('put me through to the sales desk', 2);
  await say('and with a guide', 3);
  expect(outputs()).toEqual(['Nine pounds.', 'Sales here.', 'Ten pounds.']);
  // 11 tokens for each question and 7 for each answer: 0.81 dollars by the credential, then 18 by the
  // installation.
  type('and for two');
  const record = await call.over();
  expect(record.transcript).toContain('I have to end this call here.');
  expect(record.costBreakdown).toMatchObject({ llm: 18.81, total: 18.81 });
});
