import { VapiClient } from '@vapi-ai/server-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { voiceApi } from '../../../tests/support/voice/voice-calls.ts';

let app: TestApp;
let client: VapiClient;
beforeAll(async () => {
  app = await startTestApp();
  client = new VapiClient({
    token: app.resources.keys.voice_private_key,
    baseUrl: `${app.url}/voice/v1`,
    maxRetries: 0,
  });
  const calls = [
    ['2026-03-01T23:30:00Z', 2, { endedReason: 'customer-ended-call', cost: 0.5, team: 'sales' }],
    ['2026-03-02T09:00:00Z', 4, { endedReason: 'customer-ended-call', cost: 1.5, team: 'sales' }],
    ['2026-03-02T10:00:00Z', 6, { endedReason: 'silence-timed-out', cost: 0, team: 'care' }],
  ] as const;
  for (const [at, minutes, { team, ...body }] of calls) {
    await app.resources.database.run(
      "insert into private.voice_records (kind, body, created_at) values ('call', $1, $2)",
      [
        JSON.stringify({
          ...body,
          type: 'webCall',
          status: 'ended',
          startedAt: at,
          endedAt: new Date(Date.parse(at) + minutes * 60_000).toISOString(),
          costBreakdown: { llm: body.cost / 2, llmPromptTokens: 10 },
          assistantOverrides: { variableValues: { team } },
        }),
        at,
      ],
    );
  }
});
afterAll(() => app.close());

const range = { start: '2026-03-01T00:00:00Z', end: '2026-03-03T00:00:00Z' };

test('calls are counted and summed over a range, as the server SDK asks', async () => {
  const [all, reasons] = await client.analytics.get({
    queries: [
      {
        table: 'call',
        name: 'all',
        timeRange: range,
        operations: [
          { operation: 'count', column: 'id' },
          { operation: 'sum', column: 'cost', alias: 'spent' },
          { operation: 'avg', column: 'duration' },
          { operation: 'max', column: 'costBreakdown.llm' },
          { operation: 'min', column: 'costBreakdown.stt' },
        ],
      },
      {
        table: 'call',
        name: 'reasons',
        timeRange: range,
        groupBy: ['endedReason'],
        groupByVariableValue: [{ key: 'team' }],
        operations: [{ operation: 'count', column: 'id' }],
      },
    ],
  });
  expect(all).toEqual({
    name: 'all',
    timeRange: { ...range, timezone: 'UTC' },
    result: [{ countId: 3, spent: 2, avgDuration: 4, maxCostBreakdownLlm: 0.75, minCostBreakdownStt: null }],
  });
  expect(reasons?.result).toEqual([
    { endedReason: 'customer-ended-call', team: 'sales', countId: 2 },
    { endedReason: 'silence-timed-out', team: 'care', countId: 1 },
  ]);
});

test('steps are steps of the time zone', async () => {
  const days = async (timezone: string) => {
    const [answer] = await client.analytics.get({
      queries: [
        {
          table: 'call',
          name: 'days',
          timeRange: { ...range, step: 'day', timezone },
          operations: [{ operation: 'count', column: 'id' }],
        },
      ],
    });
    return answer?.result;
  };
  expect(await days('UTC')).toEqual([
    { date: '2026-03-01T00:00:00', countId: 1 },
    { date: '2026-03-02T00:00:00', countId: 2 },
  ]);
  expect(await days('Europe/Berlin')).toEqual([{ date: '2026-03-02T00:00:00', countId: 3 }]);
});

test.each([
  [{ table: 'subscription' }, 'table: must be call'],
  [{ operations: [] }, 'operations'],
  [{ operations: [{ operation: 'sum', column: 'id' }] }, 'must be count for the column id'],
  [{ operations: [{ operation: 'history', column: 'cost' }] }, 'must be sum, avg, count, min or max'],
  [{ operations: [{ operation: 'sum', column: "cost'; drop table x" }] }, 'column'],
  [{ operations: [{ operation: 'count', column: 'id', alias: 'a b' }] }, 'alias'],
  [{ groupBy: ['transcript'] }, 'groupBy'],
  [{ timeRange: { timezone: 'Mars/Olympus' } }, 'must be a time zone'],
  [{ timeRange: { start: range.end, end: range.start } }, 'must be after start'],
])('%j is refused and says why', async (wrong, words) => {
  const query = { table: 'call', name: 'q', operations: [{ operation: 'count', column: 'id' }], ...wrong };
  const { status, body } = await voiceApi(app, 'POST', '/analytics', { queries: [query] });
  expect(status).toBe(400);
  expect(body.message).toContain(words);
});

