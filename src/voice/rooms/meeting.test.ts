import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { createRoom, enterRoom, tokenFor, type Visit } from '../../../tests/support/voice/meeting-visit.ts';
import type { RoomPeer } from '../../../tests/support/voice/room-peer.ts';
import { SPOKEN, simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { type CallRecord, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';

let app: TestApp;
const visits: Visit<RoomPeer>[] = [];
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { VOICE_ROOM_PEOPLE: '40' } });
});
afterEach(async () => {
  await Promise.all(visits.splice(0).map(({ peer }) => peer.close()));
});
afterAll(() => app.close());

/** Somebody in a meeting, with everything that they were told about the others. */
class Guest {
  readonly visit: Visit<RoomPeer>;
  #next = 1;

  constructor(visit: Visit<RoomPeer>) {
    this.visit = visit;
  }

  get id(): string {
    return this.visit.participant.session_id;
  }

  get notices(): CallRecord[] {
    return this.visit.peer.notices;
  }

  /** What they were told last about somebody; undefined if that person left or was never there. */
  sees(id: string): CallRecord | undefined {
    let seen: CallRecord | undefined;
    for (const { action, participant, participants = [], id: left } of this.notices) {
      if (action === 'entered') seen = participants.find((one: CallRecord) => one.session_id === id) ?? seen;
      if (/^participant-(joined|updated)$/.test(action) && participant.session_id === id) seen = participant;
      if (action === 'participant-left' && left === id) seen = undefined;
    }
    return seen;
  }

  /** Sends a command and waits for the room's answer. */
  async ask(command: object): Promise<CallRecord> {
    const id = this.#next++;
    this.visit.peer.send({ id, command });
    await until('the room answers', () => this.notices.some(({ reply }) => reply === id));
    return this.notices.find(({ reply }) => reply === id);
  }
}

async function enter(url: string, entry: object = {}, changed?: (offer: string) => string): Promise<Guest> {
  const visit = await enterRoom(app, url, entry, changed);
  visits.push(visit);
  const guest = new Guest(visit);
  await until('the room says who is there', () => guest.notices.some(({ action }) => action === 'entered'));
  return guest;
}

async function ownerAnd(names: readonly string[], properties: object = {}): Promise<[Guest, ...Guest[]]> {
  const room = await createRoom(app, properties);
  const owner = await enter(room.url, {
    token: await tokenFor(app, room.name, { is_owner: true, user_name: 'Ann' }),
  });
  const others: Guest[] = [];
  for (const userName of names) others.push(await enter(room.url, { userName }));
  return [owner, ...others];
}

test('everybody learns who comes, who they are, what they send, and who leaves', async () => {
  const [ann, bob] = await ownerAnd(['Bob']);
  if (bob === undefined) throw new Error('Bob is missing');
  await until('Ann sees Bob', () => ann.sees(bob.id) !== undefined);
  expect(ann.sees(bob.id)).toMatchObject({
    user_name: 'Bob',
    owner: false,
    tracks: { video: { state: 'off' } },
  });
  expect(bob.sees(ann.id)).toMatchObject({ user_name: 'Ann', owner: true, permissions: { canAdmin: true } });
  const userData = { seat: 4 };
  expect(
    await bob.ask({ action: 'update-self', sends: ['audio', 'video'], userName: 'Rob', userData }),
  ).toEqual({
    reply: 1,
  });
  await until('Ann sees what Bob sends', () => ann.sees(bob.id)?.tracks.video.state === 'playable');
  expect(ann.sees(bob.id)).toMatchObject({ user_name: 'Rob', userData });
  const slot = ann.sees(bob.id)?.tracks.video.slot;
  await until('the picture comes in its slot', () => {
    bob.visit.peer.show(5, 2500);
    return (ann.visit.peer.seen[slot]?.length ?? 0) > 5;
  });
  const counts = ann.notices.filter(({ action }) => action === 'participant-counts-updated').at(-1);
  expect(counts.participantCounts).toEqual({ present: 2, hidden: 0 });
  await bob.visit.peer.close();
  await until('Ann sees him leave', () => ann.sees(bob.id) === undefined);
});

