import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claims, showsSettings } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { openLoopbackTransport } from '../../../tests/support/voice/loopback-transport.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { asBrowser, greetedCall, startCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import { openRecordingStore } from '../recording/recording-store.server.ts';
import { createVoiceRecords } from '../records/voice-records.server.ts';
import { openBackgroundSounds } from './background/background-sound.server.ts';
import { createCallManager } from './call-manager.server.ts';
import { assistantOf } from './call-setup.server.ts';
import { openFirstSounds } from './first-sound.server.ts';
import { type CallStore, openCallStore } from './record/call-store.server.ts';
import { openDailyCaps } from './record/daily-caps.server.ts';
import { openDoNotCallList } from './record/do-not-call.server.ts';
import { openEvidence } from './record/evidence.server.ts';
import { createRoomProofs } from './room-proof.server.ts';
import { teamOf } from './squad-members.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { VOICE_MAX_CALLS: '2' } });
});
afterAll(() => app.close());

/** The store of calls as another process of the app would open it. */
const storeOf = ({ resources }: TestApp): CallStore =>
  openCallStore(resources, openEvidence(resources), { announce: async () => undefined });
/** An offer that is valid in every part that is checked. */
const OFFER = [
  'v=0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'a=rtpmap:111 opus/48000/2',
  `a=fingerprint:sha-256 ${Array(32).fill('0A').join(':')}`,
  'a=ice-ufrag:abcdefgh',
  'a=ice-pwd:abcdefghijklmnopqrstuvwx',
].join('\r\n');

const create = (headers?: Record<string, string>) =>
  voiceApi(app, 'POST', '/call/web', { assistantId: app.resources.keys.voice_assistant_id }, headers);

test('attack 41: one call too many is refused politely, at its creation and at its door, and the others go on', async () => {
  const early = await create(asBrowser(app));
  const [one, two] = await Promise.all([greetedCall(app, undefined, asBrowser(app)), greetedCall(app)]);
  const refused = await create(asBrowser(app));
  expect([refused.status, refused.body.code]).toEqual([429, 'concurrency_limit']);
  expect(refused.body.message).toBe('All our lines are busy. Please try again in a minute.');
  const sdp = one.peer.connection.localDescription?.sdp;
  const opened = await voiceApi(app, 'POST', `${early.body.webCallUrl}/offer`, { sdp });
  expect([opened.status, opened.body.code]).toEqual([429, 'meeting-full']);
  for (const call of [one, two]) {
    call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'goodbye' } }));
    expect((await call.over()).endedReason).toBe('assistant-ended-call');
    await call.peer.close();
  }
  expect((await create()).status).toBe(201);
});

test('attack 41: minutes and dollars of a day are capped', async () => {
  const { database } = app.resources;
  const insert = (body: object): Promise<number> =>
    database.run("insert into private.voice_records (kind, body) values ('call', $1)", [
      JSON.stringify(body),
    ]);
  const [startedAt, endedAt] = [new Date(Date.now() - 11 * 3_600_000), new Date()];
  await insert({ status: 'ended', startedAt, endedAt, cost: 0 });
  expect((await create()).body.code).toBe('minutes_limit');
  await database.run("delete from private.voice_records where kind = 'call'");
  await insert({ status: 'ended', startedAt: endedAt, endedAt, cost: 20.5 });
  expect((await create()).body.code).toBe('spend_limit');
  await database.run("delete from private.voice_records where kind = 'call'");
});

test('attack 41: one address gets calls for half of the minutes of a day, and the others the rest', async () => {
  const limited = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { VOICE_DAILY_MINUTES: '60', RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
  });
  const assistantId = limited.resources.keys.voice_assistant_id;
  const from = async (address: string) => {
    const headers = { ...asBrowser(limited), 'x-forwarded-for': address };
    const { status, body } = await voiceApi(limited, 'POST', '/call/web', { assistantId }, headers);
    return status === 201 ? 201 : body.code;
  };
  const answers = [];
  for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2'])
    answers.push(await from(address));
  expect(answers).toEqual([201, 201, 'minutes_limit', 201]);
  await limited.close();
});

