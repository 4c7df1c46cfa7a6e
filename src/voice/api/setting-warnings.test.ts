import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readSettingTests } from '../../../scripts/docs/sentence-claims.ts';
import { withVoiceSettings } from '../../../scripts/docs/voice-settings-table.ts';
import { showsSettings } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { SdkBodies } from '../../../tests/support/voice/sdk-bodies.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { asBrowser, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import {
  REFUSED_TOOLS,
  SETTING_EFFECTS,
  type SettingEffect,
  type SettingPart,
} from '../records/setting-effects.contract.ts';
import { settingWarnings } from '../records/setting-warnings.server.ts';
import { assistantOverridesSchema, squadSchema } from '../records/voice-assistant.contract.ts';
import { phoneCallSchema, webCallSchema } from '../records/voice-resources.contract.ts';
import { toolSchema } from '../records/voice-tool.contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines() });
});
afterAll(() => app.close());

const SCHEMAS: Readonly<Record<SettingPart, z.ZodType>> = {
  assistant: assistantOverridesSchema,
  squad: squadSchema,
  tool: toolSchema,
  call: webCallSchema,
  phoneCall: phoneCallSchema,
};
const PARTS = Object.keys(SCHEMAS) as SettingPart[];
const rows = PARTS.flatMap((part) => SETTING_EFFECTS[part].map((row) => ({ part, ...row })));
const A_CUSTOMER = { number: '+12025550123' };
/** What a body needs besides the field in question. */
const BASE: Readonly<Record<SettingPart, object>> = {
  assistant: {
    model: { provider: 'embedded' },
    voice: { provider: 'embedded' },
    voicemailDetection: { provider: 'vapi' },
    transcriber: { provider: 'embedded' },
    hooks: [{ on: 'customer.speech.timeout', do: [{ type: 'say' }] }],
  },
  squad: { members: [{ assistant: { name: 'A' } }] },
  tool: {
    type: 'function',
    function: { name: 'f' },
    knowledgeBases: [{ fileIds: [] }],
    destinations: [{ type: 'assistant' }],
    messages: [{ type: 'request-start', content: 'One moment.' }],
  },
  call: { assistant: { firstMessage: 'Hello' } },
  phoneCall: { assistant: { firstMessage: 'Hello' }, customer: A_CUSTOMER },
};

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: unknown;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
}

/** Every place of a schema that can hold a value, as the rows write it; places in `stops` are not entered. */
function placesOf(schema: Described, place: string, stops: ReadonlySet<string>): string[] {
  if (stops.has(place)) return [place];
  const inside = [schema, ...(schema.anyOf ?? [])].flatMap((one) => [
    ...Object.entries(one.properties ?? {}).flatMap(([name, member]) =>
      placesOf(member, place === '' ? name : `${place}.${name}`, stops),
    ),
    ...(one.items?.properties === undefined ? [] : placesOf(one.items, `${place}[]`, stops)),
  ]);
  return inside.length === 0 ? [place] : inside;
}

/** A body with `value` at a place, where lists have one item. */
function bodyWith(part: SettingPart, at: string, value: unknown): Record<string, unknown> {
  const body = structuredClone(BASE[part]) as Record<string, unknown>;
  let parent: Record<string, unknown> = body;
  const names = at.split('.');
  for (const name of names.slice(0, -1)) {
    const plain = name.replace('[]', '');
    const list = name.endsWith('[]');
    parent[plain] ??= list ? [{}] : {};
    parent = (list ? (parent[plain] as unknown[])[0] : parent[plain]) as Record<string, unknown>;
  }
  parent[names.at(-1) ?? ''] = value;
  return body;
}

const shownPath = ({ at }: Pick<SettingEffect, 'at'>): string => at.replaceAll('[]', '.0');

test('every place of the schemas has its row, and each row once', () => {
  for (const part of PARTS) {
    const stops = new Set(
      SETTING_EFFECTS[part].map(({ at }) => (at.split('>')[0] ?? '').replace(/\.\*$/, '')),
    );
    const described = z.toJSONSchema(SCHEMAS[part], { io: 'input', unrepresentable: 'any' }) as Described;
    const missing = placesOf(described, '', stops).filter(
      (place) =>
        ![...stops].some(
          (stop) => stop === place || stop.startsWith(`${place}.`) || stop.startsWith(`${place}[`),
        ),
    );
    expect([part, missing]).toEqual([part, []]);
    expect(stops.size).toBe(SETTING_EFFECTS[part].length);
  }
});