test('messages reach everybody else or one; too many and too long ones nobody', async () => {
  const [ann, bob, carl] = await ownerAnd(['Bob', 'Carl']);
  if (bob === undefined || carl === undefined) throw new Error('somebody is missing');
  const received = (guest: Guest) =>
    guest.notices.filter(({ action }) => action === 'app-message').map(({ data, fromId }) => [data, fromId]);
  await bob.ask({ action: 'app-message', data: { hello: 'all' } });
  await bob.ask({ action: 'app-message', data: 'only Carl', to: carl.id });
  await until('Carl has both', () => received(carl).length === 2);
  await until('Ann has one', () => received(ann).length > 0);
  expect(received(carl)).toEqual([
    [{ hello: 'all' }, bob.id],
    ['only Carl', bob.id],
  ]);
  expect(received(ann)).toEqual([[{ hello: 'all' }, bob.id]]);
  const refused = async (command: object) => (await bob.ask(command)).error?.code;
  expect(await refused({ action: 'app-message', data: 'x'.repeat(4095) })).toBe('validation_failed');
  expect(await refused({ action: 'app-message', data: 'to nobody', to: 'nobody' })).toBe('not_found');
  await bob.ask({ action: 'app-message', data: 'the last' });
  await until('Carl has the next', () => received(carl).length === 3);
  expect(received(carl).at(-1)).toEqual(['the last', bob.id]);
  expect(received(bob)).toEqual([]);
  await until('too many are refused', () => {
    for (let at = 0; at < 40; at += 1)
      bob.visit.peer.send({ id: 1000 + at, command: { action: 'app-message', data: at } });
    return bob.notices.some(({ error }) => error?.code === 'too_many');
  });
  const dancing = await ann.ask({ action: 'dance' });
  expect(dancing.error.code).toBe('validation_failed');
});

test('attack 61: who is no owner changes nobody, mutes nobody and puts nobody out', async () => {
  const [ann, bob, carl] = await ownerAnd(['Bob', 'Carl']);
  if (bob === undefined || carl === undefined) throw new Error('somebody is missing');
  for (const updates of [
    { eject: true },
    { setAudio: false },
    { updatePermissions: { canSend: false } },
    { updatePermissions: { canAdmin: true } },
  ]) {
    const refused = await bob.ask({ action: 'update-participant', of: carl.id, updates });
    expect(refused.error.code).toBe('not-allowed');
  }
  expect(
    (
      await bob.ask({
        action: 'update-participant',
        of: bob.id,
        updates: { updatePermissions: { canAdmin: true } },
      })
    ).error.code,
  ).toBe('not-allowed');
  expect((await bob.ask({ action: 'admit', of: carl.id, granted: true })).error.code).toBe('not-allowed');
  expect(ann.sees(carl.id)).toMatchObject({ permissions: { canSend: true, canAdmin: false } });
});

test('attack 61: what nests so deep that it cannot be looked through is refused, and the room goes on', async () => {
  const [ann, bob] = await ownerAnd(['Bob']);
  if (bob === undefined) throw new Error('Bob is missing');
  const deep = `${'['.repeat(17_000)}${']'.repeat(17_000)}`;
  const member = (name: string) => `{"action":"${name}","${name === 'update-self' ? 'userData' : 'data'}":`;
  for (const [at, name] of ['app-message', 'update-self', 'set-session-data'].entries()) {
    const id = 70 + at;
    bob.visit.peer.sendText(`{"id":${id},"command":${member(name)}${deep}}}`);
    await until('it is refused', () => bob.notices.some(({ reply }) => reply === id));
    expect(bob.notices.find(({ reply }) => reply === id).error.code).toBe('validation_failed');
  }
  await ann.ask({ action: 'app-message', data: 'still here' });
  await until('Bob reads on', () => bob.notices.some(({ data }) => data === 'still here'));
});

