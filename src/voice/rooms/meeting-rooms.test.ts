import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import {
  ask,
  createRoom,
  enterCall,
  enterRoom,
  refusalOf,
  tokenFor,
  type Visit,
} from '../../../tests/support/voice/meeting-visit.ts';
import type { RoomPeer } from '../../../tests/support/voice/room-peer.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { asBrowser, type CallRecord, startCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { until } from '../../../tests/support/voice/voice-peer.ts';
import { DISCLOSURE } from './meeting.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { VOICE_MAX_CALLS: '3', VOICE_ROOM_PEOPLE: '40' },
  });
});
afterAll(() => app.close());

const recordingsOf = (callId: string) =>
  app.resources.database.many('select call_id from private.voice_recordings where call_id = $1', [callId]);
const now = (): number => Math.floor(Date.now() / 1000);

const withAssistant = () => ({ assistantId: app.resources.keys.voice_assistant_id });
async function enter(url: string, entry: object = {}): Promise<Visit<RoomPeer>> {
  const visit = await enterRoom(app, url, entry);
  onTestFinished(() => visit.peer.close());
  return visit;
}
const refusal = (url: string, entry: object = {}) => refusalOf(enterRoom(app, url, entry));
const faultsOf = ({ peer }: Visit<RoomPeer>) =>
  peer.notices.filter(({ action }) => action === 'error').map(({ error }) => error);

test('a room stays: it is created, found, listed and deleted by its name', async () => {
  const room = await createRoom(app, { exp: now() + 3600 }, { name: 'front-desk' });
  expect(room).toMatchObject({
    name: 'front-desk',
    privacy: 'public',
    api_created: true,
    url: expect.stringContaining(`/voice/v1/room/${room.id}/`),
    config: {
      max_participants: 8,
      exp: expect.any(Number),
      eject_at_room_exp: false,
      enable_knocking: false,
    },
  });
  expect((await voiceApi(app, 'GET', '/rooms/front-desk')).body).toEqual(room);
  expect((await voiceApi(app, 'GET', '/rooms')).body.data).toContainEqual(room);
  const again = await voiceApi(app, 'POST', '/rooms', { name: 'front-desk' });
  expect([again.status, again.body.code]).toEqual([409, 'room_exists']);
  expect((await voiceApi(app, 'DELETE', '/rooms/front-desk')).body).toEqual({
    deleted: true,
    name: 'front-desk',
  });
  expect((await voiceApi(app, 'GET', '/rooms/front-desk')).body.code).toBe('no-room');
  expect((await voiceApi(app, 'GET', room.url)).body.code).toBe('no-room');
});

test.each([
  [{ assistantId: crypto.randomUUID() }, 'there is no assistant'],
  [{ properties: { max_participants: 9 } }, 'must be 8 at most'],
  [{ properties: { exp: 1, nbf: 2 } }, 'must be after nbf'],
  [{ properties: { exp: Date.now() * 1e6 } }, 'must be seconds, not milliseconds'],
  [{ properties: { enable_chat: true } }, 'enable_chat'],
  [{ name: 'two words' }, 'must be 1 to 128 letters'],
])('a room with %j is refused in words', async (body, words) => {
  const { status, body: told } = await voiceApi(app, 'POST', '/rooms', body);
  expect(status).toBe(400);
  expect(told.message).toContain(words);
});

test('rooms and tokens are made with the private key only', async () => {
  for (const at of ['/rooms', '/meeting-tokens'])
    expect((await voiceApi(app, 'POST', at, {}, asBrowser(app))).body.code).toBe('public_key');
});

test('a list of rooms says how many there are, however few it shows', async () => {
  for (const _ of [1, 2]) await createRoom(app);
  const { total_count: all } = (await voiceApi(app, 'GET', '/rooms')).body;
  const { total_count: told, data } = (await voiceApi(app, 'GET', '/rooms?limit=1')).body;
  expect(all).toBeGreaterThan(1);
  expect([told, data.length]).toEqual([all, 1]);
});

