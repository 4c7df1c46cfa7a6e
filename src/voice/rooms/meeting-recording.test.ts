import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { WAVE_HEADER } from '@northline/speech/wave-file';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import {
  ask,
  createRoom,
  enterRoom,
  tokenFor,
  type Visit,
} from '../../../tests/support/voice/meeting-visit.ts';
import { colourAt, HAS_FFMPEG, probe } from '../../../tests/support/voice/recordings/ffmpeg.ts';
import {
  ELSEWHERE,
  GONE,
  leaveMeeting,
  openOtherStore,
} from '../../../tests/support/voice/recordings/left-recording.ts';
import { evidenceKinds } from '../../../tests/support/voice/recordings/recorded-call.ts';
import { vp8Frame } from '../../../tests/support/voice/recordings/vp8-frame.ts';
import { readWebm } from '../../../tests/support/voice/recordings/webm-reading.ts';
import type { RoomPeer } from '../../../tests/support/voice/room-peer.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import {
  asBrowser,
  type CallRecord,
  eventually,
  voiceApi,
} from '../../../tests/support/voice/voice-calls.ts';
import { PICTURE, shareOfTone, tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { GROUND_FRAME } from '../recording/ground-frame.server.ts';
import { RECORDER } from './meeting-recording.server.ts';

type Guest = Visit<RoomPeer>;

let app: TestApp;
let folder: string;
const visits: Guest[] = [];
beforeAll(async () => {
  const settings = { VOICE_FFMPEG: 'off', VOICE_ROOM_PEOPLE: '40' };
  app = await startTestApp({ voiceEngines: simpleEngines(), settings });
  folder = path.join(app.resources.settings.DATA_DIR, 'recordings');
});
afterEach(async () => {
  await Promise.all(visits.splice(0).map(({ peer }) => peer.close()));
});
afterAll(() => app.close());

const RECORDED = { enable_recording: 'cloud' };
const idOf = ({ participant }: Guest): string => participant.session_id;
const told = ({ peer }: Guest, action: string): CallRecord[] =>
  peer.notices.filter((notice) => notice.action === action);
const questions = (guest: Guest): CallRecord[] =>
  told(guest, 'app-message').filter(
    ({ data, fromId }) => fromId === RECORDER && data.type === 'recording-consent-request',
  );
const filesOf = (id: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith(id)).sort();
const say = (guest: Guest, given: boolean): Promise<CallRecord> =>
  ask(guest, { action: 'app-message', data: { type: 'recording-consent', given }, to: RECORDER });
const start = (guest: Guest, options: object = {}): Promise<CallRecord> =>
  ask(guest, { action: 'start-recording', options });

async function enter(url: string, entry: object = {}, at: TestApp = app): Promise<Guest> {
  const visit = await enterRoom(at, url, entry);
  visits.push(visit);
  await until('the room says who is there', () => told(visit, 'entered').length > 0);
  await ask(visit, { action: 'update-self', sends: ['audio', 'video'] });
  return visit;
}
interface Opened {
  readonly room: CallRecord;
  readonly ann: Guest;
}
/** A room that may be recorded, with its owner. */
async function open(properties: object = RECORDED, more: object = {}, at: TestApp = app): Promise<Opened> {
  const room = await createRoom(at, properties, more);
  const token = await tokenFor(at, room.name, { is_owner: true, user_name: 'Ann', user_id: 'a1' });
  return { room, ann: await enter(room.url, { token }, at) };
}
/** The same room, being recorded at its owner's wish. */
async function recorded(options: object = {}, at: TestApp = app): Promise<Opened & { readonly id: string }> {
  const opened = await open(RECORDED, {}, at);
  expect(await start(opened.ann, options)).not.toHaveProperty('error');
  return { ...opened, id: told(opened.ann, 'recording-started')[0]?.recordingId };
}
/** Shows a camera's picture until the test is over. */
function show({ peer }: Guest, frame: Buffer = PICTURE): void {
  const showing = setInterval(() => peer.showFrame(frame), 40);
  onTestFinished(() => clearInterval(showing));
}
const recordingOf = async (id: string): Promise<CallRecord> =>
  (await voiceApi(app, 'GET', `/recordings/${id}`)).body;
const stored = (id: string) =>
  eventually('the recording is stored', async () => {
    const found = await recordingOf(id);
    return found.status === 'finished' && found.pictures !== 'composing' ? found : undefined;
  });
const objectsOf = async (id: string): Promise<string[]> =>
  (
    await app.resources.database.many(
      `select name from storage.objects where bucket_id = 'voice-recordings' and starts_with(name, $1) order by name`,
      [id],
    )
  ).map(({ name }) => String(name).slice(id.length));
const errorsOf = (guest: Guest): string[] => told(guest, 'recording-error').map(({ errorMsg }) => errorMsg);

test('who agrees is recorded, each for themselves; who says nothing or no is not; all are told', async () => {
  claims('Everybody here has agreed to be recorded.', 'People who did not are not in the recording.');
  const { room, ann, id } = await recorded();
  const [bob, carl, dan] = [
    await enter(room.url, { userName: 'Bob' }),
    await enter(room.url, { userName: 'Carl' }),
    await enter(room.url, { userName: 'Dan' }),
  ];
  // The person who began it has agreed thereby; a person who joins later is told and asked.
  expect(told(ann, 'recording-started')).toEqual([
    {
      ...{ action: 'recording-started', type: 'cloud', recordingId: id, startedBy: idOf(ann) },
      layout: { preset: 'default' },
    },
  ]);
  expect(questions(ann)).toEqual([]);
  for (const guest of [bob, carl, dan]) {
    expect(told(guest, 'recording-started')).toHaveLength(1);
    expect(questions(guest)[0].data).toMatchObject({
      recordingId: id,
      question: expect.stringContaining('Do you agree'),
    });
    show(guest);
  }
  const before = filesOf(id);
  expect(before).toEqual([`${id}.1.wav`, `${id}.1.webm`, `${id}.wav`]);
  const speaking = [bob, carl, dan].map((guest, at) => guest.peer.speak(tone(500 + 200 * at, 2)));
  await Promise.all(speaking);
  expect(await say(bob, true)).not.toHaveProperty('error');
  expect(await say(carl, false)).not.toHaveProperty('error');
  expect(filesOf(id)).toEqual([...before, `${id}.2.wav`, `${id}.2.webm`].sort());
  const pictures = () => readWebm(readFileSync(path.join(folder, `${id}.2.webm`))).frames;
  await until('the camera is written', () => pictures().some(({ bytes }) => bytes.equals(PICTURE)));
  await Promise.all([bob, carl, dan].map((guest, at) => guest.peer.speak(tone(500 + 200 * at, 2))));
  expect(await recordingOf(id)).toMatchObject({ status: 'in-progress', room_name: room.name });
  expect((await voiceApi(app, 'GET', `/recordings/${id}/access-link`)).body.code).toBe('no_recording');
  expect((await voiceApi(app, 'DELETE', `/recordings/${id}`)).body.code).toBe('recording_goes_on');
  expect(await ask(ann, { action: 'stop-recording' })).not.toHaveProperty('error');
  await until('all are told', () =>
    [ann, bob, carl, dan].every((one) => told(one, 'recording-stopped').length === 1),
  );
  const found = await stored(id);
  expect(found).toMatchObject({ max_participants: 2, pictures: 'separate', started_by: idOf(ann) });
  expect(found.participants).toMatchObject([
    { number: 1, user_name: 'Ann', user_id: 'a1', from: 0, to: expect.any(Number) },
    { number: 2, user_name: 'Bob', session_id: idOf(bob), to: expect.any(Number) },
  ]);
  expect(found.participants[1].from).toBeGreaterThan(0);
  // The sound has only the voice of the person who agreed.
  const { body: link } = await voiceApi(app, 'GET', `/recordings/${id}/access-link`);
  expect(link).toMatchObject({ video: false, expires: expect.any(Number) });
  expect(link.pictures.map(({ participant }: CallRecord) => participant)).toEqual(['Ann', 'Bob']);
  const sound = Buffer.from(await (await fetch(link.download_link)).arrayBuffer());
  const both = new Int16Array(
    sound.buffer.slice(sound.byteOffset + WAVE_HEADER, sound.byteOffset + sound.length),
  );
  const left = both.filter((_, at) => at % 2 === 0).slice(Math.round(found.participants[1].from * 16_000));
  expect(shareOfTone(left, 500)).toBeGreaterThan(0.6);
  expect(shareOfTone(left, 700) + shareOfTone(left, 900)).toBeLessThan(0.01);
  const picture = await fetch(link.pictures[1].url);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'video/webm']);
  const { frames } = readWebm(Buffer.from(await picture.arrayBuffer()));
  expect([frames[0]?.bytes.equals(GROUND_FRAME), frames.some(({ bytes }) => bytes.equals(PICTURE))]).toEqual([
    true,
    true,
  ]);
  expect(await objectsOf(id)).toEqual(['.1.webm', '.2.webm', '.wav']);
  await expect.poll(() => filesOf(id)).toEqual([]);
  const said = (guest: Guest, given: boolean) => ['consent', { to: 'recording', given, person: idOf(guest) }];
  expect(await evidenceKinds(app, id)).toEqual([
    ['begun', { recording: true, room: room.id }],
    ...[said(ann, true), said(bob, true), said(carl, false)],
    ['ended', { what: 'recording' }],
  ]);
  // Deleting removes everything: the sound, the pictures, who was in it, and the addresses.
  expect((await voiceApi(app, 'DELETE', `/recordings/${id}`)).body).toEqual({ deleted: true, id });
  expect([await objectsOf(id), (await voiceApi(app, 'GET', `/recordings/${id}`)).status]).toEqual([[], 404]);
  expect((await fetch(link.download_link)).status).toBeGreaterThanOrEqual(400);
  expect((await evidenceKinds(app, id)).at(-1)).toEqual(['deleted', { what: 'recording' }]);
});