test('attack 61: who takes no long texts has to leave, and keeps nothing from the others', async () => {
  const room = await createRoom(app);
  const [ann, mallory, carl] = [
    await enter(room.url),
    await enter(room.url, {}, (offer) => offer.replace(/a=max-message-size:\d+/, 'a=max-message-size:5000')),
    await enter(room.url),
  ];
  const answer = await ann.ask({ action: 'set-session-data', data: { text: 'x'.repeat(6000) } });
  expect(answer).not.toHaveProperty('error');
  await until('Carl knows', () =>
    carl.notices.some(({ meetingSessionState }) => meetingSessionState?.data.text !== undefined),
  );
  for (const guest of [ann, carl])
    await until('Mallory is gone', () =>
      guest.notices.some(({ action, id }) => action === 'participant-left' && id === mallory.id),
    );
});

test('an owner switches, permits and puts out', async () => {
  const [ann, bob] = await ownerAnd(['Bob']);
  if (bob === undefined) throw new Error('Bob is missing');
  await bob.ask({ action: 'update-self', sends: ['audio', 'video'] });
  const change = (updates: object) => ann.ask({ action: 'update-participant', of: bob.id, updates });
  await change({ setAudio: false });
  await until('Bob is asked', () =>
    bob.notices.some(({ action, audio }) => action === 'switch' && audio === false),
  );
  await change({ updatePermissions: { canSend: ['audio'] } });
  await until('his picture is off', () => ann.sees(bob.id)?.tracks.video.state === 'off');
  expect(ann.sees(bob.id)?.tracks.video.off).toEqual({ byCanSendPermission: true });
  const maySend = () =>
    bob.notices.filter(({ action }) => action === 'self').at(-1)?.participant.permissions.canSend;
  await until('Bob knows what he may send', () => JSON.stringify(maySend()) === '["audio"]');
  await change({ updatePermissions: { canAdmin: true } });
  expect(
    await bob.ask({ action: 'update-participant', of: ann.id, updates: { setVideo: false } }),
  ).not.toHaveProperty('error');
  await change({ eject: true });
  await until('Bob was told', () => bob.notices.some(({ error }) => error?.type === 'ejected'));
  await until('Bob is out', () => ann.sees(bob.id) === undefined);
});

test('one gets what one subscribes to, in the size that one wants', async () => {
  const [ann, bob] = await ownerAnd(['Bob']);
  if (bob === undefined) throw new Error('Bob is missing');
  await bob.ask({ action: 'update-self', sends: ['audio', 'video'] });
  await until('both come', () => ann.sees(bob.id)?.tracks.video.state === 'playable');
  await ann.ask({ action: 'subscribe-automatically', enabled: false });
  await until('nothing comes', () => ann.sees(bob.id)?.tracks.video.state === 'sendable');
  await ann.ask({
    action: 'update-participant',
    of: bob.id,
    updates: { setSubscribedTracks: { audio: true } },
  });
  await until('the sound comes', () => ann.sees(bob.id)?.tracks.audio.state === 'playable');
  expect(ann.sees(bob.id)?.tracks.video).toEqual({ state: 'sendable', subscribed: false });
  const settings = { base: { video: 1 }, [bob.id]: { video: 0 }, 'long gone': { video: 0 } };
  expect(await ann.ask({ action: 'receive-settings', settings })).toEqual({ reply: 3 });
  const nobody = { action: 'update-participant', of: 'nobody', updates: { setSubscribedTracks: true } };
  expect((await ann.ask(nobody)).error.code).toBe('not_found');
});