test('what acts is shown by a test and nothing else is, and what does not act has an example', () => {
  const shown = readSettingTests();
  const acting = rows.filter(({ does }) => does === 'acts').map(({ part, at }) => `${part}: ${at}`);
  expect([...shown.keys()].toSorted()).toEqual(acting.toSorted());
  for (const { at, does, example } of rows)
    expect([at, example === undefined]).toEqual([at, does === 'acts']);
});

test('the page has the tables', () => {
  const page = readFileSync('docs/voice-api.md', 'utf8');
  expect(withVoiceSettings(page)).toBe(page);
});

test('what is only kept is taken, and the answer names it with the reason', () => {
  for (const row of rows.filter(({ does }) => does === 'kept')) {
    const body = bodyWith(row.part, row.at, row.example);
    if (row.at.startsWith('customers[]')) Object.assign((body.customers as object[])[0] ?? {}, A_CUSTOMER);
    expect([row.at, SCHEMAS[row.part].safeParse(body).error?.issues ?? []]).toEqual([row.at, []]);
    expect(settingWarnings(row.part, body)).toContain(
      `${shownPath(row)}: is kept and does not act: ${row.says}`,
    );
    for (const neutral of row.neutral ?? [])
      expect(settingWarnings(row.part, bodyWith(row.part, row.at, neutral)).join()).not.toContain(row.says);
  }
});