test('a token does not open a later room that has the same name', async () => {
  const name = 'board-room';
  const first = await createRoom(app, {}, { name, privacy: 'private' });
  const token = await tokenFor(app, name, { is_owner: true });
  expect((await voiceApi(app, 'DELETE', `/rooms/${name}`)).status).toBe(200);
  const later = await createRoom(app, {}, { name, privacy: 'private' });
  expect(later.name).toBe(first.name);
  expect(await refusal(later.url, { token })).toBe('not-allowed');
  expect(await refusal(later.url, { token: await tokenFor(app, name) })).toBe('let in');
});

test('who enters is whom the token names, and leaves by an address of their own', async () => {
  const room = await createRoom(app, { max_participants: 1 }, { privacy: 'private' });
  const described = await voiceApi(app, 'GET', room.url, undefined, { authorization: '' });
  expect(described.body).toEqual({ id: room.id, iceServers: [], layout: { audio: 3, video: 2 }, geo: '' });
  const token = await tokenFor(app, room.name, { user_name: 'Ann', user_id: 'a1', is_owner: true });
  const { participant, url } = await enter(room.url, { token, userName: 'Mallory' });
  expect(participant).toMatchObject({ user_name: 'Ann', user_id: 'a1', owner: true });
  const presence = async () => (await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body;
  expect(await presence()).toMatchObject({
    total_count: 1,
    data: [{ userName: 'Ann', id: participant.session_id }],
  });
  expect(await refusal(room.url, { token })).toBe('meeting-full');
  const forged = `${url.slice(0, -6)}forged/leave`;
  expect((await voiceApi(app, 'POST', forged, {})).body.code).toBe('no-room');
  expect((await voiceApi(app, 'POST', `${url}/leave`, {})).status).toBe(204);
  await expect.poll(async () => (await presence()).data).toEqual([]);
  // The place is free again.
  await enter(room.url, { token });
});

test('how far somebody would be let in is told to who has the address, without letting them in', async () => {
  const knocking = await createRoom(app, { enable_knocking: true }, { privacy: 'private' });
  const access = async (url: string, body?: object) =>
    (await voiceApi(app, 'POST', `${url}/access`, body, { authorization: '' })).body;
  expect(await access(knocking.url)).toEqual({ access: { level: 'lobby' } });
  const token = await tokenFor(app, knocking.name);
  expect(await access(knocking.url, { token })).toEqual({ access: { level: 'full' } });
  const closed = await createRoom(app, {}, { privacy: 'private' });
  expect((await access(closed.url, { token })).code).toBe('not-allowed');
  expect((await access(closed.url)).code).toBe('not-allowed');
  expect((await access(`${knocking.url}x`)).code).toBe('no-room');
  const { body: call } = await voiceApi(app, 'POST', '/call/web', withAssistant());
  expect(await access(call.webCallUrl)).toEqual({ access: { level: 'full' } });
  const { body: present } = await voiceApi(app, 'GET', `/rooms/${knocking.name}/presence`);
  expect(present.data).toEqual([]);
  await voiceApi(app, 'DELETE', `/call/${call.id}`);
});

test("a visitor's WebSocket opens, says so and is closed, and what is no offer is refused", async () => {
  const said: string[] = [];
  const socket = new WebSocket(`${app.url.replace(/^http/, 'ws')}/voice/v1/connection-test`);
  const closed = new Promise<number>((resolve, reject) => {
    socket.onmessage = ({ data }) => said.push(String(data));
    socket.onclose = ({ code }) => resolve(code);
    socket.onerror = () => reject(new Error('The socket did not open.'));
  });
  expect(await closed).toBe(1000);
  expect(said).toEqual(['open']);
  const refused = await voiceApi(
    app,
    'POST',
    '/connection-test/offer',
    { sdp: 'v=0' },
    { authorization: '' },
  );
  expect([refused.status, refused.body.code]).toEqual([400, 'bad_offer']);
});

test('two who come at once to the last place: one is let in', async () => {
  const room = await createRoom(app, { max_participants: 1 });
  const visits = [1, 2, 3].map(() => enterRoom(app, room.url));
  const outcomes = await Promise.allSettled(visits);
  const inside = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const codes = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect([inside.length, codes]).toEqual([1, ['meeting-full', 'meeting-full']]);
  await inside[0]?.peer.close();
});

test('an installation takes no more people than it forwards', async () => {
  const small = await startTestApp({ beside: app, settings: { VOICE_ROOM_PEOPLE: '1' } });
  onTestFinished(() => small.close());
  const rooms = [await createRoom(small), await createRoom(small)];
  const first = await enterRoom(small, rooms[0].url);
  onTestFinished(() => first.peer.close());
  expect(await refusalOf(enterRoom(small, rooms[1].url))).toBe('meeting-full');
});

test('each refusal at the door has its fatal type', async () => {
  const early = await createRoom(app, { nbf: now() + 600 });
  const locked = await createRoom(app, {}, { privacy: 'private' });
  const closed = await createRoom(app, { nbf: now() - 60, exp: now() - 30 });
  const token = await tokenFor(app, locked.name);
  const at = locked.url;
  const refusals = {
    'nbf-room': await refusal(early.url),
    'exp-room': await refusal(closed.url),
    'not-allowed': await refusal(at),
    'nbf-token': await refusal(at, { token: await tokenFor(app, locked.name, { nbf: now() + 600 }) }),
    'exp-token': await refusal(at, { token: await tokenFor(app, locked.name, { exp: now() - 1 }) }),
    'end-of-life': await refusal(at, { token, library: '0.65.0' }),
    'no-room': await refusal(`${at.slice(0, -6)}forged`),
  };
  for (const [type, told] of Object.entries(refusals)) expect(told).toBe(type);
  expect(await refusal(at, { token: await tokenFor(app, early.name) })).toBe('not-allowed');
  const none = await voiceApi(app, 'POST', '/meeting-tokens', { properties: { room_name: 'none' } });
  expect(none.body.code).toBe('no-room');
});

test('who is ejected is told so, and out', async () => {
  const room = await createRoom(app);
  const visit = await enter(room.url, { userName: 'Bob' });
  const eject = async (id: string) =>
    (await voiceApi(app, 'POST', `/rooms/${room.name}/eject`, { ids: [id] })).body.ejectedIds;
  expect(await eject(crypto.randomUUID())).toEqual([]);
  const { session_id } = visit.participant;
  expect(await eject(session_id)).toEqual([session_id]);
  await until('they were told', () => faultsOf(visit).length > 0);
  expect(faultsOf(visit)).toEqual([{ type: 'ejected', msg: 'You were removed from the meeting.' }]);
  expect((await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body.data).toEqual([]);
});

test.each([
  ['exp-room', { eject_at_room_exp: true, exp: now() + 3600 }, {}],
  ['exp-token', {}, { eject_at_token_exp: true, exp: now() + 3600 }],
  ['ejected', {}, { eject_after_elapsed: 3600 }],
] as const)('whose time is over has to leave: %s', async (type, properties, granted) => {
  const room = await createRoom(app, properties);
  const visit = await enter(room.url, { token: await tokenFor(app, room.name, granted) });
  const real = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + 3_700_000);
  onTestFinished(() => clock.mockRestore());
  await until('their time is over', () => faultsOf(visit).length > 0);
  expect(faultsOf(visit)[0].type).toBe(type);
});

test('who is in a room that is deleted has to leave', async () => {
  const room = await createRoom(app);
  const visit = await enter(room.url);
  await voiceApi(app, 'DELETE', `/rooms/${room.name}`);
  await until('they were told', () => faultsOf(visit).length > 0);
  expect(faultsOf(visit)).toEqual([{ type: 'ejected', msg: 'The room was deleted.' }]);
});

test('the assistant of a room comes with the first, hears all and is heard by all, and goes with the last', async () => {
  const room = await createRoom(app, {}, withAssistant());
  const ann = await enter(room.url, { userName: 'Ann' });
  const bob = await enter(room.url, { userName: 'Bob' });
  ann.peer.send({ id: 1, command: { action: 'app-message', data: 'playable', to: '*' } });
  const words = ({ peer }: Visit<RoomPeer>): string[] =>
    peer.notices.filter(({ fromId }) => fromId === 'assistant').map(({ data }) => String(data));
  for (const visit of [ann, bob])
    await until('the assistant greets', () => words(visit).some((text) => text.includes('"transcript"')));
  const ask = { type: 'add-message', message: { role: 'user', content: 'what does the audit cost' } };
  bob.peer.send({ id: 1, command: { action: 'app-message', data: JSON.stringify(ask), to: 'assistant' } });
  await until('Ann reads the answer', () => words(ann).some((text) => text.includes('You said')));
  const [call] = (await voiceApi(app, 'GET', '/call')).body;
  expect(call).toMatchObject({ type: 'webCall', roomName: room.name, status: 'in-progress' });
  // One of several people cannot end the call for the others, however the message is written.
  const endings: readonly unknown[] = [
    { type: 'end-call' },
    '{"type":"end-call"}',
    '{"type":"add-message","type":"end-call"}',
    { type: 'end-call', also: { type: 'add-message' } },
  ];
  for (const [at, data] of endings.entries()) {
    const id = 2 + at;
    bob.peer.send({ id, command: { action: 'app-message', data, to: 'assistant' } });
    await until('it is refused', () => bob.peer.notices.some(({ reply }) => reply === id));
    expect(bob.peer.notices.find(({ reply }) => reply === id).error?.code).toBe('not-allowed');
  }
  const answers = () => words(ann).filter((text) => text.includes('You said')).length;
  const before = answers();
  bob.peer.send({ id: 9, command: { action: 'app-message', data: JSON.stringify(ask), to: '*' } });
  await until('the assistant answers all the same', () => answers() > before);
  await bob.peer.close();
  await voiceApi(app, 'POST', `${ann.url}/leave`, {});
  await expect
    .poll(async () => (await voiceApi(app, 'GET', `/call/${call.id}`)).body.endedReason)
    .toBe('customer-ended-call');
  expect((await voiceApi(app, 'GET', `/call/${call.id}`)).body.transcript).toContain(
    'what does the audit cost',
  );
});

test('the assistant of a room goes with the last who was let in, though somebody waits, and comes again with the next', async () => {
  const more = { ...withAssistant(), privacy: 'private' };
  const room = await createRoom(app, { enable_knocking: true }, more);
  const token = await tokenFor(app, room.name, { is_owner: true });
  const calls = async (status: string): Promise<CallRecord[]> =>
    (await voiceApi(app, 'GET', '/call')).body.filter(
      (one: CallRecord) => one.roomName === room.name && one.status === status,
    );
  const ann = await enter(room.url, { token });
  const bob = await enter(room.url, { userName: 'Bob' });
  await expect.poll(() => calls('in-progress')).toHaveLength(1);
  await ann.peer.close();
  await expect.poll(() => calls('ended')).toMatchObject([{ endedReason: 'customer-ended-call' }]);
  // The person who waits is still waiting.
  bob.peer.send({ id: 1, command: { action: 'request-access', name: 'Bob' } });
  await until('Bob waits', () => bob.peer.notices.some(({ reply }) => reply === 1));
  const eve = await enter(room.url, { token });
  await expect.poll(() => calls('in-progress')).toHaveLength(1);
  eve.peer.send({ id: 1, command: { action: 'app-message', data: 'playable', to: 'assistant' } });
  await until('the assistant greets Eve', () =>
    eve.peer.notices.some(({ fromId, data }) => fromId === 'assistant' && data.includes('"transcript"')),
  );
  expect(await calls('ended')).toHaveLength(1);
});

test('who only knocks at a room begins no call of its assistant, which comes with the first who is let in', async () => {
  const room = await createRoom(app, { enable_knocking: true }, { ...withAssistant(), privacy: 'private' });
  const calls = async (): Promise<CallRecord[]> =>
    (await voiceApi(app, 'GET', '/call')).body.filter((one: CallRecord) => one.roomName === room.name);
  const bob = await enter(room.url, { userName: 'Bob' });
  expect((await ask(bob, { action: 'request-access', name: 'Bob' })).access).toEqual({ level: 'lobby' });
  // The assistant's call has begun before the person it comes for gets an answer.
  expect(await calls()).toEqual([]);
  const token = await tokenFor(app, room.name, { is_owner: true });
  const ann = await enter(room.url, { token });
  await expect.poll(calls).toMatchObject([{ status: 'in-progress' }]);
  await ask(ann, { action: 'admit', of: bob.participant.session_id, granted: true });
  await until('Bob sees it', () =>
    bob.peer.notices.some(
      ({ action, participant }) => action === 'participant-joined' && participant.session_id === 'assistant',
    ),
  );
  expect(await calls()).toHaveLength(1);
});

test('who is let in and for whom the assistant cannot come is told so; who knocks waits all the same', async () => {
  const { body: assistant } = await voiceApi(app, 'POST', '/assistant', { name: 'Leaving' });
  const more = { assistantId: assistant.id, privacy: 'private' };
  const room = await createRoom(app, { enable_knocking: true }, more);
  const bob = await enter(room.url, { userName: 'Bob' });
  expect((await voiceApi(app, 'DELETE', `/assistant/${assistant.id}`)).status).toBe(200);
  const token = await tokenFor(app, room.name, { is_owner: true });
  expect(await refusalOf(enter(room.url, { token }))).toBe('not_found');
  expect((await ask(bob, { action: 'request-access', name: 'Bob' })).access).toEqual({ level: 'lobby' });
});

test('a room is not recorded, whatever its assistant says: one person’s yes is nobody else’s', async () => {
  const plan = { firstMessage: 'Good morning.', artifactPlan: { recordingEnabled: true } };
  const assistant = (await voiceApi(app, 'POST', '/assistant', plan)).body;
  const room = await createRoom(app, {}, { assistantId: assistant.id });
  const { peer, url } = await enter(room.url);
  const say = (id: number, data: unknown) => peer.send({ id, command: { action: 'app-message', data } });
  const words = () => peer.notices.filter(({ fromId }) => fromId === 'assistant').map(({ data }) => data);
  say(1, 'playable');
  await until('the assistant greets', () => words().some((text) => text.includes('Good morning.')));
  say(2, JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'yes, record me' } }));
  await until('it answers', () => words().some((text) => text.includes('You said')));
  const [call] = (await voiceApi(app, 'GET', '/call')).body;
  await voiceApi(app, 'POST', `${url}/leave`, {});
  const report = async () => (await voiceApi(app, 'GET', `/call/${call.id}`)).body;
  await expect.poll(async () => (await report()).status).toBe('ended');
  expect((await report()).transcript).not.toContain('May I record');
  expect(await recordingsOf(call.id)).toEqual([]);
});