test('attack 41: one address has half of the lines of one process at once, in whichever processes its calls are', async () => {
  const settings = { VOICE_MAX_CALLS: '4', RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
  const limited = await startTestApp({ voiceEngines: simpleEngines(), settings });
  onTestFinished(() => limited.close());
  const assistantId = limited.resources.keys.voice_assistant_id;
  const from = (address: string) => ({ ...asBrowser(limited), 'x-forwarded-for': address });
  const begin = (address: string) => voiceApi(limited, 'POST', '/call/web', { assistantId }, from(address));
  const calls = [await begin('203.0.113.1'), await begin('203.0.113.1'), await begin('203.0.113.1')];
  const ids = calls.map(({ body }) => String(body.id));
  // Two other processes carry calls of that address; a third call of the same moment is refused.
  const [one, two] = [storeOf(limited), storeOf(limited)];
  const carried = (store: CallStore, callId = '') =>
    store.carryOf({ callId, address: '203.0.113.1', most: 2 });
  const answers = await Promise.all([carried(one, ids[0]), carried(two, ids[1]), carried(two, ids[2])]);
  expect(answers.filter((answer) => answer)).toHaveLength(2);
  expect((await begin('203.0.113.1')).body.code).toBe('concurrency_limit');
  expect((await begin('203.0.113.2')).status).toBe(201);
  const { webCallUrl } = calls[answers.indexOf(false)]?.body ?? {};
  const joined = await voiceApi(limited, 'POST', `${webCallUrl}/offer`, { sdp: OFFER }, from('203.0.113.1'));
  expect(joined.body.code).toBe('meeting-full');
  await one.finish(ids[answers.indexOf(true)] ?? '', { status: 'ended', endedReason: 'customer-ended-call' });
  expect((await begin('203.0.113.1')).status).toBe(201);
});

test('attack 41: a call of a visitor lasts a quarter of an hour at most, whatever the assistant says', async () => {
  const records = createVoiceRecords(app.resources, app.resources.keys.voice_org_id);
  const call = (byPublicKey: boolean) =>
    assistantOf(records, { byPublicKey, assistant: { maxDurationSeconds: 3600 } } as never);
  expect((await call(true)).maxDurationSeconds).toBe(900);
  expect((await call(false)).maxDurationSeconds).toBe(3600);
});

test('a squad is answered by its first member, with every override in its order', async () => {
  showsSettings(
    'squad',
    'members[].assistantId',
    'members[].assistant>assistant',
    'members[].assistantOverrides>assistant',
    'membersOverrides>assistant',
  );
  showsSettings(
    'call',
    'assistantId',
    'squadId',
    'assistant>assistant',
    'assistantOverrides>assistant',
    'squad>squad',
  );
  showsSettings('phoneCall', 'squadId', 'assistantOverrides>assistant', 'squad>squad');
  const records = createVoiceRecords(app.resources, app.resources.keys.voice_org_id);
  const squad = {
    members: [
      {
        assistantId: app.resources.keys.voice_assistant_id,
        assistantOverrides: { name: 'One', firstMessage: 'Hi' },
      },
    ],
    membersOverrides: { firstMessage: 'Good day' },
  };
  const assistant = await assistantOf(records, {
    squad,
    assistantOverrides: { silenceTimeoutSeconds: 12 },
  } as never);
  expect(assistant).toMatchObject({ name: 'One', firstMessage: 'Good day', silenceTimeoutSeconds: 12 });
});

test('who takes a telephone call is looked up once, and that one runs whom its evidence was written for', async () => {
  const { resources } = app;
  const stored = createVoiceRecords(resources, resources.keys.voice_org_id);
  const looked: string[] = [];
  const records: typeof stored = {
    ...stored,
    whole(kind, id) {
      if (kind === 'assistant') looked.push(id);
      return stored.whole(kind, id);
    },
  };
  const manager = createCallManager({
    ...{
      resources,
      records,
      store: storeOf(app),
      engines: simpleEngines(),
      transport: openLoopbackTransport(),
    },
    ...{ caps: openDailyCaps(resources), proofs: createRoomProofs(resources.keys) },
    ...{ recordings: openRecordingStore(resources, async () => {}), doNotCall: openDoNotCallList(resources) },
    ...{ sounds: openBackgroundSounds(resources.outbound), rateLimiter: { take: async () => {} } as never },
    firstSounds: openFirstSounds(resources.outbound),
  });
  onTestFinished(() => manager.close());
  const { id: assistantId } = await stored.create('assistant', { name: 'Changing', firstMessage: 'One.' });
  const made = await manager.createPhone({ type: 'inboundPhoneCall', assistantId });
  await stored.change('assistant', assistantId, (present) => ({
    ...{ body: { ...present, firstMessage: 'Two.' }, replaced: [] },
  }));
  const sound = { session: silentSession(), over: Promise.resolve() };
  const running = await manager.runPhone(made, sound, {
    sendTones: async () => {},
    transfer: async () => {},
  });
  expect([looked, running.assistant.firstMessage]).toEqual([[assistantId], 'One.']);
  // The assistant of a scheduled call is looked up when it runs, so it has the later first message.
  const waited = await manager.createPhone({ type: 'outboundPhoneCall', assistantId, status: 'scheduled' });
  const later = { session: silentSession(), over: Promise.resolve() };
  await stored.change('assistant', assistantId, (present) => ({
    ...{ body: { ...present, firstMessage: 'Three.' }, replaced: [] },
  }));
  const late = await manager.runPhone({ record: waited.record }, later, {
    ...{ sendTones: async () => {}, transfer: async () => {} },
  });
  expect(late.assistant.firstMessage).toBe('Three.');
});

/** The sound of a telephone on which nothing is ever heard. */
const silentSession = (): MediaSession => ({
  answer: async () => '',
  onPcm16k: () => {},
  onSent: () => {},
  writePcm: () => {},
  queuedMs: () => 0,
  hold: () => {},
  flush: () => 0,
  playUnder: () => {},
  onAppMessage: () => {},
  sendAppMessage: () => false,
  sendFault: () => false,
  onState: () => {},
  stats: () => ({}) as never,
  close: async () => {},
});

test('a call adds tools and changes every member of its squad', async () => {
  showsSettings('assistant', 'tools:append[]>tool');
  showsSettings('call', 'squadOverrides>assistant');
  showsSettings('phoneCall', 'squadOverrides>assistant');
  const records = createVoiceRecords(app.resources, app.resources.keys.voice_org_id);
  const weather = { type: 'function', function: { name: 'get_weather' } };
  const members = [
    { assistant: { name: 'One', model: { provider: 'openai', tools: [{ type: 'endCall' }] } } },
    { assistant: { name: 'Two' } },
  ];
  const call = {
    squad: { members, membersOverrides: { firstMessage: 'Good day', endCallMessage: 'Bye' } },
    squadOverrides: { firstMessage: 'Good evening', 'tools:append': [weather] },
  };
  const first = await assistantOf(records, call as never);
  const [one, two] = await teamOf(records, call as never, first);
  expect(one?.assistant).toMatchObject({
    ...{ name: 'One', firstMessage: 'Good evening', endCallMessage: 'Bye' },
    model: { provider: 'openai', tools: [{ type: 'endCall' }, weather] },
  });
  expect(two?.assistant).toMatchObject({
    ...{ name: 'Two', firstMessage: 'Good evening' },
    model: { provider: 'embedded', tools: [weather] },
  });
  const asked = await voiceApi(app, 'POST', '/call/web', call);
  expect([asked.status, asked.body.squadOverrides]).toEqual([201, call.squadOverrides]);
  const { voice_assistant_id: assistantId } = app.resources.keys;
  const visitor = { assistantId, squadOverrides: { name: 'Mine' } };
  expect((await voiceApi(app, 'POST', '/call/web', visitor, asBrowser(app))).body.code).toBe('public_key');
});

test('that somebody’s telephone rings is announced once, with the change', async () => {
  const told: string[] = [];
  const store = openCallStore(app.resources, openEvidence(app.resources), {
    announce: async (_, callId, ...names) => void told.push(`${callId} ${names}`),
  });
  const call = await create();
  await store.ring(call.body.id);
  await store.ring(call.body.id);
  expect(told).toEqual([`${call.body.id} rung`]);
  expect((await voiceApi(app, 'GET', `/call/${call.body.id}`)).body.status).toBe('ringing');
});

test('a room opens with its own token only, once, and not after the call', async () => {
  const [one, two] = await Promise.all([create(), create()]);
  const swapped = one.body.webCallUrl.replace(one.body.id, two.body.id);
  for (const [method, at] of [
    ['GET', swapped],
    ['POST', `${swapped}/offer`],
    ['POST', `${swapped}/leave`],
    ['POST', `${swapped}/report`],
    ['GET', `${swapped}/record`],
    ['DELETE', `${swapped}/record`],
  ] as const) {
    const body = method === 'POST' ? { sdp: 'v=0', message: 'x' } : undefined;
    const { status, body: told } = await voiceApi(app, method, at, body);
    expect([at, status, told.code]).toEqual([at, 404, 'no-room']);
  }
  expect((await voiceApi(app, 'GET', one.body.webCallUrl)).body).toEqual({
    id: one.body.id,
    status: 'queued',
    iceServers: [],
    geo: '',
  });
  const call = await startCall(app);
  const sdp = call.peer.connection.localDescription?.sdp;
  expect((await voiceApi(app, 'POST', `${call.url}/offer`, { sdp })).body.code).toBe('already_joined');
  expect(
    (await voiceApi(app, 'POST', `${call.url}/report`, { kind: 'error', message: 'loud hum' })).status,
  ).toBe(204);
  await voiceApi(app, 'POST', `${call.url}/leave`, {});
  expect((await call.over()).endedReason).toBe('customer-ended-call');
  expect((await voiceApi(app, 'POST', `${call.url}/offer`, { sdp })).body.code).toBe('exp-room');
  const log = await voiceApi(app, 'GET', `/log?callId=${call.id}`);
  expect(JSON.stringify(log.body)).toContain('loud hum');
  await call.peer.close();
});

test('what was said is shown to its caller and erased at once; the proof of it stays whole', async () => {
  const call = await greetedCall(app, undefined, asBrowser(app));
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'goodbye' } }));
  await call.over();
  await call.peer.close();
  const kept = (await voiceApi(app, 'GET', `${call.url}/record`)).body;
  expect(kept.transcript).toContain('User: goodbye');
  expect((await voiceApi(app, 'DELETE', `${call.url}/record`)).status).toBe(204);
  const left = (await voiceApi(app, 'GET', `/call/${call.id}`)).body;
  expect(JSON.stringify(left)).not.toContain('goodbye');
  expect(left).toMatchObject({ erased: true, status: 'ended', endedReason: 'assistant-ended-call' });
  expect((await voiceApi(app, 'GET', `/log?callId=${call.id}`)).body.results).toEqual([]);
  expect((await voiceApi(app, 'GET', `/evidence?callId=${call.id}`)).body.faults).toEqual([]);
});

