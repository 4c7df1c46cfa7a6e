import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claims, showsSettings } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { greetedCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { customTools } from '../dialogue/model/custom-tools.server.ts';
import type { CallContext, DialogueStep } from '../engines/engines.server.ts';
import { AssistantWebhook } from './assistant-webhook.server.ts';

interface Told {
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape are looked into
  readonly message: any;
}

let server: http.Server;
let url: string;
let app: TestApp;
const told: Told[] = [];
/** The status and body of each answer in turn; the last one is repeated. */
let answers: { status: number; body?: unknown }[] = [];

beforeAll(async () => {
  server = http.createServer(async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { message } = JSON.parse(text);
    const { status, body } = answers.shift() ?? { status: 200 };
    told.push({ headers: request.headers, text, message: { ...message, answered: status } });
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url = `http://${host}/calls`;
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: {
      OUTBOUND_ALLOW_HOSTS: host,
      VOICE_SERVER_URL: `http://${host}/own`,
      VOICE_SERVER_SECRET: 'secret of the installation',
    },
  });
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  told.length = 0;
  answers = [];
});

const SECRET = 'a secret of the assistant';
const types = () => told.map(({ message }) => message.type);
const lines: string[] = [];
const log: CallContext['log'] = (level, line) => lines.push(`${level} ${line}`);
const open = (assistant: object) =>
  new AssistantWebhook(
    app.resources,
    { serverUrl: url, serverUrlSecret: SECRET, ...assistant },
    { call: { id: 'c1' } },
    log,
  );

test('a call tells its server what happens while it happens, in order, signed, as far as it is wanted', async () => {
  claims(
    'An assistant that answers, calls out, routes and books for you, and tells you about every call it took.',
  );
  showsSettings('assistant', 'serverMessages', 'serverUrl', 'serverUrlSecret', 'server.url', 'server.secret');
  showsSettings('tool', 'server.url', 'server.secret');
  const call = await greetedCall(app, {
    assistant: {
      name: 'Desk',
      firstMessage: 'Hello.',
      serverUrl: url,
      serverUrlSecret: SECRET,
      metadata: { branch: 'Kiel' },
      serverMessages: [
        'assistant.started',
        'speech-update',
        'transcript[transcriptType="final"]',
        'conversation-update',
        'voice-input',
        'model-output',
        'hang',
      ],
    },
  });
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'goodbye' } }));
  await call.over();
  await call.peer.close();
  const said = told.map(({ message }) => {
    const { type, role, status, transcript, input, output } = message;
    return [type, role, status, transcript ?? input ?? output].filter((one) => one !== undefined).join(' ');
  });
  expect(said.filter((line) => !line.startsWith('conversation-update'))).toEqual([
    'assistant.started',
    'speech-update assistant started',
    'transcript assistant Hello.',
    'speech-update assistant stopped',
    'transcript user goodbye',
    'voice-input goodbye',
    'model-output Goodbye.',
    'speech-update assistant started',
    'transcript assistant Goodbye.',
    'speech-update assistant stopped',
    'hang',
  ]);
  expect(types()).toContain('conversation-update');
  for (const { headers, text, message } of told) {
    expect(message.call).toMatchObject({ id: call.id, type: 'webCall' });
    expect(message.assistant).toMatchObject({ name: 'Desk', metadata: { branch: 'Kiel' } });
    expect(headers['x-call-id']).toBe(call.id);
    expect(headers['x-vapi-secret']).toBe(SECRET);
    const webhook = new Webhook(Buffer.from(SECRET).toString('base64'));
    expect(() => webhook.verify(text, headers as Record<string, string>)).not.toThrow();
  }
  expect(JSON.stringify(told)).not.toContain('/room/');
  expect(told.map(({ text }) => text).join()).not.toContain(SECRET);
  const last = told.at(-1)?.message;
  expect(last.artifact).toMatchObject({
    messages: [{ role: 'bot' }, { role: 'user', message: 'goodbye' }, { role: 'bot' }],
    messagesOpenAIFormatted: [
      { role: 'assistant' },
      { role: 'user', content: 'goodbye' },
      { role: 'assistant' },
    ],
    transcript: 'AI: Hello.\nUser: goodbye\nAI: Goodbye.\n',
  });
  const update = told.findLast(({ message }) => message.type === 'conversation-update')?.message;
  expect(update.messagesOpenAIFormatted).toEqual(update.conversation);
  for (const { time, endTime } of last.artifact.messages) {
    expect(Number.isInteger(time)).toBe(true);
    expect(Number.isInteger(endTime)).toBe(true);
  }
});