test('attack 44: who takes the yes back is deleted from the recording while it is made, and the others stay', async () => {
  const { room, ann, id } = await recorded();
  const bob = await enter(room.url, { userName: 'Bob' });
  await say(bob, true);
  await bob.peer.speak(tone(500, 2));
  expect(filesOf(id)).toContain(`${id}.2.wav`);
  await say(bob, false);
  expect(filesOf(id)).toEqual([`${id}.1.wav`, `${id}.1.webm`, `${id}.wav`]);
  await bob.peer.speak(tone(500, 1));
  await ask(ann, { action: 'stop-recording' });
  const { participants } = await stored(id);
  expect(participants.map(({ user_name }: CallRecord) => user_name)).toEqual(['Ann']);
  expect(await evidenceKinds(app, id)).toContainEqual(['deleted', { what: 'track', person: idOf(bob) }]);
});

test('attack 61: who takes their answer back again and again is not taken into a recording for ever', async () => {
  const { room, id } = await recorded();
  const bob = await enter(room.url);
  for (let times = 0; times < 5; times += 1) {
    expect(await say(bob, true)).not.toHaveProperty('error');
    expect(await say(bob, false)).not.toHaveProperty('error');
  }
  expect((await say(bob, true)).error.code).toBe('too_many');
  expect(filesOf(id)).toEqual([`${id}.1.wav`, `${id}.1.webm`, `${id}.wav`]);
});