test('what is refused is answered 400 in the words of its row', async () => {
  const bodies = rows
    .filter(({ does }) => does === 'refused')
    .map(({ part, at, example, says }) => ({ part, body: bodyWith(part, at, example), says }));
  const tools = Object.entries(REFUSED_TOOLS).map(([type, why]) => ({
    part: 'tool' as const,
    body: { type },
    says: `a tool of the type ${type} is not offered: ${why}`,
  }));
  for (const { part, body, says } of [...bodies, ...tools]) {
    const at = part === 'call' ? '/call/web' : part === 'phoneCall' ? '/call/phone' : `/${part}`;
    const answer = await voiceApi(app, 'POST', at, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(answer.body.message).toContain(says);
  }
  const inline = { model: { provider: 'embedded', tools: [{ type: 'bash' }] } };
  expect((await voiceApi(app, 'POST', '/assistant', inline)).body.message).toContain('model.tools.0.type');
});

test('of a hook every event and action that does not act is named, also one that nobody knows', () => {
  const hook = (on: string, type: string) => ({
    on,
    do: [{ type, exact: 'Hello?' }],
    options: { timeoutSeconds: 5 },
  });
  const warned = (...hooks: object[]) => settingWarnings('assistant', { hooks });
  expect(warned(hook('customer.speech.timeout', 'say'))).toEqual([]);
  expect(warned(hook('customer.speech.timeout[confidence=low]', 'tool'), hook('call.ending', 'say'))).toEqual(
    [
      'hooks.0.on: is kept and does not act: it is not known here',
      'hooks.0.do.0.type: is kept and does not act: a hook cannot call a tool',
      'hooks.1.on: is kept and does not act: the server gets `end-of-call-report`',
    ],
  );
});

test('of messages and of a tool’s sayings those that never come are named one by one', () => {
  const serverMessages = ['status-update', 'phone-call-control', 'assistant.started', 'session.created'];
  const clientMessages = ['transcript', 'tool.completed'];
  const messages = [
    { type: 'request-start', content: 'a' },
    { type: 'request-sometime', content: 'b' },
  ];
  const model = { provider: 'embedded', tools: [{ type: 'endCall', messages }] };
  expect(settingWarnings('assistant', { serverMessages, clientMessages, model })).toEqual([
    'serverMessages.1: is kept and does not act: calls are put through and ended here',
    'serverMessages.3: is kept and does not act: sessions are not offered',
    'clientMessages.1: is kept and does not act: `tool-calls-result` reports it',
    'model.tools.0.messages.1.type: is kept and does not act: it is not known here',
  ]);
});

test('warnings come with what is created and changed, and with a call, and with nothing else', async () => {
  const hooks = [{ on: 'call.ending', do: [] }];
  const made = await voiceApi(app, 'POST', '/assistant', { name: 'A', hooks });
  expect(made).toMatchObject({
    status: 201,
    body: { warnings: [expect.stringMatching(/^hooks\.0\.on: is kept/)] },
  });
  const at = `/assistant/${made.body.id}`;
  expect((await voiceApi(app, 'GET', at)).body).not.toHaveProperty('warnings');
  expect((await voiceApi(app, 'PATCH', at, { name: 'B' })).body.warnings).toHaveLength(1);
  expect((await voiceApi(app, 'PUT', at, { name: 'C' })).body).not.toHaveProperty('warnings');
  const members = [{ assistant: { name: 'A', hooks }, assistantVersion: '2' }];
  expect((await voiceApi(app, 'POST', '/squad', { members })).body.warnings).toEqual([
    expect.stringMatching(/^members\.0\.assistantVersion:/),
    expect.stringMatching(/^members\.0\.assistant\.hooks\.0\.on:/),
  ]);
  const tool = { type: 'voicemail', function: { name: 'press', sorcery: { deep: [1] } } };
  expect((await voiceApi(app, 'POST', '/tool', tool)).body.warnings).toEqual([
    expect.stringMatching(/^type: is kept and does not act: /),
    'function.sorcery: is kept and does not act: it is not known here',
  ]);
  const call = await voiceApi(app, 'POST', '/call/web', {
    assistant: { hooks },
    roomDeleteOnUserLeaveEnabled: false,
  });
  expect(call.body.warnings).toHaveLength(2);
  expect((await voiceApi(app, 'GET', `/call/${call.body.id}`)).body).not.toHaveProperty('warnings');
  const visitor = { assistantId: app.resources.keys.voice_assistant_id, workflowId: null };
  const seen = await voiceApi(app, 'POST', '/call/web', visitor, asBrowser(app));
  expect(seen.status).toBe(201);
  expect(seen.body).not.toHaveProperty('warnings');
});

test('a provider without a credential is named, as is one that is not connected; a stored one works', async () => {
  const body = { model: { provider: 'mistral', model: 'm' }, voice: { provider: 'playht', voiceId: 'v' } };
  const playht =
    'voice.provider: is kept and does not act: it is not connected here, the installation’s own is used';
  const made = await voiceApi(app, 'POST', '/assistant', body);
  expect(made.body.warnings).toEqual([
    'model.provider: is kept and does not act: no credential of it is stored, the installation’s own is used',
    playht,
  ]);
  const own = { ...body, credentials: [{ provider: 'mistral', apiKey: 'k' }] };
  expect((await voiceApi(app, 'POST', '/assistant', own)).body.warnings).toEqual([playht]);
  const stored = await voiceApi(app, 'POST', '/credential', { provider: 'mistral', apiKey: 'sk-secret' });
  const renamed = await voiceApi(app, 'PATCH', `/assistant/${made.body.id}`, { name: 'B' });
  expect(renamed.body.warnings).toEqual([playht]);
  const moved = await voiceApi(app, 'PATCH', `/credential/${stored.body.id}`, {
    url: 'https://elsewhere.example',
  });
  expect(moved).toMatchObject({ status: 400, body: { message: expect.stringContaining('apiKey') } });
  const nowhere = await voiceApi(app, 'POST', '/assistant', { model: { provider: 'custom-llm' } });
  expect(nowhere).toMatchObject({ status: 400, body: { message: 'model.url: is needed for custom-llm' } });
});

test('an embedded voice that this server does not have is named; words are said in spelling or in its phonemes', async () => {
  const none = 'voice.voiceId: is kept and does not act: this server has no such voice, its usual one speaks';
  const warned = async (voiceId: string) =>
    (await voiceApi(app, 'POST', '/assistant', { voice: { provider: 'embedded', voiceId } })).body.warnings;
  expect(await warned('emma')).toBeUndefined();
  for (const voiceId of ['slt', 'nobody', '../emma']) expect(await warned(voiceId)).toEqual([none]);

  const pronunciations = { Niamh: '/nˈiːv/', Xyloq: 'zeye lock' };
  const made = await voiceApi(app, 'POST', '/assistant', { pronunciations });
  expect(made).toMatchObject({ status: 201, body: { pronunciations } });
  expect(made.body).not.toHaveProperty('warnings');
  const tooMany = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`word${at}`, 'word']));
  for (const wrong of [
    { Niamh: '/n8v/' },
    { Niamh: '/nˈiːv' },
    { Niamh: '' },
    { '': 'neev' },
    { Niamh: 1 },
    tooMany,
  ])
    expect(await voiceApi(app, 'POST', '/assistant', { pronunciations: wrong })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('pronunciations') },
    });
});

