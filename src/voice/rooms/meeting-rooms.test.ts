import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { asBrowser, startCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { connectPeer, until, type VoicePeer } from '../../../tests/support/voice/voice-peer.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { VOICE_MAX_CALLS: '3' } });
});
afterAll(() => app.close());

const now = (): number => Math.floor(Date.now() / 1000);

async function createRoom(properties: object = {}, more: object = {}) {
  const assistantId = app.resources.keys.voice_assistant_id;
  const { status, body } = await voiceApi(app, 'POST', '/rooms', { assistantId, properties, ...more });
  expect([status, body.message]).toEqual([200, undefined]);
  return body;
}

async function tokenFor(room_name: string, more: object = {}): Promise<string> {
  return (await voiceApi(app, 'POST', '/meeting-tokens', { properties: { room_name, ...more } })).body.token;
}

/** Somebody in a room: their connection, and what the room answered. */
async function enter(url: string, entry: object = {}) {
  // biome-ignore lint/suspicious/noExplicitAny: the answer is looked into
  let entrance: any;
  const peer = await connectPeer(async (sdp) => {
    const { status, body } = await voiceApi(
      app,
      'POST',
      `${url}/offer`,
      { sdp, type: 'offer', ...entry },
      {},
    );
    if (status !== 201) throw Object.assign(new Error(body.message), { code: body.code });
    entrance = body;
    return body.sdp;
  });
  onTestFinished(() => peer.close());
  return { peer, ...entrance } as { peer: VoicePeer; participant: Record<string, unknown>; url: string };
}

async function refusalOf(url: string, entry: object = {}): Promise<string> {
  const outcome = await enter(url, entry).catch((error: { code: string }) => error);
  return 'code' in outcome ? outcome.code : 'let in';
}

test('a room stays: it is created, found, listed and deleted by its name', async () => {
  const room = await createRoom({ exp: now() + 3600 }, { name: 'front-desk' });
  expect(room).toMatchObject({
    name: 'front-desk',
    privacy: 'public',
    api_created: true,
    url: expect.stringContaining(`/voice/v1/room/${room.id}/`),
    config: { max_participants: 1, exp: expect.any(Number), eject_at_room_exp: false },
  });
  expect((await voiceApi(app, 'GET', '/rooms/front-desk')).body).toEqual(room);
  expect((await voiceApi(app, 'GET', '/rooms')).body.data).toContainEqual(room);
  const assistantId = app.resources.keys.voice_assistant_id;
  const again = await voiceApi(app, 'POST', '/rooms', { assistantId, name: 'front-desk' });
  expect([again.status, again.body.code]).toEqual([409, 'room_exists']);
  expect((await voiceApi(app, 'DELETE', '/rooms/front-desk')).body).toEqual({
    deleted: true,
    name: 'front-desk',
  });
  expect((await voiceApi(app, 'GET', '/rooms/front-desk')).body.code).toBe('no-room');
  expect((await voiceApi(app, 'GET', room.url)).body.code).toBe('no-room');
});

test.each([
  [{}, 'assistantId'],
  [{ assistantId: crypto.randomUUID() }, 'there is no assistant'],
  [{ properties: { max_participants: 2 } }, 'rooms for several are not offered'],
  [{ properties: { exp: 1, nbf: 2 } }, 'must be after nbf'],
  [{ properties: { exp: Date.now() * 1e6 } }, 'must be seconds, not milliseconds'],
  [{ properties: { enable_chat: true } }, 'enable_chat'],
  [{ name: 'two words' }, 'must be 1 to 128 letters'],
])('a room with %j is refused in words', async (body, words) => {
  const assistantId = app.resources.keys.voice_assistant_id;
  const full = 'properties' in body || 'name' in body ? { assistantId, ...body } : body;
  const refused = await voiceApi(app, 'POST', '/rooms', full);
  expect(refused.status).toBe(400);
  expect(refused.body.message).toContain(words);
});

test('rooms and tokens are made with the private key only', async () => {
  for (const at of ['/rooms', '/meeting-tokens'])
    expect((await voiceApi(app, 'POST', at, {}, asBrowser(app))).body.code).toBe('public_key');
});