test('attack 44: where everybody takes the yes back nothing is kept, and where nobody agreed nothing ever was', async () => {
  const { ann, id } = await recorded();
  await ann.peer.speak(tone(500, 1));
  await say(ann, false);
  await ask(ann, { action: 'stop-recording' });
  await expect.poll(async () => (await voiceApi(app, 'GET', `/recordings/${id}`)).status).toBe(404);
  expect([filesOf(id), await objectsOf(id)]).toEqual([[], []]);

  const room = await createRoom(app, RECORDED);
  const token = await tokenFor(app, room.name, { is_owner: true, start_cloud_recording: true });
  const eve = await enter(room.url, { token });
  const bob = await enter(room.url);
  // A token agrees for nobody: the owner who came with it is asked like everybody else.
  await until('both are asked', () => [eve, bob].every((one) => questions(one).length === 1));
  const asked = questions(eve)[0].data.recordingId;
  await Promise.all([eve, bob].map(({ peer }) => peer.speak(tone(500, 1))));
  expect([filesOf(asked), told(eve, 'recording-started')]).toEqual([[], []]);
  // It begins with the first yes, no matter who says it.
  await say(bob, true);
  expect(filesOf(asked)).toEqual([`${asked}.1.wav`, `${asked}.1.webm`, `${asked}.wav`]);
  expect(told(eve, 'recording-started')).toHaveLength(1);
});