test('a credential that nothing reads is named, stored or brought by an assistant', async () => {
  const unread = [
    'make',
    'google.calendar.oauth2-client',
    'gohighlevel',
    's3',
    'azure',
    'langfuse',
    'nobody',
  ];
  for (const provider of unread) {
    const stored = await voiceApi(app, 'POST', '/credential', { provider, apiKey: 'x' });
    const reason = `is kept and does not act: nothing here reads a credential of ${provider}`;
    expect([stored.status, stored.body.warnings]).toEqual([
      201,
      [expect.stringContaining(`provider: ${reason}`)],
    ]);
    expect(settingWarnings('assistant', { credentials: [{ provider, apiKey: 'x' }] })).toEqual([
      expect.stringContaining(`credentials.0: ${reason}`),
    ]);
  }
  const read = await voiceApi(app, 'POST', '/credential', { provider: 'groq', apiKey: 'x' });
  expect(read.body).not.toHaveProperty('warnings');
});

test('an assistant names stored credentials only', async () => {
  const credentialIds = [crypto.randomUUID()];
  const refused = await voiceApi(app, 'POST', '/assistant', { credentialIds });
  expect(refused).toMatchObject({ status: 400, body: { code: 'unknown_reference' } });
  expect(refused.body.message).toContain('credentialIds');
});

test('what only a provider reads is named beside an embedded engine, and acts beside the provider', () => {
  const question = { enabled: true, messages: [{ role: 'user', content: 'Was it kind?' }] };
  const given = {
    transcriber: { provider: 'embedded', language: 'de', keyterm: ['Northline'] },
    voice: { provider: 'embedded', voiceId: 'nobody', speed: 1.2 },
    model: { provider: 'embedded', temperature: 0.2, maxTokens: 200 },
    analysisPlan: { summaryPrompt: 'Sum it up.', successEvaluationPlan: question },
  };
  const named = (body: object, ...more: ReadonlySet<string>[]) =>
    settingWarnings('assistant', body, ...more).map((line) => line.split(':')[0]);
  expect(named(given)).toEqual([
    ...['transcriber.language', 'transcriber.keyterm.0', 'voice.voiceId'],
    ...['model.temperature', 'model.maxTokens'],
    ...['analysisPlan.summaryPrompt', 'analysisPlan.successEvaluationPlan.messages.0'],
  ]);
  const provided = {
    ...given,
    transcriber: { ...given.transcriber, provider: 'deepgram' },
    voice: { ...given.voice, provider: '11labs' },
    model: { ...given.model, provider: 'openai' },
  };
  const stored = new Set(['deepgram', '11labs', 'openai']);
  expect(named(provided, stored)).toEqual([]);
  // English is understood, embedded voices speak, and the installation may have engines of its own.
  expect(
    named({
      transcriber: { provider: 'embedded', language: 'en-GB' },
      voice: { voiceId: 'emma' },
    }),
  ).toEqual([]);
  const engines = new Set(['model', 'voice', 'transcriber']);
  expect(named({ ...given, firstMessage: 'Hello.' }, new Set(), engines)).toEqual([]);
  // Overrides may be for an assistant with a provider.
  const overrides = { analysisPlan: { summaryPrompt: 'Sum it up.' }, voice: { voiceId: 'nobody' } };
  expect(settingWarnings('call', { assistantOverrides: overrides })).toEqual([]);
});