test('a name that is no SQL is only a name', async () => {
  const key = "x'); drop table private.voice_records; --";
  const [answer] = await client.analytics.get({
    queries: [
      {
        table: 'call',
        name: 'odd',
        timeRange: range,
        groupByVariableValue: [{ key }],
        operations: [{ operation: 'count', column: 'id' }],
      },
    ],
  });
  expect(answer?.result).toEqual([{ [key]: null, countId: 3 }]);
});

test('a call that the field has and this installation has not says what to do instead', async () => {
  const campaign = await voiceApi(app, 'POST', '/v2/campaign', {});
  expect([campaign.status, campaign.body.code]).toEqual([501, 'not_offered']);
  expect(campaign.body.message).toContain('POST /campaign takes its customers');
  const nothing = await voiceApi(app, 'GET', '/surprise');
  expect([nothing.status, nothing.body.code]).toEqual([404, 'no_such_call']);
});

const NO_TIMES = [
  '0000-06-01T00:00:00Z',
  '2026-06-01T00:00:00+16:00',
  // In UTC these are in the year 0 and in the year 10000.
  '0001-01-01T00:00:00+15:00',
  '9999-12-31T23:00:00-02:00',
  `2026-06-01T00:00:00.${'0'.repeat(200)}Z`,
];

test.each(NO_TIMES)('%s, no time to the database, is refused wherever a time is given', async (time) => {
  const given = encodeURIComponent(time);
  const query = { table: 'call', name: 'q', operations: [{ operation: 'count', column: 'id' }] };
  const assistantId = app.resources.keys.voice_assistant_id;
  const customer = { number: '+442079460000' };
  const schedulePlan = { earliestAt: time };
  for (const [method, at, body] of [
    ['GET', `/metrics?rangeStart=${given}`],
    ['GET', `/metrics?rangeEnd=${given}`],
    ['POST', '/analytics', { queries: [{ ...query, timeRange: { start: time } }] }],
    ['POST', '/analytics', { queries: [{ ...query, timeRange: { end: time } }] }],
    ['GET', `/call?createdAtGt=${given}`],
    ['GET', `/v2/call?createdAtLe=${given}`],
    ['GET', `/assistant?updatedAtLt=${given}`],
    ['POST', '/call/phone', { assistantId, customer, schedulePlan }],
    ['POST', '/campaign', { name: 'c', assistantId, customers: [customer], schedulePlan }],
  ] as const) {
    const reply = await voiceApi(app, method, at, body);
    expect([reply.status, reply.body.message], `${method} ${at}`).toEqual([
      400,
      expect.stringMatching(/: must be a time as 2026-01-31T09:30:00\.000Z(, or a day as 2026-01-31)?$/),
    ]);
  }
});

test('a range may begin and end with the first times there are, and is compared as times, not as texts', async () => {
  const first = '0001-01-01T15:00:00+15:00';
  const ofAll = { table: 'call', name: 'q', operations: [{ operation: 'count', column: 'id' }] };
  for (const [timeRange, countId] of [
    [{ start: first, end: range.end }, 3],
    [{ end: first }, 0],
  ] as const) {
    const reply = await voiceApi(app, 'POST', '/analytics', { queries: [{ ...ofAll, timeRange }] });
    expect([reply.status, reply.body[0]?.result]).toEqual([201, [{ countId }]]);
  }
  for (const [asked, callCount] of [
    [{ rangeStart: first, rangeEnd: range.end }, '3'],
    [{ rangeEnd: first }, '0'],
    // Compared as texts, this range would end before it begins.
    [{ rangeStart: '2026-03-02T10:30:00+02:00', rangeEnd: '2026-03-02T09:30:00Z' }, '1'],
  ] as const) {
    const reply = await voiceApi(app, 'GET', `/metrics?${new URLSearchParams(asked)}`);
    expect([reply.status, reply.body[0]?.callCount], JSON.stringify(asked)).toEqual([200, callCount]);
  }
});