test('a track with a name of its own comes to the others under it, as they wish and as it is permitted', async () => {
  const [ann, bob] = await ownerAnd(['Bob']);
  if (bob === undefined) throw new Error('Bob is missing');
  const tracks = () => ann.sees(bob.id)?.tracks ?? {};
  await bob.ask({ action: 'update-self', custom: { customAudio1: 'song', customVideo1: 'film' } });
  await until('Ann sees both', () => tracks().song?.state === 'playable' && tracks().film?.slot >= 0);
  expect(tracks()).toMatchObject({ song: { kind: 'audio', subscribed: true }, film: { kind: 'video' } });
  const { slot } = tracks().film;
  await until('the picture comes in its slot', () => {
    bob.visit.peer.show(9, 2500, 'customVideo1');
    return ann.visit.peer.seen[slot]?.some(({ mark }) => mark === 9) ?? false;
  });
  const wish = async (setSubscribedTracks: unknown) =>
    ann.ask({ action: 'update-participant', of: bob.id, updates: { setSubscribedTracks } });
  await wish({ custom: { film: false } });
  expect(tracks()).toMatchObject({ song: { state: 'playable' }, film: { state: 'sendable' } });
  await wish({ custom: true });
  expect(tracks().film.state).toBe('playable');
  await wish(false);
  expect(tracks()).toMatchObject({ song: { state: 'sendable' }, film: { state: 'sendable' } });
  await wish({ custom: { song: true } });
  expect(tracks()).toMatchObject({ song: { state: 'playable' }, film: { state: 'sendable' } });
  const permit = { updatePermissions: { canSend: ['audio', 'customVideo'] } };
  await ann.ask({ action: 'update-participant', of: bob.id, updates: permit });
  expect(tracks().song).toMatchObject({ state: 'off', off: { byCanSendPermission: true } });
  await bob.ask({ action: 'update-self', custom: { customVideo1: 'film' } });
  await until('the song is gone', () => tracks().song === undefined);
  expect(tracks().film.state).toBe('sendable');
});

test.each([
  [{ customAudio1: 'audio' }],
  [{ customAudio1: 'rmpAudio' }],
  [{ customAudio1: 'two', customVideo1: 'two' }],
  [{ customAudio1: 'x'.repeat(51) }],
  [{ customAudio3: 'third' }],
])('attack 61: tracks with the names %j are refused, and nobody sees them', async (custom) => {
  const [ann, bob] = await ownerAnd(['Bob']);
  if (bob === undefined) throw new Error('Bob is missing');
  expect((await bob.ask({ action: 'update-self', custom })).error.code).toBe('validation_failed');
  await bob.ask({ action: 'update-self', userName: 'Rob' });
  await until('Ann sees what came after it', () => ann.sees(bob.id)?.user_name === 'Rob');
  expect(Object.keys(ann.sees(bob.id)?.tracks)).toEqual(['audio', 'video', 'screenAudio', 'screenVideo']);
});

test('what a meeting shares is told to all who are in, and to who comes later', async () => {
  const [ann, bob] = await ownerAnd(['Bob']);
  if (bob === undefined) throw new Error('Bob is missing');
  const shared = (guest: Guest) =>
    guest.notices.filter(({ action }) => action === 'meeting-session-state-updated').at(-1)
      ?.meetingSessionState.data;
  await bob.ask({ action: 'set-session-data', data: { topic: 'prices' } });
  await ann.ask({ action: 'set-session-data', data: { seats: 4 }, mergeStrategy: 'shallow-merge' });
  await until('both know', () => [ann, bob].every((guest) => shared(guest)?.seats === 4));
  expect(shared(bob)).toEqual({ topic: 'prices', seats: 4 });
  const large = { text: 'x'.repeat(59_980) };
  expect(
    (await bob.ask({ action: 'set-session-data', data: large, mergeStrategy: 'shallow-merge' })).error.code,
  ).toBe('too_large');
});