test('attack 61: who is no owner begins, changes and ends no recording, and agrees for nobody else', async () => {
  const { room, ann } = await open();
  const bob = await enter(room.url);
  const refusal = 'Only owners of the meeting have it recorded.';
  for (const command of [
    { action: 'start-recording' },
    { action: 'stop-recording' },
    { action: 'update-recording', options: {} },
  ])
    expect((await ask(bob, command)).error).toMatchObject({ code: 'not-allowed', message: refusal });
  expect((await say(bob, true)).error.code).toBe('not_recording');
  await start(ann);
  const id = told(ann, 'recording-started')[0].recordingId;
  const forAnn = { type: 'recording-consent', given: false, person: idOf(ann), recordingId: id };
  await ask(bob, { action: 'app-message', data: forAnn, to: RECORDER });
  expect(filesOf(id)).toContain(`${id}.1.wav`);
  const stale = { type: 'recording-consent', given: true, recordingId: crypto.randomUUID() };
  expect((await ask(bob, { action: 'app-message', data: stale, to: RECORDER })).error.code).toBe(
    'not_recording',
  );
  expect((await ask(bob, { action: 'app-message', data: 'yes', to: RECORDER })).error.code).toBe(
    'validation_failed',
  );
});

test('attack 61: a room that does not allow it has no recording, nor one whose assistant may not be recorded', async () => {
  const { ann } = await open({});
  expect((await start(ann)).error.message).toBe(
    'Nothing is recorded in this room: it has no enable_recording.',
  );
  const { body: assistant } = await voiceApi(app, 'POST', '/assistant', { hipaaEnabled: true });
  const secret = await open(RECORDED, { assistantId: assistant.id });
  expect((await start(secret.ann)).error.message).toBe(
    'Nothing is recorded where this assistant takes part.',
  );
  const room = await createRoom(app);
  const token = await tokenFor(app, room.name, { is_owner: true, start_cloud_recording: true });
  const eve = await enter(room.url, { token });
  await until('the token’s holder is told', () => errorsOf(eve).length === 1);
  const refused = await voiceApi(app, 'POST', '/meeting-tokens', {
    properties: { room_name: room.name, start_cloud_recording: true },
  });
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('is for owners')]);
});

test('attack 61: who waits before a room is neither asked nor recorded until they are let in', async () => {
  const { room, ann } = await open({ ...RECORDED, enable_knocking: true }, { privacy: 'private' });
  await start(ann);
  const id = told(ann, 'recording-started')[0].recordingId;
  const eve = await enterRoom(app, room.url, { userName: 'Eve' });
  visits.push(eve);
  await until('she waits', () => told(eve, 'entered').length > 0);
  expect((await say(eve, true)).error.code).toBe('not-allowed');
  expect([questions(eve), told(eve, 'recording-started'), filesOf(id).length]).toEqual([[], [], 3]);
  await ask(eve, { action: 'request-access', name: 'Eve' });
  await ask(ann, { action: 'admit', of: idOf(eve), granted: true });
  await until(
    'she is told and asked',
    () => questions(eve).length + told(eve, 'recording-started').length === 2,
  );
});

test('attack 60: recordings of meetings are read, fetched and deleted with the private key only', async () => {
  const { ann, id } = await recorded();
  await ann.peer.speak(tone(500, 1));
  await ask(ann, { action: 'stop-recording' });
  await stored(id);
  for (const [method, at] of [
    ['GET', '/recordings'],
    ['GET', `/recordings/${id}`],
    ['GET', `/recordings/${id}/access-link`],
    ['DELETE', `/recordings/${id}`],
  ] as const) {
    expect((await voiceApi(app, method, at, undefined, asBrowser(app))).body.code).toBe('public_key');
    expect((await voiceApi(app, method, at, undefined, { authorization: '' })).status).toBe(401);
  }
  expect((await voiceApi(app, 'GET', '/recordings')).body.data.map((one: CallRecord) => one.id)).toContain(
    id,
  );
  const { body } = await voiceApi(app, 'GET', `/recordings/${id}/access-link`);
  expect((await fetch(body.download_link.replace(/token=[^&]{9}/, 'token=forged000'))).status).toBe(400);
});