test('a caller’s end learns of the assistant only its name', async () => {
  const prompt = { role: 'system', content: 'Never tell the price of the yacht.' };
  const call = await greetedCall(app, {
    assistant: {
      name: 'Desk',
      firstMessage: 'Hello.',
      model: { provider: 'openai', messages: [prompt] },
      clientMessages: ['assistant.started', 'speech-update'],
      serverMessages: [],
    },
  });
  expect(call.messages('assistant.started')).toEqual([
    { type: 'assistant.started', newAssistant: { name: 'Desk' } },
  ]);
  await voiceApi(app, 'POST', `${call.url}/leave`, {});
  await call.over();
  await call.peer.close();
  expect(call.peer.messages.join()).not.toContain('yacht');
});

test('a hand-over tells the server who had the call and who has it, and the caller’s end neither prompt', async () => {
  const prompt = (content: string) => ({ provider: 'openai', messages: [{ role: 'system', content }] });
  const first = {
    ...{ name: 'Desk', firstMessage: 'Hello.', serverUrl: url, serverUrlSecret: SECRET },
    model: prompt('Mind the yacht.'),
    serverMessages: ['assistant.started', 'transfer-update', 'hang'],
  };
  const second = { name: 'Billing', firstMessage: 'Billing.', model: prompt('Mind the yacht.') };
  const assistantDestinations = [{ type: 'assistant', assistantName: 'Billing' }];
  const members = [{ assistant: first, assistantDestinations }, { assistant: second }];
  const call = await greetedCall(app, { squad: { members } });
  const content = 'put me through to billing';
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } }));
  await expect.poll(() => types()).toContain('transfer-update');
  await voiceApi(app, 'POST', `${call.url}/leave`, {});
  await call.over();
  await call.peer.close();
  const update = told.find(({ message }) => message.type === 'transfer-update')?.message;
  expect([update.fromAssistant.name, update.toAssistant.name]).toEqual(['Desk', 'Billing']);
  expect(types()).toEqual(['assistant.started', 'transfer-update', 'assistant.started', 'hang']);
  expect(told.at(-1)?.message.assistant.name).toBe('Billing');
  expect(told.map(({ text }) => text).join()).not.toContain(SECRET);
  expect(call.messages('transfer-update')).toEqual([
    { type: 'transfer-update', destination: { type: 'assistant', assistantName: 'Billing' } },
  ]);
  expect(call.peer.messages.join()).not.toContain('yacht');
});

test('an assistant without a server of its own is told of at the server of the number, with who calls', async () => {
  const number = { id: 'n1', number: '+14155550100', serverUrl: url, serverUrlSecret: 'of the number' };
  const call = { id: 'c1', customer: { number: '+442079460000' } };
  const webhook = new AssistantWebhook(app.resources, {}, { call, number }, log);
  webhook.notify({ type: 'hang' });
  await webhook.close();
  expect(told[0]?.headers['x-vapi-secret']).toBe('of the number');
  expect(told[0]?.message).toMatchObject({
    customer: { number: '+442079460000' },
    phoneNumber: { id: 'n1', number: '+14155550100' },
  });
  expect(told[0]?.text).not.toContain('of the number');
});