test('who speaks is told to everybody', async () => {
  const [ann, bob] = await ownerAnd(['Bob']);
  if (bob === undefined) throw new Error('Bob is missing');
  await bob.ask({ action: 'update-self', sends: ['audio'] });
  await bob.visit.peer.speak(tone(500, 0.6));
  await until('Ann is told', () =>
    ann.notices.some(
      ({ action, activeSpeaker }) => action === 'active-speaker-change' && activeSpeaker.peerId === bob.id,
    ),
  );
});

test('an owner has a meeting transcribed: all read who said what, and who comes later knows of it', async () => {
  const room = await createRoom(app);
  const token = await tokenFor(app, room.name, { is_owner: true });
  const [ann, bob] = [await enter(room.url, { token }), await enter(room.url)];
  const told = (guest: Guest, what: string) =>
    guest.notices.filter(({ action }) => action === `transcription-${what}`);
  expect((await bob.ask({ action: 'start-transcription' })).error.code).toBe('not-allowed');
  expect((await ann.ask({ action: 'start-transcription', language: 'de' })).error.code).toBe(
    'validation_failed',
  );
  expect((await ann.ask({ action: 'stop-transcription' })).error.code).toBe('not_transcribing');
  await ann.ask({ action: 'start-transcription' });
  const started = { language: 'en', model: 'tones', startedBy: ann.id };
  for (const guest of [ann, bob]) {
    await until('it has begun', () => told(guest, 'started').length > 0);
    expect(told(guest, 'started')).toMatchObject([started]);
  }
  expect((await ann.ask({ action: 'start-transcription' })).error.code).toBe('transcribing');
  await bob.ask({ action: 'update-self', sends: ['audio'] });
  await bob.visit.peer.speak(joined([tone(500, 1), new Int16Array(8000)]));
  await until('Ann reads what Bob said', () => told(ann, 'message').length > 0);
  expect(told(ann, 'message')).toMatchObject([{ participantId: bob.id, text: SPOKEN[500] }]);
  const carl = await enter(room.url);
  await until('Carl knows', () => told(carl, 'started').length > 0);
  expect(told(carl, 'started')).toMatchObject([started]);
  const updates = { updatePermissions: { canAdmin: ['transcription'] } };
  await ann.ask({ action: 'update-participant', of: bob.id, updates });
  expect(ann.sees(bob.id)?.permissions.canAdmin).toEqual(['transcription']);
  const eject = { action: 'update-participant', of: carl.id, updates: { eject: true } };
  expect((await bob.ask(eject)).error.code).toBe('not-allowed');
  await bob.ask({ action: 'stop-transcription' });
  for (const guest of [ann, carl]) {
    await until('it has ended', () => told(guest, 'stopped').length > 0);
    expect(told(guest, 'stopped')).toMatchObject([{ updatedBy: bob.id }]);
  }
});

test('attack 61: who waits before a room hears and sees nothing of it until an owner lets them in', async () => {
  const room = await createRoom(app, { enable_knocking: true }, { privacy: 'private' });
  const ann = await enter(room.url, {
    token: await tokenFor(app, room.name, { is_owner: true, user_name: 'Ann' }),
  });
  const bob = await enter(room.url, { userName: 'Bob' });
  expect(bob.notices[0]).toMatchObject({
    action: 'entered',
    participants: [],
    participant: { access: 'lobby' },
  });
  expect(bob.notices).toHaveLength(1);
  expect(Object.keys(bob.notices[0]).sort()).toEqual(['action', 'participant', 'participants', 'waiting']);
  expect(ann.sees(bob.id)).toBeUndefined();
  expect((await bob.ask({ action: 'app-message', data: 'let me in' })).error.code).toBe('not-allowed');
  expect((await bob.ask({ action: 'update-self', sends: ['audio'] })).error.code).toBe('not-allowed');
  expect(await bob.ask({ action: 'request-access', name: 'Bob of sales' })).toMatchObject({
    access: { level: 'lobby' },
  });
  await until('Ann is asked', () => ann.notices.some(({ action }) => action === 'waiting-participant-added'));
  await ann.ask({ action: 'admit', of: bob.id, granted: false });
  await until('Bob is refused', () =>
    bob.notices.some(({ action, granted }) => action === 'access' && !granted),
  );
  await ann.ask({ action: 'app-message', data: 'among us' });
  const whisper = await ann.ask({ action: 'app-message', data: 'psst', to: bob.id });
  expect(whisper.error.code).toBe('not_found');
  await bob.ask({ action: 'request-access' });
  // Anything said before that answer would have come before it.
  expect(bob.notices.some(({ action }) => action === 'app-message')).toBe(false);
  await ann.ask({ action: 'admit', of: bob.id, granted: true });
  await until('Ann sees Bob', () => ann.sees(bob.id)?.user_name === 'Bob');
  await until('Bob sees Ann', () => bob.sees(ann.id) !== undefined);
});