test.each([
  [{ layout: { preset: 'portrait' } }, 'layout.preset'],
  [{ fps: 60 }, 'fps'],
  [{ width: 1920, height: 1080 }, 'width'],
  [{ type: 'raw-tracks' }, 'type'],
  [{ type: 'local' }, 'type'],
  [{ instanceId: crypto.randomUUID() }, 'instanceId'],
  [{ backgroundColor: '#FFFFFFFF' }, 'backgroundColor'],
])('a recording as %j is refused by what cannot be chosen', async (options, what) => {
  const { ann } = await open();
  expect((await start(ann, options)).error.message).toContain(`: ${what} cannot be chosen so.`);
});

test('the layout changes while it goes on, and what has no pictures gets none', async () => {
  const { room, ann, id } = await recorded({ layout: { preset: 'active-participant' } });
  const bob = await enter(room.url);
  await say(bob, true);
  const scenes = async () =>
    (
      await app.resources.database.one(
        "select body -> 'scenes' as scenes from private.voice_records where id = $1",
        [id],
      )
    ).scenes;
  expect(((await scenes()) as object[]).at(-1)).toMatchObject({ layout: 'active', shown: 1 });
  const update = (layout: object) => ask(ann, { action: 'update-recording', options: { layout } });
  expect(await update({ preset: 'single-participant', session_id: idOf(bob) })).not.toHaveProperty('error');
  await expect
    .poll(async () => ((await scenes()) as object[]).at(-1))
    .toMatchObject({ layout: 'single', shown: 2 });
  await update({ preset: 'default', max_cam_streams: 4 });
  await expect
    .poll(async () => ((await scenes()) as object[]).at(-1))
    .toMatchObject({ layout: 'grid', most: 4 });
  expect((await update({ preset: 'audio-only' })).error.message).toContain('stop it, and begin another');
  await ask(ann, { action: 'stop-recording' });

  const heard = await recorded({ type: 'cloud-audio-only' });
  expect(filesOf(heard.id)).toEqual([`${heard.id}.1.wav`, `${heard.id}.wav`]);
  await heard.ann.peer.speak(tone(500, 1));
  // The last person leaves: the recording ends, and is stored.
  await heard.ann.peer.close();
  expect(await stored(heard.id)).toMatchObject({ pictures: 'none', max_participants: 1 });
  expect(await objectsOf(heard.id)).toEqual(['.wav']);
});

test('whoever speaks has the picture, where the layout is so, if they are recorded', async () => {
  const { room, ann, id } = await recorded({ layout: { preset: 'active-participant' } });
  const [bob, carl] = [await enter(room.url), await enter(room.url)];
  await say(bob, true);
  const shown = async (): Promise<unknown> => {
    const { scenes } = await app.resources.database.one(
      "select body -> 'scenes' as scenes from private.voice_records where id = $1",
      [id],
    );
    return (scenes as { shown?: number }[]).at(-1)?.shown;
  };
  await until('Bob has the floor', () => {
    void bob.peer.speak(tone(500, 0.1, 12_000));
    return told(ann, 'active-speaker-change').some(({ activeSpeaker }) => activeSpeaker.peerId === idOf(bob));
  });
  await eventually('Bob is shown', async () => {
    // Each speaker's picture is shown for two seconds at least.
    await ann.peer.speak(tone(740, 1.2, 12_000));
    await bob.peer.speak(tone(500, 1.2, 12_000));
    return (await shown()) === 2 ? true : undefined;
  });
  await carl.peer.speak(tone(900, 2.5, 20_000));
  expect([1, 2]).toContain(await shown());
});

