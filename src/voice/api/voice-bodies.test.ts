import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { propertyRuns } from '../../../tests/support/property-runs.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { voiceApi } from '../../../tests/support/voice/voice-calls.ts';

let app: TestApp;
let ids: string[];
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines() });
  const made = [
    await voiceApi(app, 'POST', '/assistant', { name: 'A', firstMessage: 'Hi' }),
    await voiceApi(app, 'POST', '/tool', { type: 'endCall' }),
    await voiceApi(app, 'POST', '/credential', { provider: 'openai', apiKey: 'sk-1' }),
    await voiceApi(app, 'POST', '/phone-number/buy', { areaCode: '212' }),
  ];
  ids = [...made.map(({ body }) => body.id), '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11', 'no-id'];
});
afterAll(() => app.close());

/** Fields of the resources, so that some of the generated bodies pass the first check. */
const FIELDS = [
  'name',
  'firstMessage',
  'model',
  'provider',
  'messages',
  'tools',
  'toolIds',
  'knowledgeBase',
  'fileIds',

  'topK',
  'voice',
  'transcriber',
  'metadata',
  'serverUrl',
  'server',
  'url',
  'secret',
  'headers',
  'members',
  'assistantId',
  'assistant',
  'assistantOverrides',
  'variableValues',
  'squad',
  'squadId',
  'customer',

  'number',
  'sipUri',
  'areaCode',
  'type',
  'function',
  'parameters',
  'destinations',
  'apiKey',
  'credentialId',

  'twilioPhoneNumber',
  'twilioAccountSid',
  'twilioAuthToken',
  'vonagePhoneNumber',
  'numberDesiredAreaCode',
  'fallbackDestination',
  'queries',
  'table',
  'operations',
  'operation',
  'column',
  'groupBy',
  'timeRange',

  'groupByVariableValue',
  'key',
  'alias',
  'step',
  'timezone',
  'start',
  'end',
  'purpose',
  'role',
  'content',

  'messagePlan',
  'idleMessages',
  'startSpeakingPlan',
  'stopSpeakingPlan',
  'analysisPlan',
  'hooks',
  '__proto__',
  'sdp',
  'reason',
  'kind',
  'message',
  'details',
  'silenceTimeoutSeconds',
  'maxDurationSeconds',
];
const WORDS = [
  '',
  'call',
  'count',
  'id',
  'sum',
  'cost',
  'duration',
  'day',
  'UTC',
  'openai',
  'embedded',
  'vapi',
  'twilio',

  'vonage',
  'function',
  'query',
  'endCall',
  '212',
  '+442079460000',
  'sip:a@b',
  'https://a.example/x',
  'system',

  'a\u0000b',
  '\ud800',
  '\\u0000',
  "'; drop table x; --",
  '{{name}}',
  '2026-01-31T09:30:00Z',
  '__proto__',
  'infinity',
  'NaN',
  '1e400',
  '😀',
  '\u202e',
  'x'.repeat(3000),
];
const text = fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: 'binary', maxLength: 12 }));
const scalar = fc.oneof(
  text,
  fc.constantFrom(null, true, false, 0, -1, 0.5, 30, 1e308, -0, 2 ** 53),
  fc.constantFrom(0).map(() => ids[0]),
  fc.double({ noNaN: true }),
);
const { body } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, scalar, tie('list'), tie('body')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  body: fc.dictionary(fc.constantFrom(...FIELDS), tie('value'), { maxKeys: 5 }),
}));
const anyBody = fc.oneof(
  { weight: 20, arbitrary: body },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.constant('['.repeat(5000)) },
);

