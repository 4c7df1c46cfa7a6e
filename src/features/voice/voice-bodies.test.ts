import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROPERTY_PATIENCE_MS, propertyRuns } from '../../../tests/support/property-runs.ts';
import { startTestApp, type TestApp } from '../../../tests/support/start-test-app.ts';
import { voiceApi } from '../../../tests/support/voice-calls.ts';

let app: TestApp;
let ids: string[];
beforeAll(async () => {
  app = await startTestApp();
  const made = [
    await voiceApi(app, 'POST', '/assistant', { name: 'A', firstMessage: 'Hi' }),
    await voiceApi(app, 'POST', '/tool', { type: 'endCall' }),
    await voiceApi(app, 'POST', '/credential', { provider: 'openai', apiKey: 'sk-1' }),
    await voiceApi(app, 'POST', '/phone-number/buy', { areaCode: '212' }),
  ];
  ids = [...made.map(({ body }) => body.id), '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11', 'no-id'];
});
afterAll(() => app.close());

/** Fields of the resources, so that what is generated gets past the first check now and then. */
const FIELDS = [
  ...[
    'name',
    'firstMessage',
    'model',
    'provider',
    'messages',
    'tools',
    'toolIds',
    'knowledgeBase',
    'fileIds',
  ],
  ...[
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
  ],
  ...['assistantId', 'assistant', 'assistantOverrides', 'variableValues', 'squad', 'squadId', 'customer'],
  ...[
    'number',
    'sipUri',
    'areaCode',
    'type',
    'function',
    'parameters',
    'destinations',
    'apiKey',
    'credentialId',
  ],
  ...[
    'twilioPhoneNumber',
    'twilioAccountSid',
    'twilioAuthToken',
    'vonagePhoneNumber',
    'numberDesiredAreaCode',
  ],
  ...['fallbackDestination', 'queries', 'table', 'operations', 'operation', 'column', 'groupBy', 'timeRange'],
  ...[
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
  ],
  ...[
    'messagePlan',
    'idleMessages',
    'startSpeakingPlan',
    'stopSpeakingPlan',
    'analysisPlan',
    'hooks',
    '__proto__',
  ],
  ...['sdp', 'reason', 'kind', 'message', 'details', 'silenceTimeoutSeconds', 'maxDurationSeconds'],
];
const WORDS = [
  ...[
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
  ],
  ...[
    'vonage',
    'function',
    'query',
    'endCall',
    '212',
    '+442079460000',
    'sip:a@b',
    'https://a.example/x',
    'system',
  ],
  ...[
    'a\u0000b',
    '\ud800',
    '\\u0000',
    "'; drop table x; --",
    '{{name}}',
    '2026-01-31T09:30:00Z',
    '__proto__',
  ],
  ...['infinity', 'NaN', '1e400', '😀', '\u202e', 'x'.repeat(3000)],
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

test(
  'no body and no query makes a call of the voice API fail on our side',
  async () => {
    const routes = [
      ...new Set(
        app.routes
          .filter((route) => /^(GET|POST|PUT|PATCH) \/voice\/v1\//.test(route))
          .filter((route) => !route.endsWith('openapi.json')),
      ),
    ];
    const seen = new Set<number>();
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
      seen.add(reply.status);
      expect(reply.status, `${route} ${said}`).toBeLessThan(500);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.nat({ max: 5 }),
        anyBody,
        query,
        (route, index, given, asked) => ask(route, ids[index] ?? 'no-id', given, asked),
      ),
      { numRuns: propertyRuns(400) },
    );
    // Some got through: the generator is no wall of refusals.
    expect([...seen].sort()).toEqual(expect.arrayContaining([200, 201, 400, 404]));
  },
  PROPERTY_PATIENCE_MS,
);