test('words erased before the report of the call is written do not come back with it', async () => {
  const store = storeOf(app);
  const { id } = (await create()).body;
  await store.erase(id);
  const journal = store.journal(id);
  journal.log('LOG', 'goodbye');
  await journal.written();
  await store.finish(id, {
    status: 'ended',
    endedReason: 'customer-ended-call',
    transcript: 'User: goodbye',
  });
  const left = (await voiceApi(app, 'GET', `/call/${id}`)).body;
  expect(left).toMatchObject({ erased: true, status: 'ended', endedReason: 'customer-ended-call' });
  expect(JSON.stringify(left)).not.toContain('goodbye');
  expect((await voiceApi(app, 'GET', `/log?callId=${id}`)).body.results).toEqual([]);
});

test('evidence that was changed, cut or taken out is found', async () => {
  const { database } = app.resources;
  const call = await greetedCall(app);
  await voiceApi(app, 'POST', `${call.url}/leave`, {});
  await call.over();
  await call.peer.close();
  const faults = async (): Promise<string[]> =>
    (await voiceApi(app, 'GET', `/evidence?callId=${call.id}`)).body.faults;
  expect(await faults()).toEqual([]);
  const rows = await database.many(
    'select kind, data from private.voice_evidence where call_id = $1 order by position',
    [call.id],
  );
  expect(rows.map(({ kind }) => kind)).toEqual(['begun', 'disclosure', 'turn', 'ended']);
  expect(JSON.stringify(rows)).not.toContain('assistant of');
  for (const [change, fault] of [
    [
      `update private.voice_evidence set data = data || '{"publicKey": true}' where kind = 'begun' and call_id = $1`,
      'was changed',
    ],
    [`delete from private.voice_evidence where kind = 'disclosure' and call_id = $1`, 'is missing'],
    [
      `delete from private.voice_evidence where kind = 'ended' and call_id = $1`,
      'the end of its evidence is missing',
    ],
    ['delete from private.voice_evidence where call_id = $1', 'no evidence at all'],
  ] as const) {
    await database.run(
      uncheckedSql('create table private.kept as select * from private.voice_evidence', 'command'),
    );
    await database.run(uncheckedSql(change, 'composed'), [call.id]);
    const found = await faults();
    await database.run('delete from private.voice_evidence');
    await database.run(
      uncheckedSql('insert into private.voice_evidence select * from private.kept', 'foreign'),
    );
    await database.run(uncheckedSql('drop table private.kept', 'command'));
    expect(found.join()).toContain(fault);
  }
});