test('a meeting ends with the last who was let in, though somebody waits: it is written down no more, and shares nothing', async () => {
  const room = await createRoom(app, { enable_knocking: true }, { privacy: 'private' });
  const token = await tokenFor(app, room.name, { is_owner: true });
  const ann = await enter(room.url, { token });
  const bob = await enter(room.url, { userName: 'Bob' });
  await ann.ask({ action: 'set-session-data', data: { slide: 3 }, mergeStrategy: 'replace' });
  await ann.ask({ action: 'start-transcription' });
  await until('it has begun', () => ann.notices.some(({ action }) => action === 'transcription-started'));
  await ann.visit.peer.close();
  const present = async () => (await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body.data;
  await expect.poll(present).toEqual([]);
  const eve = await enter(room.url, { token });
  await until('Eve knows what is shared', () =>
    eve.notices.some(({ action }) => action === 'meeting-session-state-updated'),
  );
  const shared = eve.notices.find(({ action }) => action === 'meeting-session-state-updated');
  expect(shared?.meetingSessionState.data).toEqual({});
  expect((await eve.ask({ action: 'start-transcription' })).error).toBeUndefined();
  await bob.ask({ action: 'request-access' });
  await eve.ask({ action: 'admit', of: bob.id, granted: true });
  await until('Bob sees Eve', () => bob.sees(eve.id) !== undefined);
});

test('who waits takes nobody’s place, and is let in when there is one', async () => {
  const properties = { enable_knocking: true, max_participants: 1 };
  const room = await createRoom(app, properties, { privacy: 'private' });
  const bob = await enter(room.url, { userName: 'Bob' });
  await expect(enterRoom(app, room.url)).rejects.toMatchObject({ code: 'meeting-full' });
  const ann = await enter(room.url, { token: await tokenFor(app, room.name, { is_owner: true }) });
  await bob.ask({ action: 'request-access' });
  expect((await ann.ask({ action: 'admit', of: bob.id, granted: true })).error.code).toBe('meeting-full');
  expect(ann.sees(bob.id)).toBeUndefined();
});

test('eight people meet: everybody has a slot for everybody, and a ninth is refused', async () => {
  const room = await createRoom(app);
  const guests: Guest[] = [];
  for (let at = 0; at < 8; at += 1) guests.push(await enter(room.url, { userName: `Guest ${at}` }));
  await Promise.all(guests.map((guest) => guest.ask({ action: 'update-self', sends: ['audio', 'video'] })));
  for (const guest of guests) {
    const others = () =>
      guests.filter((other) => other !== guest).map((other) => guest.sees(other.id)?.tracks);
    await until('all come', () =>
      others().every((tracks) => tracks?.audio.state === 'playable' && tracks.video.state === 'playable'),
    );
    expect(new Set(others().map((tracks) => tracks.video.slot)).size).toBe(7);
  }
  await expect(enterRoom(app, room.url)).rejects.toMatchObject({ code: 'meeting-full' });
});