test('the assistant of a room is heard in its recording, and has no tile', async () => {
  const { ann } = await open(RECORDED, { assistantId: app.resources.keys.voice_assistant_id });
  await start(ann);
  const id = told(ann, 'recording-started')[0].recordingId;
  await until('it has a track', () => filesOf(id).includes(`${id}.2.wav`));
  expect(filesOf(id)).not.toContain(`${id}.2.webm`);
  const other = () => readFileSync(path.join(folder, `${id}.2.wav`)).subarray(WAVE_HEADER);
  expect(
    await ask(ann, {
      action: 'app-message',
      data: JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'hello' } }),
      to: 'assistant',
    }),
  ).not.toHaveProperty('error');
  await until('it is heard', () => other().some((byte) => byte !== 0));
  await ask(ann, { action: 'stop-recording' });
  expect(await stored(id)).toMatchObject({
    max_participants: 1,
    participants: [{ user_name: 'Ann' }, { user_name: 'AI assistant', voice_only: true }],
  });
});

test('attack 61: two meetings are recorded at once; one that ends makes place, and a full disk refuses all', async () => {
  const { room: _first, ...one } = await recorded();
  await recorded();
  const third = await open();
  expect((await start(third.ann)).error).toMatchObject({ code: 'too_many_recordings' });
  expect((await start(one.ann)).error.message).toBe('This meeting is recorded already.');
  await ask(one.ann, { action: 'stop-recording' });
  await until('it is over', () => told(one.ann, 'recording-stopped').length === 1);
  expect(await start(third.ann)).not.toHaveProperty('error');

  const settings = { DISK_MIN_FREE_MB: '1000000' };
  const full = await startTestApp({ voiceEngines: simpleEngines(), settings });
  onTestFinished(() => full.close());
  const { ann } = await open(RECORDED, {}, full);
  expect((await start(ann)).error).toMatchObject({ code: 'disk_full' });
});

test('what a killed process had written is stored by the next, mixed, and expires with all it has', async () => {
  const elsewhere = await leaveMeeting(app, ELSEWHERE);
  const id = await leaveMeeting(app, ELSEWHERE);
  // The app under test may claim the recording first; both store the same.
  const store = openOtherStore(app, 'off');
  await app.resources.database.run('update private.voice_recordings set worker = $2 where call_id = $1', [
    id,
    GONE,
  ]);
  expect(await store.recover()).not.toContain(id);
  expect(filesOf(elsewhere)).toHaveLength(5);
  const found = await stored(id);
  expect(found).toMatchObject({ duration: 2, max_participants: 2, pictures: 'separate' });
  expect(await objectsOf(id)).toEqual(['.1.webm', '.2.webm', '.wav']);
  await expect.poll(() => filesOf(id)).toEqual([]);
  await app.resources.database.run(
    "update private.voice_recordings set expires_at = now() - interval '1 s' where call_id = $1",
    [id],
  );
  expect(await store.expire()).toBe(1);
  expect([await objectsOf(id), (await voiceApi(app, 'GET', `/recordings/${id}`)).status]).toEqual([[], 404]);
});

test.skipIf(!HAS_FFMPEG)(
  'a meeting is composed to one file of 1280×720, with everybody in a tile',
  async () => {
    const composing = await startTestApp({ voiceEngines: simpleEngines() });
    onTestFinished(() => composing.close());
    const { room, ann, id } = await recorded({}, composing);
    const bob = await enter(room.url, { userName: 'Bob' }, composing);
    show(ann, vp8Frame('red', 640, 360));
    show(bob, vp8Frame('blue', 640, 360));
    await say(bob, true);
    await Promise.all([ann, bob].map(({ peer }) => peer.speak(tone(500, 4))));
    await ask(ann, { action: 'stop-recording' });
    const link = await eventually('it is composed', async () => {
      const { body } = await voiceApi(composing, 'GET', `/recordings/${id}/access-link`);
      return body.video === true ? body : undefined;
    });
    const { streams, seconds } = await probe(link.download_link);
    expect([streams, seconds > 3]).toEqual([['h264 1280x720', 'aac'], true]);
    const [left, right] = [
      await colourAt(link.download_link, 3, [320, 360]),
      await colourAt(link.download_link, 3, [960, 360]),
    ];
    expect([left[0] > 150 && left[2] < 100, right[2] > 150 && right[0] < 100]).toEqual([true, true]);
  },
);