/**
 * Whether the table knows a value at a place: as acting, or as asking for nothing.
 *
 * @param part where the place begins
 */
function isKnown(part: SettingPart, names: readonly string[], body: unknown): boolean {
  let place = '';
  let value = body;
  for (const [at, name] of names.entries()) {
    place += /^\d+$/.test(name) ? '[]' : place === '' ? name : `.${name}`;
    value = (value as Record<string, unknown>)[name];
    const row = SETTING_EFFECTS[part].find((one) => one.at === place || one.at === `${place}.*`);
    if (row !== undefined)
      return row.does === 'acts' || row.neutral?.some((one) => isDeepStrictEqual(one, value)) === true;
    const other = SETTING_EFFECTS[part].find((one) => one.at.startsWith(`${place}>`))?.at.split('>')[1];
    if (other !== undefined) return isKnown(other as SettingPart, names.slice(at + 1), value);
  }
  return value === 'off';
}

test('of 500 fields drawn from the published client’s types none is taken in silence', () => {
  const bodies = new SdkBodies(20261127);
  const roots = [
    ...Array<[SettingPart, string]>(400).fill(['assistant', 'CreateAssistantDto']),
    ...Array<[SettingPart, string]>(50).fill(['squad', 'CreateSquadDto']),
    ...Array<[SettingPart, string]>(50).fill(['tool', 'OpenAiModelToolsItem']),
  ];
  const counts = { refused: 0, warned: 0, known: 0 };
  const silent: string[] = [];
  for (const [part, type] of roots) {
    const { body, path } = bodies.draw(type);
    if (!SCHEMAS[part].safeParse(body).success) counts.refused += 1;
    else if (settingWarnings(part, body).some((line) => path.startsWith(line.split(':')[0] ?? '')))
      counts.warned += 1;
    else if (isKnown(part, path.split('.'), body)) counts.known += 1;
    else silent.push(`${part} ${path} ${JSON.stringify(body)}`);
  }
  expect(silent).toEqual([]);
  // Each of the three ends occurs, so that the drawing has not come to nothing.
  expect(Object.values(counts).filter((count) => count < 20)).toEqual([]);
});

test('what is kept as it came is shown as it came, and no warning names it', async () => {
  showsSettings('assistant', 'metadata.*', 'hooks[].name');
  showsSettings('squad', 'name');
  showsSettings('call', 'name', 'metadata.*');
  const metadata = { of: ['ours', { deep: true }] };
  const made = await voiceApi(app, 'POST', '/assistant', { metadata });
  expect(made.body).toMatchObject({ metadata });
  const members = [{ assistantId: made.body.id }];
  expect((await voiceApi(app, 'POST', '/squad', { name: 'Both', members })).body).toMatchObject({
    name: 'Both',
  });
  const given = { name: 'Trial', metadata, assistantId: made.body.id };
  const call = await voiceApi(app, 'POST', '/call/web', given);
  expect(call.body).toMatchObject({ name: 'Trial', metadata });
  for (const { body } of [made, call]) expect(body).not.toHaveProperty('warnings');
});

test('limits in GET /metrics are those that the next call is refused by', async () => {
  const limits = async () => {
    const [metrics] = (await voiceApi(app, 'GET', '/metrics')).body;
    return [metrics.billWithinBillingLimit, metrics.callActiveWithinConcurrencyLimit];
  };
  expect(await limits()).toEqual([true, true]);
  const { VOICE_DAILY_SPEND: most, VOICE_MAX_CALLS: lines } = app.resources.settings;
  const startedAt = new Date().toISOString();
  const add = (body: object) =>
    app.resources.database.run("insert into private.voice_records (kind, body) values ('call', $1)", [
      JSON.stringify(body),
    ]);
  await add({ status: 'ended', startedAt, endedAt: startedAt, cost: most + 1 });
  for (let line = 0; line < lines; line += 1) await add({ status: 'in-progress', startedAt, cost: 0 });
  expect(await limits()).toEqual([false, false]);
});