test('who comes after the greeting is told that an AI assistant is there, and sees it among those who are', async () => {
  const room = await createRoom(app, {}, withAssistant());
  const ann = await enter(room.url);
  const bob = await enter(room.url);
  const told = ({ peer }: Visit<RoomPeer>) =>
    peer.notices.filter(({ fromId, data }) => fromId === 'assistant' && data.includes(DISCLOSURE));
  await until('Bob is told', () => told(bob).length === 1);
  expect(JSON.parse(told(bob)[0]?.data)).toMatchObject({ type: 'transcript', transcriptType: 'final' });
  const entered = bob.peer.notices.find(({ action }) => action === 'entered');
  const assistant = entered?.participants.find(
    (one: { session_id: string }) => one.session_id === 'assistant',
  );
  expect(assistant).toMatchObject({ userData: { aiAssistant: true } });
  // Ann hears the greeting itself; anything that Bob was told would have reached her before this answer.
  ann.peer.send({
    id: 7,
    command: { action: 'app-message', data: 'a question', to: bob.participant.session_id },
  });
  await until('the room answers Ann', () => ann.peer.notices.some(({ reply }) => reply === 7));
  expect(told(ann)).toEqual([]);
});

test('an installation that stops lets go of its rooms, and others may hold them', async () => {
  const small = await startTestApp({ beside: app });
  const room = await createRoom(small);
  const visit = await enterRoom(small, room.url);
  onTestFinished(() => visit.peer.close());
  const held = () =>
    app.resources.database.many('select worker from private.voice_open_rooms where room_id = $1', [room.id]);
  expect(await held()).toHaveLength(1);
  await small.close();
  expect(await held()).toEqual([]);
});