test('calls that a killed process left open are closed with the reason, and those that nobody joined', async () => {
  const { database } = app.resources;
  const waiting = (await create()).body.id;
  const going = (await create()).body.id;
  await database.run(
    // The end of this call is announced to the assistant's server by a job, as after a restart.
    `update private.voice_records set body = body ||
       '{"status": "in-progress", "assistant": {"serverUrl": "http://127.0.0.1:9/calls"}}' where id = $1`,
    [going],
  );
  await database.run(
    "insert into private.voice_live_calls (call_id, worker, seen_at) values ($1, 'elsewhere 1 x', now() - interval '31 s')",
    [going],
  );
  await database.run("update private.voice_records set created_at = now() - interval '91 s' where id = $1", [
    waiting,
  ]);
  const second = await startTestApp({ beside: app, voiceEngines: simpleEngines() });
  await second.close();
  const reason = async (id: string): Promise<string> =>
    (await voiceApi(app, 'GET', `/call/${id}`)).body.endedReason;
  expect(await reason(going)).toBe('call.in-progress.error-vapifault-worker-died');
  expect(await reason(waiting)).toBe('customer-did-not-answer');
  expect((await voiceApi(app, 'GET', `/evidence?callId=${going}`)).body.faults).toEqual([]);
});

test('who leaves at another process than the one that carries the call has it ended there, with the reason', async () => {
  const { id, webCallUrl } = (await create(asBrowser(app))).body;
  const carrier = storeOf(app);
  await carrier.carry(id);
  expect(await carrier.renew([id])).toEqual([]);
  expect((await voiceApi(app, 'POST', `${webCallUrl}/leave`, {})).status).toBe(204);
  // A later request does not change the reason, and does not delete a call in progress.
  const early = await voiceApi(app, 'DELETE', `/call/${id}`);
  expect([early.status, early.body.code]).toEqual([409, 'call_ending']);
  expect(await carrier.renew([id])).toEqual([{ callId: id, reason: 'customer-ended-call' }]);
  await carrier.finish(id, { status: 'ended', endedReason: 'customer-ended-call' });
  expect((await voiceApi(app, 'DELETE', `/call/${id}`)).status).toBe(200);
});

