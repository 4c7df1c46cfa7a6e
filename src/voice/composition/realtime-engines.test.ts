import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { showsSettings } from '../../../tests/support/claims.ts';
import {
  startVoiceProviders,
  type VoiceProviders,
} from '../../../tests/support/servers/voice-provider-servers.ts';
import { NO_BOOKINGS } from '../../../tests/support/voice/no-bookings.ts';
import { SPOKEN, simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { eventually } from '../../../tests/support/voice/voice-calls.ts';
import { shareOfTone, tone } from '../../../tests/support/voice/voice-peer.ts';
import { modelTools } from '../dialogue/model/model-tools.server.ts';
import { CallMeter } from '../engines/call-meter.server.ts';
import type {
  CallAssistant,
  CallContext,
  DialogueStep,
  EnginePrices,
  SpokenTurn,
  SttStream,
  TtsStream,
  VoiceEngines,
} from '../engines/engines.server.ts';
import { Downsampler, Upsampler } from '../engines/providers/sound-resampling.server.ts';
import { withProviders } from './provider-engines.server.ts';

let providers: VoiceProviders;
const warnings: string[] = [];
const rung: unknown[] = [];
const never = new AbortController().signal;

beforeAll(async () => {
  providers = await startVoiceProviders();
});
beforeEach(() => {
  providers.mode = 'well';
  Object.assign(providers.realtime, {
    letterMs: 60,
    holdsAfter: Number.POSITIVE_INFINITY,
    older: false,
    deaf: false,
  });
  for (const list of [providers.answers, providers.heard, providers.realtime.events, warnings, rung])
    list.length = 0;
});
afterAll(() => providers.close());

const briefing = {
  system: () => 'You are the assistant.',
  tools: () => ({
    ring_bell: {
      description: 'Rings.',
      parameters: { type: 'object' },
      run: async (given: unknown) => rung.push(given),
    },
    ...modelTools({ ...NO_BOOKINGS, takeEnquiry: async () => ({ id: 'ENQ-1' }) }, 'Europe/London'),
  }),
  context: () => async (question: string) => (question.includes('leave') ? 'Leave is 28 days.' : ''),
};

/** Engines whose model is a realtime model. */
function enginesWith(key: string, prices?: Partial<EnginePrices>, VOICE_STT_URL = ''): VoiceEngines {
  const address = `http://:${key}@${providers.host}/v1?model=gpt-realtime&voice=verse`;
  const settings = { VOICE_LLM_URL: address, VOICE_STT_URL, VOICE_TTS_URL: '' };
  const free = {
    sttPerMinute: 0,
    ttsPer1000Characters: 0,
    llmPer1000PromptTokens: 0,
    llmPer1000CompletionTokens: 0,
  };
  return withProviders(settings, { ...simpleEngines(), prices: { ...free, ...prices } }, briefing);
}

/** The engines of one call. */
async function openCall(assistant: CallAssistant = {}, key = providers.key) {
  const engines = enginesWith(key);
  const meter = new CallMeter();
  const call: CallContext = {
    ...{ callId: 'c1', assistant, meter },
    log: (level, line) => void (level === 'WARN' && warnings.push(line)),
  };
  const [recogniser, voice, dialogue] = await Promise.all([
    engines.openRecogniser(call),
    engines.openVoice(call),
    engines.openDialogue(call),
  ]);
  onTestFinished(() => [recogniser, voice, dialogue].forEach((one) => void one.close()));
  const ask = async (text: string, history: readonly SpokenTurn[] = [], typed = false) => {
    const steps: DialogueStep[] = [];
    for await (const step of dialogue.reply({ text, confidence: 1, typed }, history, never)) steps.push(step);
    return steps;
  };
  return { engines, call, recogniser, voice, dialogue, ask };
}

async function hear(recogniser: SttStream, pcm = tone(500, 0.4)): Promise<string> {
  recogniser.beginUtterance();
  for (let at = 0; at < pcm.length; at += 512) recogniser.push(pcm.slice(at, at + 512));
  return (await recogniser.endUtterance()).text;
}

async function speak(voice: TtsStream, sentence: string): Promise<Int16Array> {
  const pieces: Int16Array[] = [];
  for await (const pcm of voice.speak(sentence, never)) pieces.push(pcm);
  return joined(pieces);
}

const said = (steps: readonly DialogueStep[]): string[] =>
  steps.map((step) => (step.kind === 'sentence' ? step.text : step.kind));
const user = (text: string): SpokenTurn => ({ role: 'user', text });
const assistant = (text: string): SpokenTurn => ({ role: 'assistant', text });
const items = (): string[] => providers.realtime.items.map(({ role = 'tool', text }) => `${role}: ${text}`);
const sent = (type: string) => providers.realtime.events.filter((event) => event.type === type);
/** Samples, at 16 000 a second, that the provider makes for a text. */
const lengthOf = (text: string): number => text.length * 60 * 16;

test('a spoken turn: the sound goes to the session, its sentences come back with their sound, none lost, none twice', async () => {
  showsSettings('assistant', 'model.model');
  for (const older of [false, true]) {
    providers.realtime.older = older;
    providers.realtime.events.length = 0;
    const { recogniser, voice, dialogue, ask } = await openCall();
    const text = 'It costs nine pounds. Mr. Smith can tell you more!';
    providers.heard.push('what is the price');
    providers.answers.push({ text });
    expect(await hear(recogniser)).toBe('what is the price');
    const steps = await ask('what is the price');
    expect(said(steps)).toEqual(['It costs nine pounds.', 'Mr. Smith can tell you more!']);
    const [first, second] = [
      await speak(voice, said(steps)[0] ?? ''),
      await speak(voice, said(steps)[1] ?? ''),
    ];
    expect(first.length).toBeGreaterThan(lengthOf('It costs nine pounds.') / 2);
    expect(second.length).toBeGreaterThan(lengthOf('Mr. Smith can tell you more!') / 2);
    const whole = joined([first, second]);
    expect(Math.abs(whole.length - lengthOf(text))).toBeLessThan(40);
    // The test provider's sound rises from beginning to end.
    const rising = whole.subarray(100).every((sample, at) => sample >= (whole[at + 99] ?? 0) - 20);
    expect(rising).toBe(true);
    expect(dialogue.usage()).toEqual({ promptTokens: 11, completionTokens: 7 });
    expect(items()).toEqual(['user: what is the price', `assistant: ${text}`]);
    expect(sent('conversation.item.create')).toEqual([]);
  }
  const [settings] = sent('session.update');
  expect(settings.session).toMatchObject({
    type: 'realtime',
    audio: {
      input: { turn_detection: null, transcription: { model: 'gpt-4o-mini-transcribe', language: 'en' } },
      output: { voice: 'verse' },
    },
  });
  const { session } = sent('session.update').at(-1);
  expect(session.instructions).toBe('You are the assistant.');
  expect(session.tools[0]).toEqual({
    ...{ type: 'function', name: 'ring_bell', description: 'Rings.' },
    parameters: { type: 'object' },
  });
  expect(warnings).toEqual([]);
});

test('the first message and whatever else is said is in the session’s voice, and not in its conversation', async () => {
  const { voice } = await openCall({ voice: { provider: 'openai', voiceId: 'marin', speed: 3 } });
  const first = 'Hello, this is the bakery.';
  expect(Math.abs((await speak(voice, first)).length - lengthOf(first))).toBeLessThan(40);
  expect(sent('session.update')[0].session.audio.output).toMatchObject({ voice: 'marin', speed: 1.5 });
  const [{ response }] = sent('response.create');
  expect(response).toMatchObject({
    conversation: 'none',
    input: [],
    tools: [],
    output_modalities: ['audio'],
  });
  expect(response.instructions).toContain(`---\n${first}\n---`);
  expect(items()).toEqual([]);
});

test('what was typed, what others said and what was really heard is what the session knows', async () => {
  const { recogniser, ask } = await openCall();
  providers.answers.push({ text: 'Welcome. We open at nine.' }, { text: 'At six.' }, { text: 'Yes.' });
  const greeted = [assistant('Hello there.')];
  await ask('when do you open', greeted, true);
  expect(items()).toEqual([
    'assistant: Hello there.',
    'user: when do you open',
    'assistant: Welcome. We open at nine.',
  ]);
  // Interrupted after its first sentence; then the caller speaks.
  providers.heard.push('and close');
  await hear(recogniser);
  const cut = [...greeted, user('when do you open'), assistant('Welcome.')];
  await ask('and close', cut);
  expect(items()).toEqual([
    'assistant: Hello there.',
    'user: when do you open',
    'assistant: Welcome.',
    'user: and close',
    'assistant: At six.',
  ]);
  // The answer was heard to its end, the session was told something that the caller did not hear, and the
  // caller asks twice before it answers.
  for (const words of ['are you', 'still there']) {
    providers.heard.push(words);
    await hear(recogniser);
  }
  const whisper = { role: 'system' as const, text: 'A colleague instructs you: be brief' };
  await ask('are you still there', [...cut, user('and close'), assistant('At six.'), whisper]);
  expect(items().slice(3)).toEqual([
    'user: and close',
    'assistant: At six.',
    'system: A colleague instructs you: be brief',
    'user: are you',
    'user: still there',
    'assistant: Yes.',
  ]);
  expect(warnings).toEqual([]);
});

test('tools run as a language model’s do, their results go back, and a goodbye hangs up', async () => {
  const { recogniser, ask } = await openCall();
  providers.heard.push('ring twice');
  await hear(recogniser);
  providers.answers.push({ call: 'ring_bell', given: { times: 2 } }, { text: 'It rang.' });
  expect(said(await ask('ring twice'))).toEqual(['tool-call', 'tool-result', 'It rang.']);
  expect(rung).toEqual([{ times: 2 }]);
  expect(items()).toEqual(['user: ring twice', 'tool: {"times":2}', 'tool: 1', 'assistant: It rang.']);
  // Nothing of the answer was heard, but the tool's effect stays.
  providers.answers.push({ call: 'end_call', given: {} });
  const steps = await ask('bye', [user('ring twice'), assistant('It')], true);
  expect(steps.at(-1)).toEqual({ kind: 'hang-up', reason: 'assistant-ended-call' });
  expect(items().slice(0, 5)).toEqual([
    'user: ring twice',
    'tool: {"times":2}',
    'tool: 1',
    'assistant: It',
    'user: bye',
  ]);
  expect(warnings).toEqual([]);
});

test('an interruption cancels the answer, its sound is gone, and the next turn is answered', async () => {
  const { voice, dialogue, ask } = await openCall();
  providers.realtime.holdsAfter = 30;
  providers.answers.push(
    { text: 'First this. And then a long story that nobody hears.' },
    { text: 'Of course.' },
  );
  const caller = new AbortController();
  const turn = { text: 'tell me', confidence: 1, typed: true };
  for await (const step of dialogue.reply(turn, [], caller.signal)) {
    expect(step).toEqual({ kind: 'sentence', text: 'First this.' });
    caller.abort();
    break;
  }
  await eventually('the cancelling', () => sent('response.cancel')[0]);
  providers.realtime.holdsAfter = Number.POSITIVE_INFINITY;
  expect(said(await ask('stop', [user('tell me'), assistant('First')], true))).toEqual(['Of course.']);
  expect(items()).toEqual(['user: tell me', 'assistant: First', 'user: stop', 'assistant: Of course.']);
  await speak(voice, 'First this.');
  expect(sent('response.create').at(-1).response.conversation).toBe('none');
  expect(warnings).toEqual([]);
});

test('nothing that was understood as nothing stays, and sound that is not written down is answered all the same', async () => {
  const { recogniser, ask } = await openCall();
  expect(await hear(recogniser, new Int16Array(6400))).toBe('');
  await eventually('the deletion', () => sent('conversation.item.delete')[0]);
  providers.realtime.deaf = true;
  expect(await hear(recogniser)).toBe(SPOKEN[500]);
  providers.answers.push({ text: 'It is free.' });
  expect(said(await ask(SPOKEN[500] ?? ''))).toEqual(['It is free.']);
  expect(sent('conversation.item.create')).toEqual([]);
  expect(items()).toHaveLength(2);
  // Too short for the realtime API: the words are sent as text instead.
  expect(await hear(recogniser, tone(500, 0.05))).toBe('');
  expect(warnings).toEqual([]);
});

test('a provider that dies in mid-answer: the caller is asked again, and the next turn finds a new session that knows all', async () => {
  const { recogniser, voice, ask } = await openCall();
  providers.mode = 'breaking';
  providers.answers.push({ text: 'First this. And then that, and that.' });
  const steps = await ask('what is there', [assistant('Hello.')], true);
  expect(said(steps)).toEqual(['First this.', expect.stringContaining('say that again')]);
  expect((await speak(voice, 'First this.')).length).toBeGreaterThan(lengthOf('First this.') / 2);
  expect(warnings).toEqual([expect.stringContaining('the realtime provider failed: closed with 1011')]);
  providers.mode = 'well';
  providers.heard.push('once more');
  expect(await hear(recogniser)).toBe('once more');
  providers.answers.push({ text: 'With pleasure.' });
  const history = [assistant('Hello.'), user('what is there'), assistant('First this.')];
  expect(said(await ask('once more', history))).toEqual(['With pleasure.']);
  expect(items()).toEqual([
    'assistant: Hello.',
    'user: what is there',
    'assistant: First this.',
    'user: once more',
    'assistant: With pleasure.',
  ]);
  expect(warnings).toHaveLength(1);
});

test('a provider that refuses: the embedded recogniser, dialogue and voice go on, and no key is logged', async () => {
  const own = simpleEngines();
  const embedded = await own.openVoice({} as CallContext);
  const refused = await openCall({}, 'sk-wrong-key');
  expect(await hear(refused.recogniser)).toBe(SPOKEN[500]);
  expect(said(await refused.ask('hello'))[0]).toBe('You said hello.');
  expect(await speak(refused.voice, 'One two three.')).toEqual(await speak(embedded, 'One two three.'));

  providers.mode = 'refusing';
  const broke = await openCall();
  expect(said(await broke.ask('hello', [], true))[0]).toBe('You said hello.');
  expect(await speak(broke.voice, 'One two three.')).toEqual(await speak(embedded, 'One two three.'));
  const unknownVoice = await openCall({ voice: { provider: 'openai', voiceId: 'nobody' } });
  expect(said(await unknownVoice.ask('hello', [], true))[0]).toBe('You said hello.');
  expect(warnings.join('\n')).toMatch(/insufficient_quota[\s\S]*invalid_value/);
  expect(warnings.join()).not.toContain('sk-');
});

test('a second recogniser of a call is not the caller’s, and what files say is told for one answer only', async () => {
  const { engines, call, recogniser, dialogue, ask } = await openCall();
  const colleague = await engines.openRecogniser(call);
  onTestFinished(() => colleague.close());
  expect([recogniser.name, colleague.name]).toEqual(['gpt-realtime', 'tones']);
  providers.answers.push({ text: 'Twenty-eight days.' }, { text: 'Hello.' });
  await ask('how long is my leave', [], true);
  expect(sent('response.create')[0].response.instructions).toBe('You are the assistant.\nLeave is 28 days.');
  const history = [user('how long is my leave'), assistant('Twenty-eight days.')];
  await ask('thank you', history, true);
  expect(sent('response.create')[1].response.instructions).toBeUndefined();
  expect(await engines.charges?.(call, 'transcriber')).toBe(false);
  // Another assistant of the call uses the same session, whose tokens are counted once.
  const next = await engines.openDialogue(call);
  onTestFinished(() => next.close());
  expect([dialogue.usage().promptTokens, next.usage().promptTokens]).toEqual([22, 0]);
  expect(call.meter?.costs()).toEqual([
    { part: 'stt', credentialId: undefined, dollars: 0 },
    { part: 'tts', credentialId: undefined, dollars: 0 },
    { part: 'llm', credentialId: undefined, dollars: 0 },
    { part: 'llm', credentialId: undefined, dollars: 0 },
  ]);
});

test('a meeting is heard by the recogniser of the installation, at its price, and by no session that answers', async () => {
  const recogniserAt = providers.address('http', '/v1');
  const engines = enginesWith(providers.key, { sttPerMinute: 6 }, recogniserAt);
  const meter = new CallMeter();
  const call: CallContext = { callId: 'c1', assistant: {}, meter, log: () => {} };
  const meeting: CallContext = { ...call, meter: new CallMeter(), listensOnly: true };
  // The tokens of a call's session pay for its recogniser; a meeting has no session.
  expect(await engines.charges?.(call, 'transcriber')).toBe(false);
  expect(await engines.charges?.(meeting, 'transcriber')).toBe(true);
  const person = await engines.openRecogniser(meeting);
  const caller = await engines.openRecogniser(call);
  const colleague = await engines.openRecogniser(call);
  onTestFinished(() => [person, caller, colleague].forEach((one) => void one.close()));
  expect([person, colleague].map(({ name }) => name)).not.toContain('gpt-realtime');
  expect(caller.name).toBe('gpt-realtime');
  // Other people's speech is recognised beside the session and paid for by the minute.
  expect(await engines.charges?.(call, 'transcriber')).toBe(true);
  providers.heard.push('hello');
  await hear(colleague, tone(500, 1));
  expect(meter.costs().map(({ dollars }) => dollars)).toEqual([0, 0.1]);
});

test('a preview of the voice alone costs its tokens, which a call’s dialogue counts in its place', async () => {
  const engines = enginesWith(providers.key, { llmPer1000PromptTokens: 10, llmPer1000CompletionTokens: 100 });
  const meter = new CallMeter();
  const preview = { callId: 'p', assistant: {}, meter, log: () => {} };
  expect(await engines.charges?.(preview, 'voice')).toBe(true);
  const voice = await engines.openVoice(preview);
  onTestFinished(() => voice.close());
  await speak(voice, 'One two three.');
  await eventually('the tokens', () => (meter.costs()[0]?.dollars === 0 ? undefined : true));
  expect(meter.costs()).toEqual([{ part: 'tts', credentialId: undefined, dollars: expect.closeTo(0.81) }]);
  const dialogue = await engines.openDialogue(preview);
  onTestFinished(() => dialogue.close());
  expect(meter.costs()).toEqual([
    { part: 'tts', credentialId: undefined, dollars: 0 },
    { part: 'llm', credentialId: undefined, dollars: expect.closeTo(0.81) },
  ]);
  expect(dialogue.usage()).toEqual({ promptTokens: 11, completionTokens: 7 });
});

test('who names a realtime model beside this server for hearing or speaking has this server, and it only answers', async () => {
  const own = simpleEngines();
  const embedded = await own.openVoice({} as CallContext);
  const model = { provider: 'openai', model: 'gpt-realtime' };
  const here = { provider: 'embedded' };
  const { recogniser, voice, engines, call, ask } = await openCall({ model, voice: here, transcriber: here });
  expect(await hear(recogniser)).toBe(SPOKEN[500]);
  expect(await speak(voice, 'One two three.')).toEqual(await speak(embedded, 'One two three.'));
  providers.answers.push({ text: 'It is free.' });
  expect(said(await ask(SPOKEN[500] ?? ''))).toEqual(['It is free.']);
  expect(sent('response.create').map(({ response }) => response.output_modalities)).toEqual([['text']]);
  expect(sent('input_audio_buffer.commit')).toEqual([]);
  expect(items()).toEqual([`user: ${SPOKEN[500]}`, 'assistant: It is free.']);
  expect(await engines.charges?.(call, 'voice')).toBe(false);

  // With one of the two engines here, the session does the rest.
  const half = await openCall({ model, voice: here });
  providers.heard.push('what is the price');
  expect(await hear(half.recogniser)).toBe('what is the price');
  expect([half.recogniser.name, half.voice.name]).toEqual(['gpt-realtime', 'tones']);
  expect(warnings).toEqual([]);
});

test('an assistant of nothing but this server has the installation’s session; a voice of its own that it names speaks', async () => {
  const here = { provider: 'embedded' };
  const usual = await openCall({ model: here, voice: here, transcriber: here });
  expect([usual.recogniser.name, usual.voice.name]).toEqual(['gpt-realtime', 'gpt-realtime']);
  const named = await openCall({ model: here, voice: { ...here, voiceId: 'rms' }, transcriber: here });
  expect([named.recogniser.name, named.voice.name]).toEqual(['gpt-realtime', 'tones']);
  const another = await openCall({ model: here, voice: { provider: 'openai', voiceId: 'marin' } });
  expect(another.voice.name).toBe('gpt-realtime');
});

test('a limit of tokens that is meant for text leaves room for speech, and an answer that it cuts off is logged', async () => {
  const text = 'It costs nine pounds for each of you, and ten with a guide.';
  const model = (maxTokens: number) => ({ provider: 'openai', model: 'gpt-realtime', maxTokens });
  const spoken = await openCall({ model: model(20) });
  providers.answers.push({ text });
  expect(said(await spoken.ask('what is the price', [], true)).join(' ')).toBe(text);
  const most = () => sent('response.create').map(({ response }) => response.max_output_tokens);
  expect([most(), warnings]).toEqual([[140], []]);

  const short = await openCall({ model: model(5) });
  providers.answers.push({ text });
  expect(said(await short.ask('what is the price', [], true)).join(' ')).toBe(text.slice(0, 20));
  expect(warnings).toEqual(['the realtime provider cut an answer off: max_output_tokens']);

  await (await openCall({ model: model(10_000) })).ask('hello', [], true);
  const typed = await openCall({ model: model(20), voice: { provider: 'embedded' } });
  await typed.ask('hello', [], true);
  expect(most()).toEqual([140, 35, 4096, 20]);
});

test('a call is summed up over the chat wire of the same credential', async () => {
  const { dialogue } = await openCall({ analysisPlan: { successEvaluationPlan: { enabled: false } } });
  providers.answers.push({ text: 'They bought bread.' });
  expect((await dialogue.analyse?.([user('bread, please')]))?.summary).toBe('They bought bread.');
  expect(JSON.parse(providers.requests.at(-1)?.body ?? '{}').model).toBe('gpt-4o-mini');
});

test('a typed conversation needs no sound, and a greeting is made up', async () => {
  const dialogue = await enginesWith(providers.key).openDialogue({
    callId: 't',
    assistant: {},
    log: () => {},
  });
  onTestFinished(() => dialogue.close());
  providers.answers.push({ text: 'Hello, I am an AI assistant.' });
  const steps: DialogueStep[] = [];
  for await (const step of dialogue.greet(never)) steps.push(step);
  expect(said(steps)).toEqual(['Hello, I am an AI assistant.']);
  const [{ response }] = sent('response.create');
  expect(response.output_modalities).toEqual(['text']);
  expect(response.instructions).toContain('picked up');
  expect(items()).toEqual(['assistant: Hello, I am an AI assistant.']);
});

test('sound of 16 000 samples a second goes up to 24 000 and comes back as it was', () => {
  const pcm = tone(500, 0.5);
  const [up, down] = [new Upsampler(), new Downsampler()];
  const pieces: Buffer[] = [];
  for (let at = 0; at < pcm.length; at += 500) pieces.push(up.push(pcm.subarray(at, at + 500)));
  const bytes = Buffer.concat(pieces);
  expect(Math.abs(bytes.length / 2 - pcm.length * 1.5)).toBeLessThan(20);
  const back = down.push(bytes);
  expect(shareOfTone(back, 500)).toBeGreaterThan(0.99);
  expect(Math.max(...back)).toBeGreaterThan(7700);
  expect(Math.max(...back)).toBeLessThan(8300);
});