test('who enters speaks with the assistant of the room, as whom the token names', async () => {
  const room = await createRoom({}, { privacy: 'private' });
  const described = await voiceApi(app, 'GET', room.url, undefined, { authorization: '' });
  expect(described.body).toEqual({ id: room.id, iceServers: [], geo: '' });
  const token = await tokenFor(room.name, { user_name: 'Ann', user_id: 'a1', is_owner: true });
  const { peer, participant, url } = await enter(room.url, { token, userName: 'Mallory' });
  expect(participant).toMatchObject({ user_name: 'Ann', user_id: 'a1', owner: true });
  peer.send('playable');
  await until('the assistant greets', () => peer.messages.some((text) => text.includes('"transcript"')));
  const present = (await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body;
  expect(present).toMatchObject({ total_count: 1, data: [{ userName: 'Ann', id: participant.session_id }] });
  expect(await refusalOf(room.url, { token })).toBe('meeting-full');
  const call = (await voiceApi(app, 'GET', '/call')).body[0];
  expect(call).toMatchObject({ type: 'webCall', roomName: room.name, status: 'in-progress' });
  await voiceApi(app, 'POST', `${url}/leave`, {});
  await expect
    .poll(async () => (await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body.data)
    .toEqual([]);
  // The place is free again.
  const next = await enter(room.url, { token });
  await voiceApi(app, 'POST', `${next.url}/leave`, {});
});

test('two who come at once to the last place: one is let in', async () => {
  const room = await createRoom();
  const outcomes = await Promise.all([refusalOf(room.url), refusalOf(room.url), refusalOf(room.url)]);
  expect(outcomes.sort()).toEqual(['let in', 'meeting-full', 'meeting-full']);
  await voiceApi(app, 'DELETE', `/rooms/${room.name}`);
});

test('each refusal at the door has its fatal type', async () => {
  const room = await createRoom({ nbf: now() + 600 });
  const open = await createRoom({}, { privacy: 'private' });
  const closed = await createRoom({ nbf: now() - 60, exp: now() - 30 });
  const token = await tokenFor(open.name);
  const refusals = {
    'nbf-room': await refusalOf(room.url),
    'exp-room': await refusalOf(closed.url),
    'not-allowed': await refusalOf(open.url),
    'nbf-token': await refusalOf(open.url, { token: await tokenFor(open.name, { nbf: now() + 600 }) }),
    'exp-token': await refusalOf(open.url, { token: await tokenFor(open.name, { exp: now() - 1 }) }),
    'end-of-life': await refusalOf(open.url, { token, library: '0.65.0' }),
    'no-room': await refusalOf(open.url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'))),
  };
  for (const [type, refusal] of Object.entries(refusals)) expect(refusal).toBe(type);
  expect(await refusalOf(open.url, { token: await tokenFor(room.name) })).toBe('not-allowed');
  expect(
    (await voiceApi(app, 'POST', '/meeting-tokens', { properties: { room_name: 'none' } })).body.code,
  ).toBe('no-room');
});

test('who is ejected is told so, and out', async () => {
  const room = await createRoom();
  const { peer, participant } = await enter(room.url, { userName: 'Bob' });
  const nobody = await voiceApi(app, 'POST', `/rooms/${room.name}/eject`, { ids: [crypto.randomUUID()] });
  expect(nobody.body).toEqual({ ejectedIds: [] });
  const ejected = await voiceApi(app, 'POST', `/rooms/${room.name}/eject`, { ids: [participant.session_id] });
  expect(ejected.body).toEqual({ ejectedIds: [participant.session_id] });
  await until('they were told', () => peer.notices.length > 0);
  expect(peer.notices[0]).toEqual({
    action: 'error',
    error: { type: 'ejected', msg: 'You were removed from the meeting.' },
  });
  expect((await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body.data).toEqual([]);
});

test.each([
  ['exp-room', { eject_at_room_exp: true, exp: now() + 3600 }, {}],
  ['exp-token', {}, { eject_at_token_exp: true, exp: now() + 3600 }],
  ['ejected', {}, { eject_after_elapsed: 3600 }],
] as const)('whose time is over has to leave: %s', async (type, properties, granted) => {
  const room = await createRoom(properties);
  const { peer } = await enter(room.url, { token: await tokenFor(room.name, granted) });
  const real = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + 3_700_000);
  onTestFinished(() => clock.mockRestore());
  await until('their time is over', () => peer.notices.length > 0);
  expect(peer.notices[0]?.error?.type).toBe(type);
});

test('who is in a room that is deleted has to leave', async () => {
  const room = await createRoom();
  const { peer } = await enter(room.url);
  await voiceApi(app, 'DELETE', `/rooms/${room.name}`);
  await until('they were told', () => peer.notices.length > 0);
  expect(peer.notices[0]?.error).toEqual({ type: 'ejected', msg: 'The room was deleted.' });
});

test('a call takes a token for itself, and no other; its caller can be put out', async () => {
  const call = await startCall(app);
  onTestFinished(() => call.peer.close());
  const assistantId = app.resources.keys.voice_assistant_id;
  const other = (await voiceApi(app, 'POST', '/call/web', { assistantId })).body;
  expect(await refusalOf(other.webCallUrl, { token: 'garbage' })).toBe('not-allowed');
  expect(await refusalOf(other.webCallUrl, { token: await tokenFor(call.id) })).toBe('not-allowed');
  const { participant, peer } = await enter(other.webCallUrl, {
    token: await tokenFor(other.id, { user_name: 'Ann' }),
  });
  expect(participant.user_name).toBe('Ann');
  const { data } = (await voiceApi(app, 'GET', `/rooms/${call.id}/presence`)).body;
  await voiceApi(app, 'POST', `/rooms/${call.id}/eject`, { ids: [data[0].id] });
  expect((await call.over()).endedReason).toBe('manually-canceled');
  expect(call.peer.notices).toMatchObject([{ error: { type: 'ejected' } }]);
  expect(peer.notices).toEqual([]);
  await voiceApi(app, 'DELETE', `/call/${other.id}`, {});
});

test('a room that another process holds is not entered here, until that process is gone', async () => {
  const { database } = app.resources;
  const room = await createRoom();
  await database.run("insert into private.voice_open_rooms (room_id, worker) values ($1, 'elsewhere 1 x')", [
    room.id,
  ]);
  expect(await refusalOf(room.url)).toBe('room_elsewhere');
  expect((await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body.code).toBe('room_elsewhere');
  await database.run(
    "update private.voice_open_rooms set seen_at = now() - interval '31 s' where room_id = $1",
    [room.id],
  );
  const { url } = await enter(room.url);
  await voiceApi(app, 'POST', `${url}/leave`, {});
});