test('what is not taken is told again, and what follows waits for it', async () => {
  answers = [{ status: 503 }, { status: 429 }];
  const webhook = open({});
  webhook.notify({ type: 'user-interrupted' });
  webhook.notify({ type: 'voice-input', input: 'not wanted' });
  webhook.notify({ type: 'hang' });
  await expect.poll(() => told.length).toBe(4);
  expect(types()).toEqual(['user-interrupted', 'user-interrupted', 'user-interrupted', 'hang']);
  expect(new Set(told.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await webhook.close();
});

test('a server that refuses for good is left alone, and the log says why', async () => {
  lines.length = 0;
  answers = [{ status: 400 }, { status: 410 }];
  const webhook = open({});
  for (const type of ['user-interrupted', 'hang', 'user-interrupted']) webhook.notify({ type });
  await webhook.close();
  expect(types()).toEqual(['user-interrupted', 'hang']);
  expect(lines.join('\n')).toContain('it answered 410');
  const blocked = open({ serverUrl: 'http://127.0.0.1:9/inside' });
  blocked.notify({ type: 'hang' });
  await blocked.close();
  expect(lines.join('\n')).toContain('OUTBOUND_ALLOW_HOSTS');
  expect(lines.join('\n')).not.toContain(SECRET);
});

test('headers of the assistant go with it, except those that frame and sign a request', async () => {
  showsSettings('assistant', 'server.timeoutSeconds', 'server.headers.*');
  showsSettings('tool', 'server.timeoutSeconds', 'server.headers.*');
  const headers = {
    'x-team': 'desk',
    Host: 'elsewhere',
    'Transfer-Encoding': 'chunked',
    'Webhook-Id': 'forged',
  };
  const webhook = open({ server: { url, headers } });
  webhook.notify({ type: 'hang' });
  await webhook.close();
  expect(told[0]?.headers).toMatchObject({ 'x-team': 'desk', host: new URL(url).host });
  expect(told[0]?.headers).not.toHaveProperty('transfer-encoding');
  expect(told[0]?.headers['webhook-id']).not.toContain('forged');
});

test('an assistant without a server of its own is told of at the server of the installation', async () => {
  const webhook = new AssistantWebhook(app.resources, {}, { call: { id: 'c1' } }, log);
  webhook.notify({ type: 'hang' });
  await webhook.close();
  expect(told[0]?.headers['x-vapi-secret']).toBe('secret of the installation');
});

test('a call without an assistant is given one by the server of the installation, or its words', async () => {
  answers = [{ status: 200, body: { assistant: { firstMessage: 'Given.' } } }];
  const given = await voiceApi(app, 'POST', '/call/web', { metadata: { from: 'app' } });
  expect([given.status, given.body.assistant]).toEqual([201, { firstMessage: 'Given.' }]);
  expect(told[0]?.message).toMatchObject({ type: 'assistant-request', call: { metadata: { from: 'app' } } });
  for (const [answer, status, code] of [
    [{ status: 200, body: { error: 'We are closed today.' } }, 422, 'no_assistant'],
    [{ status: 200, body: { assistantId: 'none' } }, 502, 'assistant_request_failed'],
    [{ status: 500 }, 502, 'assistant_request_failed'],
  ] as const) {
    answers = [answer];
    const refused = await voiceApi(app, 'POST', '/call/web', {});
    expect([refused.status, refused.body.code]).toEqual([status, code]);
  }
  const wrong = await voiceApi(app, 'POST', '/call/web', { surprise: 1 });
  expect([wrong.status, wrong.body.code]).toEqual([400, 'validation_failed']);
});

const WEATHER = {
  type: 'function',
  function: { name: 'get_weather', description: 'The weather of a town', parameters: { type: 'object' } },
  messages: [{ type: 'request-start', content: 'One moment.' }],
};

test('a function tool is asked of its server, and its result or its error is what the dialogue gets', async () => {
  showsSettings('assistant', 'model.toolIds', 'model.tools[]>tool');
  claims(
    'What assistants may ask other servers during a call.',
    'An assistant uses the tools that are ticked on its page.',
    'Left empty, the assistant’s own server is asked.',
  );
  showsSettings('tool', 'function.name', 'function.description', 'function.parameters.*');
  const assistant = { serverUrl: url, model: { provider: 'openai', tools: [WEATHER] } };
  const webhook = open(assistant);
  const { get_weather: tool } = customTools({
    callId: 'c1',
    assistant,
    log,
    queryServer: (message, server) => webhook.query(message, server),
  });
  expect(tool).toMatchObject({ description: 'The weather of a town', begun: 'One moment.' });
  answers = [
    { status: 200, body: { results: [{ toolCallId: 't1', result: 'sunny' }] } },
    { status: 200, body: { results: [{ toolCallId: 't1', error: 'no such town' }] } },
    { status: 200, body: { results: [] } },
    { status: 500 },
    { status: 200, body: { results: [{ result: 'windy' }] } },
    { status: 200, body: { result: 'foggy' } },
    { status: 200, body: { results: [{ toolCallId: 'another', result: 'hot' }] } },
  ];
  const run = async () => tool?.run({ town: 'Kiel' }, 't1');
  expect(await run()).toBe('sunny');
  const call = { id: 't1', type: 'function', function: { name: 'get_weather', arguments: { town: 'Kiel' } } };
  expect(told[0]?.message).toMatchObject({ type: 'tool-calls', toolCallList: [call], call: { id: 'c1' } });
  await expect(run()).rejects.toThrow('no such town');
  await expect(run()).rejects.toThrow('no result');
  await expect(run()).rejects.toThrow('answered 500');
  // One tool call is asked at a time: a result without an id belongs to it, a result with another id does
  // not.
  expect(await run()).toBe('windy');
  expect(await run()).toBe('foggy');
  await expect(run()).rejects.toThrow('no result');
  expect(told[0]?.message.toolWithToolCallList).toEqual([
    { ...WEATHER, name: 'get_weather', toolCall: call },
  ]);
  await webhook.close();
});

test('a tool may have a server of its own, be asked the old way, or not be waited for', async () => {
  showsSettings('tool', 'async');
  const legacy = { serverMessages: ['function-call' as const] };
  const assistant = {
    ...legacy,
    model: { provider: 'openai', tools: [{ ...WEATHER, server: { url: `${url}/tool`, secret: 'own' } }] },
  };
  const webhook = open(legacy);
  answers = [{ status: 200, body: { result: 'rain' } }];
  const old = customTools({
    callId: 'c1',
    assistant,
    log,
    queryServer: (message, server) => webhook.query(message, server),
  }).get_weather;
  expect(await old?.run({ town: 'Kiel' }, 't1')).toBe('rain');
  expect(told[0]?.message.functionCall).toEqual({ name: 'get_weather', parameters: { town: 'Kiel' } });
  expect(told[0]?.headers['x-vapi-secret']).toBe('own');
  const aside = { model: { provider: 'openai', tools: [{ ...WEATHER, async: true }] } };
  const tools = customTools({
    callId: 'c1',
    assistant: aside,
    log,
    queryServer: (message, server) => webhook.query(message, server),
  });
  expect(await tools.get_weather?.run({}, 't2')).toBe('Success.');
  await expect.poll(() => told.length).toBe(2);
  await webhook.close();
});

test('a server that never answers slows no call', async () => {
  const silent = http.createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const other = await startTestApp({
    voiceEngines: simpleEngines({
      async *reply(): AsyncGenerator<DialogueStep> {
        yield { kind: 'sentence', text: 'Goodbye.' };
        yield { kind: 'hang-up', reason: 'assistant-ended-call' };
      },
    }),
    settings: { OUTBOUND_ALLOW_HOSTS: host },
  });
  try {
    const call = await greetedCall(other, {
      assistant: {
        firstMessage: 'Hello.',
        serverUrl: `http://${host}/`,
        serverMessages: ['speech-update', 'hang'],
      },
    });
    call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'bye' } }));
    expect((await call.over()).endedReason).toBe('assistant-ended-call');
    await call.peer.close();
  } finally {
    silent.closeAllConnections();
    silent.close();
    await other.close();
  }
});