test('who leaves by another process than the one that holds the room is put out there, and nobody else can have them put out', async () => {
  const room = await createRoom(app);
  const [ann, bob] = [await enterRoom(app, room.url), await enterRoom(app, room.url)];
  onTestFinished(async () => void (await Promise.all([ann.peer.close(), bob.peer.close()])));
  const other = await startTestApp({ beside: app });
  onTestFinished(() => other.close());
  const leave = async (url: string): Promise<number> => {
    const at = `${new URL(url).pathname}/leave`;
    const body = JSON.stringify({ reason: 'left' });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${other.url}${at}`, { method: 'POST', headers, body })).status;
  };
  const inside = async (): Promise<string[]> =>
    (await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body.data.map(({ id }: CallRecord) => id);
  // The room's own address, and an address that nobody was given.
  expect([await leave(room.url), await leave(`${ann.url.slice(0, -8)}abcdwxyz`)]).toEqual([404, 404]);
  expect(await inside()).toHaveLength(2);
  expect(await leave(ann.url)).toBe(204);
  await expect.poll(inside).toEqual([bob.participant.session_id]);
  await expect
    .poll(() => app.resources.database.many('select session_id from private.voice_room_leavings'))
    .toEqual([]);
});

test('what a page reports at another process comes to the one that holds its room, each kind once and without words', async () => {
  const lines: string[] = [];
  const holder = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { LOG_LEVEL: 'info' },
    logTo: { write: (line: string) => void lines.push(line) },
    beside: app,
  });
  onTestFinished(() => holder.close());
  const room = await createRoom(holder);
  const [ann, bob] = [await enterRoom(holder, room.url), await enterRoom(holder, room.url)];
  onTestFinished(async () => void (await Promise.all([ann.peer.close(), bob.peer.close()])));
  const report = async (url: string, kind: string): Promise<number> => {
    const at = `${app.url}${new URL(url).pathname}/report`;
    return (await voiceApi(app, 'POST', at, { kind, message: 'Ann said: no sound' })).status;
  };
  const reports = () =>
    lines
      .filter((line) => line.includes("somebody's page in a room reports"))
      .map((line) => JSON.parse(line));
  const waiting = () => app.resources.database.many('select kind from private.voice_room_reports');
  // The room's own address, and an address that nobody was given.
  expect(await report(room.url, 'error')).toBe(404);
  expect(await report(`${ann.url.slice(0, -8)}abcdwxyz`, 'error')).toBe(404);
  expect(await report(ann.url, 'error')).toBe(204);
  await expect.poll(reports).toMatchObject([{ kind: 'error', room: room.id }]);
  await expect.poll(waiting).toEqual([]);
  expect(lines.join()).not.toContain('no sound');
  // For somebody who has gone, one report of each kind is stored, however often it is sent, until it is
  // deleted.
  await ann.peer.close();
  const present = async () => (await voiceApi(holder, 'GET', `/rooms/${room.name}/presence`)).body.data;
  await expect.poll(present).toMatchObject([{ id: bob.participant.session_id }]);
  for (const kind of ['network', 'log', 'network', 'network']) expect(await report(ann.url, kind)).toBe(204);
  expect((await waiting()).map(({ kind }) => kind).sort()).toEqual(['log', 'network']);
});

test('a call takes a token for itself, and no other; its caller can be put out', async () => {
  const call = await startCall(app);
  onTestFinished(() => call.peer.close());
  const other = (await voiceApi(app, 'POST', '/call/web', withAssistant())).body;
  const join = (token: string) => enterCall(app, other.webCallUrl, { token });
  expect(await refusalOf(join('garbage'))).toBe('not-allowed');
  expect(await refusalOf(join(await tokenFor(app, call.id)))).toBe('not-allowed');
  const { participant, peer } = await join(await tokenFor(app, other.id, { user_name: 'Ann' }));
  onTestFinished(() => peer.close());
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
  const room = await createRoom(app);
  await database.run("insert into private.voice_open_rooms (room_id, worker) values ($1, 'elsewhere 1 x')", [
    room.id,
  ]);
  expect(await refusal(room.url)).toBe('room_elsewhere');
  expect((await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body.code).toBe('room_elsewhere');
  await database.run(
    "update private.voice_open_rooms set seen_at = now() - interval '31 s' where room_id = $1",
    [room.id],
  );
  await enter(room.url);
});