test('a call that is deleted while it goes on is ended for both sides first', async () => {
  const call = await greetedCall(app);
  expect((await voiceApi(app, 'DELETE', `/call/${call.id}`, {})).body).toMatchObject({
    status: 'ended',
    endedReason: 'manually-canceled',
  });
  await until('the caller was told', () => call.messages('hang').length === 1);
  await call.peer.close();
});

test.each([
  ['voice', 'pipeline-error-custom-voice-failed'],
  ['opening', 'pipeline-error-custom-voice-failed'],
  ['dialogue', 'pipeline-error-custom-llm-llm-failed'],
] as const)('an engine that breaks (%s) ends the call once, with its reason', async (breaks, reason) => {
  const broken = await startTestApp({ voiceEngines: simpleEngines({ breaks }) });
  try {
    const call = await startCall(broken).catch((error: Error) => error);
    if (call instanceof Error) {
      expect(call.message).toContain('503');
      await expect
        .poll(async () => (await voiceApi(broken, 'GET', '/call')).body[0].endedReason)
        .toBe(reason);
      return;
    }
    call.peer.send('playable');
    call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'hello' } }));
    expect((await call.over()).endedReason).toBe(reason);
    await call.peer.close();
  } finally {
    await broken.close();
  }
});

test('without a recogniser the caller is told so and types', async () => {
  claims('This server does not understand speech yet.', 'You call without a microphone.');
  const deaf = await startTestApp({ voiceEngines: simpleEngines({ breaks: 'recogniser' }) });
  try {
    const call = await greetedCall(deaf);
    expect(call.messages('metadata')).toEqual([
      { type: 'metadata', metadata: { recognition: 'typed-only' } },
    ]);
    await call.peer.speak(tone(500, 0.5));
    call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'goodbye' } }));
    expect((await call.over()).transcript).toMatch(/User: goodbye\nAI: Goodbye\.\n$/);
    await call.peer.close();
  } finally {
    await deaf.close();
  }
});
