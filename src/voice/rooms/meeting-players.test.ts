import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import {
  ask,
  createRoom,
  enterRoom,
  tokenFor,
  type Visit,
} from '../../../tests/support/voice/meeting-visit.ts';
import type { RoomPeer } from '../../../tests/support/voice/room-peer.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { openSoundServer, type SoundServer } from '../../../tests/support/voice/sound-server.ts';
import { type CallRecord, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { shareOfTone, tone, until } from '../../../tests/support/voice/voice-peer.ts';

let app: TestApp;
let sounds: SoundServer;
const visits: Visit<RoomPeer>[] = [];
beforeAll(async () => {
  // Longer than a slow machine needs for what happens while it plays.
  sounds = await openSoundServer({ '/long.wav': tone(700, 120, 4000), '/short.wav': tone(700, 0.2) });
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { OUTBOUND_ALLOW_HOSTS: sounds.host, VOICE_ROOM_PEOPLE: '40' },
  });
});
afterEach(async () => {
  await Promise.all(visits.splice(0).map(({ peer }) => peer.close()));
});
afterAll(async () => {
  await sounds?.close();
  await app?.close();
});

const told = ({ peer }: Visit<RoomPeer>, what: string): CallRecord[] =>
  peer.notices.filter(({ action }) => action === `remote-media-player-${what}`);
const play = (file: string, settings: object = {}) => ({
  action: 'play-media',
  url: `http://${sounds.host}/${file}.wav`,
  settings,
});

/** An owner and a guest of a room. */
async function meet(): Promise<[Visit<RoomPeer>, Visit<RoomPeer>]> {
  const room = await createRoom(app);
  const token = await tokenFor(app, room.name, { is_owner: true });
  const ann = await enterRoom(app, room.url, { token });
  const carl = await enterRoom(app, room.url);
  visits.push(ann, carl);
  return [ann, carl];
}

test('what an owner plays is heard by everybody as somebody of the room, louder, paused and stopped', async () => {
  const [ann, carl] = await meet();
  const { session_id: id, state, settings } = await ask(ann, play('long'));
  expect([state, settings]).toEqual(['playing', { state: 'play', volume: 1 }]);
  await until('Carl is told', () => told(carl, 'started').length > 0);
  const remoteMediaPlayerState = { state: 'playing', settings };
  expect(told(carl, 'started')).toMatchObject([
    { session_id: id, updatedBy: ann.participant.session_id, remoteMediaPlayerState },
  ]);
  const come = carl.peer.notices.find(
    ({ action, participant }) => action === 'participant-joined' && participant.session_id === id,
  );
  expect(come.participant.tracks.rmpAudio).toMatchObject({ kind: 'audio', state: 'playable' });
  const heard = carl.peer.heard[come.participant.tracks.rmpAudio.slot] ?? [];
  const last = (): Int16Array => heard.at(-1) ?? new Int16Array(1);
  const loudest = (): number => Math.max(...last().map(Math.abs));
  await until('the tone is heard', () => shareOfTone(last(), 700) > 0.8);
  await ask(ann, { action: 'update-player', of: id, settings: { volume: 2 } });
  await until('it is louder', () => loudest() > 6000);
  expect(await ask(ann, { action: 'update-player', of: id, settings: { state: 'pause' } })).toMatchObject({
    state: 'paused',
    settings: { state: 'pause', volume: 2 },
  });
  await until('it is silent', () => loudest() < 100);
  await until('Carl knows of both', () => told(carl, 'updated').length === 2);
  expect((await ask(ann, play('short'))).error.code).toBe('plays_already');
  await ask(ann, { action: 'stop-player', of: id });
  await until('Carl knows', () => told(carl, 'stopped').length > 0);
  expect(told(carl, 'stopped')).toMatchObject([{ session_id: id, reason: 'stopped-by-peer' }]);
  expect(carl.peer.notices.some((one) => one.action === 'participant-left' && one.id === id)).toBe(true);
});

test('a sound comes to its end, and another one can be played', async () => {
  const [ann] = await meet();
  for (let at = 1; at <= 2; at += 1) {
    await ask(ann, play('short'));
    await until('it has come to its end', () => told(ann, 'stopped').length === at);
  }
  expect(told(ann, 'stopped').map(({ reason }) => reason)).toEqual(['EOS', 'EOS']);
});

test('what is played ends when all who are left wait before the room', async () => {
  const room = await createRoom(app, { enable_knocking: true }, { privacy: 'private' });
  const token = await tokenFor(app, room.name, { is_owner: true });
  const ann = await enterRoom(app, room.url, { token });
  visits.push(ann, await enterRoom(app, room.url));
  await ask(ann, play('long', { state: 'pause' }));
  await ann.peer.close();
  await expect
    .poll(async () => (await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body.data)
    .toEqual([]);
  const next = await enterRoom(app, room.url, { token });
  visits.push(next);
  expect((await ask(next, play('long'))).state).toBe('playing');
});

test('attack 61: only owners play, only what may be fetched and is sound, and nobody writes to a player', async () => {
  const [ann, carl] = await meet();
  expect((await ask(carl, play('long'))).error.code).toBe('not-allowed');
  const refused = async (url: string) => (await ask(ann, { ...play('long'), url })).error?.code;
  expect(await refused('http://169.254.169.254/latest/meta-data')).toBe('blocked-address');
  expect(await refused(`http://${sounds.host}/nothing.wav`)).toBe('http-error');
  const { session_id: of } = await ask(ann, play('long', { state: 'pause' }));
  for (const command of [
    { action: 'update-player', of, settings: { state: 'play' } },
    { action: 'stop-player', of },
  ])
    expect((await ask(carl, command)).error.code).toBe('not-allowed');
  const write = { action: 'app-message', data: 'hello', to: of };
  expect((await ask(ann, write)).error.code).toBe('not-allowed');
  await ask(ann, { action: 'update-participant', of, updates: { eject: true } });
  await until('it was put out', () => told(ann, 'stopped').length > 0);
});