/** Valid bodies, of which one place is changed: most generated bodies fail at the first check. */
const GOOD: Readonly<Record<string, object>> = {
  assistant: {
    name: 'A',
    firstMessage: 'Hello {{name}}',
    model: {
      provider: 'openai',
      temperature: 0.5,
      messages: [{ role: 'system', content: 'Be brief.' }],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      knowledgeBase: { provider: 'canonical', topK: 3, fileIds: [] },
    },
    server: { url: 'https://a.example/x', secret: 's', headers: { 'x-a': 'b' }, timeoutSeconds: 5 },
    serverMessages: ['hang'],
    messagePlan: { idleMessages: ['Hm?'], idleTimeoutSeconds: 7 },
    startSpeakingPlan: { waitSeconds: 1, transcriptionEndpointingPlan: { onNumberSeconds: 1 } },
    stopSpeakingPlan: { numWords: 2, interruptionPhrases: ['next'] },
    analysisPlan: {
      structuredDataPlan: { enabled: true, schema: { properties: { a: { type: 'string' } } } },
    },
    metadata: { a: [1, { b: null }] },
  },
  squad: {
    name: 'S',
    members: [
      { assistant: { name: 'One' }, assistantDestinations: [{ type: 'assistant', assistantName: 'One' }] },
    ],
  },
  tool: {
    type: 'query',
    name: 'q',
    knowledgeBases: [{ name: 'k', fileIds: [] }],
    messages: [{ type: 'request-start' }],
  },
  credential: { provider: 'openai', name: 'K', apiKey: 'sk-1', more: { deep: ['x'] } },
  'phone-number': { provider: 'vapi', numberDesiredAreaCode: '415', name: 'N', hooks: [] },
  analytics: {
    queries: [
      {
        table: 'call',
        name: 'q',
        groupBy: ['type'],
        groupByVariableValue: [{ key: 'a' }],
        timeRange: {
          step: 'day',
          start: '2026-01-01T00:00:00Z',
          end: '2026-02-01T00:00:00Z',
          timezone: 'UTC',
        },
        operations: [{ operation: 'avg', column: 'cost', alias: 'a' }],
      },
    ],
  },
  call: {
    assistant: { firstMessage: 'Hi' },
    assistantOverrides: { variableValues: { a: 1 } },
    name: 'C',
    metadata: { a: 1 },
  },
};

/** The body with another value at one place. */
function withChange(given: unknown, place: number, value: unknown): unknown {
  let left = place;
  const walk = (at: unknown): unknown => {
    if (left-- === 0) return value;
    if (Array.isArray(at)) return at.map(walk);
    if (typeof at !== 'object' || at === null) return at;
    return Object.fromEntries(Object.entries(at).map(([name, inside]) => [name, walk(inside)]));
  };
  return walk(given);
}
const nearlyGood = (route: string, place: number, value: unknown): unknown => {
  const kind = /\/v1\/([a-z-]+)/.exec(route)?.[1] ?? '';
  return withChange(GOOD[kind] ?? {}, place, value);
};
const query = fc.dictionary(
  fc.constantFrom(
    'limit',
    'page',
    'sortOrder',
    'createdAtGt',
    'id',
    'assistantId',
    'callId',
    'search',
    'timezone',
    'purpose',
    'rangeStart',
  ),
  text,
  { maxKeys: 3 },
);

test('no body and no query makes a call of the voice API fail on our side', async () => {
  const routes = [
    ...new Set(
      app.routes
        .filter((route) => /^(GET|POST|PUT|PATCH) \/voice\/v1\//.test(route))
        .filter((route) => !route.endsWith('openapi.json')),
    ),
  ];
  const ask = async (route: string, id: string, given: unknown, asked: Record<string, string>) => {
    const [method = '', at = ''] = route.split(' ');
    const path = at.replace(':id', id).replace(':token', 'none');
    const parameters = Object.fromEntries(
      Object.entries(asked).map(([name, value]) => [name, value.toWellFormed()]),
    );
    const reply = await fetch(`${app.url}${path}?${new URLSearchParams(parameters)}`, {
      method,
      headers: {
        authorization: `Bearer ${app.resources.keys.voice_private_key}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: typeof given === 'string' ? given : JSON.stringify(given) }),
    });
    const said = await reply.text();
    expect(reply.status, `${route} ${said}`).toBeLessThan(500);
    return reply.status;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      fc.nat({ max: 5 }),
      fc.oneof(
        anyBody.map((given) => () => given),
        fc.tuple(fc.nat({ max: 40 }), fc.oneof(scalar, body)).map(
          ([place, value]) =>
            (route: string) =>
              nearlyGood(route, place, value),
        ),
      ),
      query,
      async (route, index, given, asked) =>
        void (await ask(route, ids[index] ?? 'no-id', given(route), asked)),
    ),
    { numRuns: propertyRuns(100) },
  );
  for (const kind of Object.keys(GOOD))
    expect([kind, await ask(`POST /voice/v1/${kind}`, '', GOOD[kind], {})]).toEqual([kind, 201]);
});
