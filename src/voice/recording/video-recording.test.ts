import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { showsSettings } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { colourAt, HAS_FFMPEG, probe } from '../../../tests/support/voice/recordings/ffmpeg.ts';
import {
  ELSEWHERE,
  GONE,
  leaveRecording,
  openOtherStore,
} from '../../../tests/support/voice/recordings/left-recording.ts';
import { askedCall, endCall, said, typeIn } from '../../../tests/support/voice/recordings/recorded-call.ts';
import { readWebm } from '../../../tests/support/voice/recordings/webm-reading.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { eventually, type TestCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { PICTURE, until } from '../../../tests/support/voice/voice-peer.ts';
import { LIMITS } from '../../kernel/contract/limits.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import type { PictureFrame } from '../media/picture-frames.server.ts';
import { CallRecording } from './call-recording.server.ts';
import { GROUND_FRAME } from './ground-frame.server.ts';
import type { RecordingStore } from './recording-store.server.ts';

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { VOICE_FFMPEG: 'off' } });
  folder = path.join(app.resources.settings.DATA_DIR, 'recordings');
});
afterAll(() => app.close());

const ASSISTANT = { firstMessage: 'Hello.', artifactPlan: { videoRecordingEnabled: true } };
/** The message that the published client sends (docs/contracts/voice.md §1). */
const START = {
  action: 'local-recording-start',
  ...{ width: 1280, height: 720, backgroundColor: '#FF1F2D3D', layout: { preset: 'default' } },
};

const files = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
/** The files of one call: those of others are removed when their recordings are stored. */
const filesOf = (id: string): string[] => files().filter((name) => name.startsWith(id));
const fileOf = (id: string, type: string): string => path.join(folder, `${id}.${type}`);
const videoOf = (id: string) => voiceApi(app, 'GET', `/call/${id}/video-recording`);
const callOf = async (id: string) => (await voiceApi(app, 'GET', `/call/${id}`)).body;
const told = ({ peer }: TestCall): string[] => peer.notices.map(({ action }) => action);
const errors = ({ peer }: TestCall): unknown[] =>
  peer.notices.flatMap((notice) => ('errorMsg' in notice ? [notice.errorMsg] : []));
const objectsOf = (id: string) =>
  app.resources.database.many(
    `select name from storage.objects where bucket_id = 'voice-recordings' and starts_with(name, $1) order by name`,
    [id],
  );

/** A call with a camera that shows a picture, whose caller has been asked for consent. */
async function asked(): Promise<TestCall> {
  const call = await askedCall(app, ASSISTANT, true);
  const showing = setInterval(() => call.peer.show(PICTURE), 40);
  onTestFinished(() => clearInterval(showing));
  return call;
}

/** Waits until the video's status has changed. */
const settled = (id: string) =>
  eventually('picture and sound were put together, or kept', async () => {
    const { artifact } = await callOf(id);
    return artifact?.videoRecordingStatus === 'composing' ? undefined : artifact;
  });

const openStore = (ffmpeg: string): RecordingStore => openOtherStore(app, ffmpeg);
/** Leaves what a process leaves that recorded two seconds of a call and was killed. */
const recorded = (worker: string): Promise<string> => leaveRecording(app, worker, ASSISTANT);

test('who agrees is recorded with the camera; without ffmpeg picture and sound stay two files, and that is said', async () => {
  showsSettings('assistant', 'artifactPlan.videoRecordingEnabled');
  const call = await asked();
  call.peer.tell(START);
  expect(filesOf(call.id)).toEqual([]);
  typeIn(call, 'yes');
  await until('the recording has begun', () => told(call).includes('recording-started'));
  const picture = () => readWebm(readFileSync(fileOf(call.id, 'webm'))).frames;
  await until('the picture is written', () => picture().some(({ bytes }) => bytes.equals(PICTURE)));
  await until('a frame that stands alone was asked for', () => call.peer.keyframesAsked() > 0);
  const over = await endCall(call);
  expect(over.artifactPlan).toEqual({ recordingEnabled: true, videoRecordingEnabled: true });
  const artifact = await settled(call.id);
  expect(artifact).toMatchObject({ videoRecordingStatus: 'separate' });
  expect(artifact.videoRecordingStartDelaySeconds).toBeGreaterThan(0);
  expect(artifact).not.toHaveProperty('videoRecordingUrl');
  const stored = await fetch(artifact.pictureRecordingUrl);
  expect([stored.status, stored.headers.get('content-type')]).toEqual([200, 'video/webm']);
  const { frames, size } = readWebm(Buffer.from(await stored.arrayBuffer()));
  expect(frames[0]?.bytes.equals(GROUND_FRAME)).toBe(true);
  expect([size, frames.some(({ bytes }) => bytes.equals(PICTURE))]).toEqual([[1280, 720], true]);
  expect((await fetch(artifact.stereoRecordingUrl)).status).toBe(200);
  expect((await videoOf(call.id)).body.code).toBe('not_composed');
  // The status changes a moment before the files are removed.
  await expect.poll(() => filesOf(call.id)).toEqual([]);
  expect(await objectsOf(call.id)).toHaveLength(2);
  expect((await voiceApi(app, 'DELETE', `/call/${call.id}`)).status).toBe(200);
  expect(await objectsOf(call.id)).toEqual([]);
  expect((await fetch(artifact.pictureRecordingUrl)).status).toBeGreaterThanOrEqual(400);
});

test('attack 44: who says no, or takes the yes back, leaves no picture, and the caller’s end is told', async () => {
  const refused = await asked();
  refused.peer.tell(START);
  typeIn(refused, 'no');
  await until('the no was heard', () => said(refused).includes('not recorded'));
  await until('the end is told', () => errors(refused).length === 1);
  expect(errors(refused)[0]).toBe('The caller did not agree to be recorded.');
  refused.peer.tell({ action: 'local-recording-stop' });
  await until('there is nothing to stop', () => errors(refused).length === 2);
  expect(errors(refused)[1]).toBe('Nothing is recorded now.');
  expect((await endCall(refused)).artifact?.videoRecordingStatus).toBeUndefined();
  expect(told(refused)).not.toContain('recording-started');

  const withdrawn = await asked();
  typeIn(withdrawn, 'yes');
  await until('it is recorded', () => told(withdrawn).includes('recording-started'));
  expect(filesOf(withdrawn.id)).toHaveLength(2);
  typeIn(withdrawn, 'please stop recording');
  await until('it was deleted', () => told(withdrawn).includes('recording-stopped'));
  expect(filesOf(withdrawn.id)).toEqual([]);
  await endCall(withdrawn);
  expect([(await videoOf(withdrawn.id)).status, await objectsOf(withdrawn.id)]).toEqual([404, []]);
});

/** The assistant's sentences that were heard, in order, limited to those in `wanted`. */
const heardOf = (call: TestCall, ...wanted: string[]): string[] =>
  call
    .messages('transcript')
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ transcript }) => wanted.filter((words) => transcript.includes(words)));

test('the first message is in the recording: it waits for the yes, for the beginning, and for no client that is silent', async () => {
  const order = ['May I record', 'recorded from now on', 'Hello, Ann'];
  const begin = async (): Promise<TestCall> => {
    const call = await askedCall(app, { ...ASSISTANT, firstMessage: 'Hello, Ann.' }, true);
    call.peer.tell(START);
    expect(heardOf(call, ...order)).toEqual([order[0]]);
    typeIn(call, 'yes');
    return call;
  };
  const published = await begin();
  await until('the recording has begun', () => told(published).includes('recording-started'));
  // The message as the published client sends it (docs/contracts/voice.md §1).
  const control = { type: 'control', control: 'say-first-message', videoRecordingStartDelaySeconds: 0.4 };
  published.peer.send(JSON.stringify(control));
  await until('the first message was heard', () => said(published).includes('Ann'));
  const over = await endCall(published);
  expect(heardOf(published, ...order)).toEqual(order);
  const artifact = await settled(published.id);
  const began = Date.parse(over.startedAt) + artifact.videoRecordingStartDelaySeconds * 1000;
  expect(
    over.messages.find(({ message }: { message: string }) => message.includes('Ann')).endTime,
  ).toBeGreaterThan(began);

  const silent = await begin();
  await until('the first message comes all the same', () => heardOf(silent, ...order).length === 3);
  await endCall(silent);

  const refused = await askedCall(app, { ...ASSISTANT, firstMessage: 'Hello, Ann.' }, true);
  typeIn(refused, 'no');
  await until('nobody is waited for', () => heardOf(refused, 'not recorded', 'Hello, Ann').length === 2);
  expect(heardOf(refused, 'not recorded', 'Hello, Ann')).toEqual(['not recorded', 'Hello, Ann']);
  await endCall(refused);
});

test('the caller’s end may stop the recording, which stays, and can have no other than the one that is made', async () => {
  const call = await asked();
  call.peer.tell({ ...START, width: 640 });
  await until('the size is refused', () => errors(call).length === 1);
  expect(errors(call)[0]).toContain('width cannot be chosen');
  typeIn(call, 'yes');
  await until('it is recorded', () => told(call).includes('recording-started'));
  await until('some of it is written', () => readFileSync(fileOf(call.id, 'wav')).length > 44);
  call.peer.tell({ action: 'local-recording-stop' });
  await until('it has stopped', () => told(call).includes('recording-stopped'));
  call.peer.tell(START);
  await until('it is not begun again', () => errors(call).length === 2);
  expect(errors(call)[1]).toContain('not begun again');
  const over = await endCall(call);
  expect(over.stereoRecordingUrl).toBeDefined();
  expect(await settled(call.id)).toHaveProperty('pictureRecordingUrl');
});

test('a recording that cannot be begun is told as an error, and never as one that goes on', async () => {
  const call = await asked();
  const inTheWay = fileOf(call.id, 'wav');
  mkdirSync(inTheWay, { recursive: true });
  typeIn(call, 'yes');
  await until('the end is told', () => errors(call).length === 1);
  call.peer.tell(START);
  await until('it is told once more', () => errors(call).length === 2);
  call.peer.tell({ action: 'local-recording-stop' });
  await until('there is nothing to stop', () => errors(call).length === 3);
  const failed = 'The recording could not be begun.';
  expect(errors(call)).toEqual([failed, failed, 'Nothing is recorded now.']);
  expect(told(call)).not.toContain('recording-started');
  rmSync(inTheWay, { recursive: true });
  expect((await endCall(call)).recordingUrl).toBeUndefined();
});

test('a picture that cannot be written is told as an error; the sound is recorded without it, and can be stopped', async () => {
  const call = await asked();
  const inTheWay = fileOf(call.id, 'webm');
  mkdirSync(inTheWay, { recursive: true });
  typeIn(call, 'yes');
  await until('the end is told', () => errors(call).length === 1);
  call.peer.tell(START);
  await until('it is told once more', () => errors(call).length === 2);
  const blind = 'The picture cannot be recorded; the sound is.';
  expect(errors(call)).toEqual([blind, blind]);
  await until('the sound is written', () => readFileSync(fileOf(call.id, 'wav')).length > 44);
  call.peer.tell({ action: 'local-recording-stop' });
  await until('it has stopped', () => told(call).includes('recording-stopped'));
  expect(told(call)).not.toContain('recording-started');
  rmSync(inTheWay, { recursive: true });
  expect((await endCall(call)).stereoRecordingUrl).toBeDefined();
});

test('attack 44: a recording that the caller’s end stops while it is being begun stays stopped', async () => {
  const call = await asked();
  const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  onTestFinished(() => free.resolve());
  // The recording cannot begin before its row is written, and this lock delays that.
  const holding = app.resources.database.transaction(async (queries) => {
    await queries.run(
      uncheckedSql('lock table private.voice_recordings in share row exclusive mode', 'command'),
    );
    held.resolve();
    await free.promise;
  });
  await held.promise;
  typeIn(call, 'yes');
  await until('the yes was heard', () => said(call).includes('recorded from now on'));
  call.peer.tell({ action: 'local-recording-stop' });
  call.peer.tell(START);
  await until('the stop was heard', () => errors(call).length === 1);
  free.resolve();
  await holding;
  await until('it has stopped', () => told(call).includes('recording-stopped'));
  call.peer.tell(START);
  await until('it is not begun again', () => errors(call).length === 2);
  const stopped = 'A recording that was stopped is not begun again in the same call.';
  expect(errors(call)).toEqual([stopped, stopped]);
  expect(told(call)).not.toContain('recording-started');
  await endCall(call);
});

test('attack 44: an address of one call’s picture opens no other’s, and a call without one has none', async () => {
  const [one, two] = [await recorded(ELSEWHERE), await recorded(ELSEWHERE)];
  const recordings = openStore('off');
  await Promise.all([recordings.finish(one), recordings.finish(two)]);
  const { pictureRecordingUrl: url } = await settled(one);
  await settled(two);
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(url.replace(one, two))).status).toBeGreaterThanOrEqual(400);
  const { body: plain } = await voiceApi(app, 'POST', '/call/web', { assistant: { firstMessage: 'Hello.' } });
  expect(plain.artifactPlan.videoRecordingEnabled).toBe(false);
  const reply = await videoOf(plain.id);
  expect([reply.status, reply.body.code]).toEqual([404, 'no_recording']);
});

test('a process that ends leaves its videos to the next, which goes on; old ones go with their sound', async () => {
  const id = await recorded(ELSEWHERE);
  const ending = openStore('off');
  await ending.close();
  await ending.finish(id);
  expect((await callOf(id)).artifact.videoRecordingStatus).toBe('composing');
  const pending = await videoOf(id);
  expect([pending.status, pending.body.code]).toEqual([409, 'recording_pending']);
  expect(filesOf(id).sort()).toEqual([`${id}.wav`, `${id}.webm`]);

  await app.resources.database.run('update private.voice_recordings set worker = $2 where call_id = $1', [
    id,
    GONE,
  ]);
  const next = openStore('off');
  await next.recover();
  expect((await settled(id)).videoRecordingStatus).toBe('separate');
  await expect.poll(() => filesOf(id)).toEqual([]);
  await app.resources.database.run(
    "update private.voice_recordings set expires_at = now() - interval '1 s' where call_id = $1",
    [id],
  );
  expect(await next.expire()).toBe(1);
  expect(await objectsOf(id)).toEqual([]);
});

test('a recording whose picture is gone keeps its sound, and says nothing of a video', async () => {
  const id = await recorded(ELSEWHERE);
  rmSync(fileOf(id, 'webm'));
  await openStore('off').finish(id);
  const artifact = await settled(id);
  expect([artifact.stereoRecordingUrl === undefined, artifact.videoRecordingStatus]).toEqual([
    false,
    undefined,
  ]);
});

const rowOf = (id: string) =>
  app.resources.database.one('select bytes, refused from private.voice_recordings where call_id = $1', [id]);
/** The files that this process has open, where the system lists them. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((at) => {
    try {
      return [readlinkSync(`/proc/self/fd/${at}`)];
    } catch {
      return [];
    }
  });

test('a recording larger than any upload is stored, up to the limit of its bucket', async () => {
  const { file_size_limit: limit } = await app.resources.database.one(
    "select file_size_limit from storage.buckets where id = 'voice-recordings'",
  );
  expect(Number(limit)).toBe(LIMITS.recordingBytes);
  const id = await recorded(ELSEWHERE);
  truncateSync(fileOf(id, 'wav'), LIMITS.uploadBytes + 1_000_000);
  await openStore('off').finish(id);
  await settled(id);
  const { bytes, refused } = await rowOf(id);
  expect([Number(bytes) > LIMITS.uploadBytes, refused]).toEqual([true, null]);
  await expect.poll(files).toEqual([]);
});

test('a sound that the store refuses for good is refused once: said everywhere, kept on the machine, gone in its time', async () => {
  const { database, keys } = app.resources;
  const id = await recorded(ELSEWHERE);
  const file = fileOf(id, 'wav');
  truncateSync(file, LIMITS.recordingBytes + 4);
  const recordings = openStore('off');
  await recordings.finish(id);
  expect((await rowOf(id)).refused).toBe('EntityTooLarge');
  await database.run('update private.voice_recordings set worker = $2 where call_id = $1', [id, GONE]);
  expect(await recordings.recover()).not.toContain(id);
  expect(files().sort()).toEqual([`${id}.wav`, `${id}.webm`]);
  expect(openFiles()).not.toContain(file);
  const { artifact, recordingUrl } = await callOf(id);
  expect(artifact).toMatchObject({ recordingStatus: 'refused', videoRecordingStatus: 'refused' });
  expect(recordingUrl).toBeUndefined();
  for (const part of ['stereo', 'video']) {
    const reply = await voiceApi(app, 'GET', `/call/${id}/${part}-recording`);
    expect([reply.status, reply.body.code]).toEqual([409, 'recording_refused']);
  }
  const metrics = await fetch(`${app.url}/metrics`, {
    headers: { authorization: `Bearer ${keys.metrics_token}` },
  });
  expect(await metrics.text()).toContain('northline_recordings_refused 1');

  await database.run(
    "update private.voice_recordings set expires_at = now() - interval '1 s' where call_id = $1",
    [id],
  );
  expect(await recordings.expire()).toBe(1);
  for (const type of ['wav', 'webm']) utimesSync(fileOf(id, type), 1, 1);
  await recordings.recover();
  await expect.poll(files).toEqual([]);
});

test('a video that the store refuses for good leaves its sound stored, and is not tried again', async () => {
  const id = await recorded(ELSEWHERE);
  truncateSync(fileOf(id, 'webm'), LIMITS.recordingBytes + 1);
  const recordings = openStore('off');
  await recordings.finish(id);
  const artifact = await settled(id);
  expect(artifact).toMatchObject({ videoRecordingStatus: 'refused' });
  expect((await fetch(artifact.stereoRecordingUrl)).status).toBe(200);
  expect((await videoOf(id)).body.code).toBe('recording_refused');
  await app.resources.database.run('update private.voice_recordings set worker = $2 where call_id = $1', [
    id,
    GONE,
  ]);
  expect(await recordings.recover()).toEqual([]);
  expect(files().sort()).toEqual([`${id}.wav`, `${id}.webm`]);
  expect(openFiles()).not.toContain(fileOf(id, 'webm'));
  await recordings.discard(id);
  expect(files()).toEqual([]);
});

test('a picture that ends before its sound is told to the caller’s end, and with the recording', async () => {
  const { body: call } = await voiceApi(app, 'POST', '/call/web', { assistant: ASSISTANT });
  const said: unknown[] = [];
  let show: ((frame: PictureFrame) => void) | undefined;
  let sent: ((frame: Int16Array, speech: Int16Array) => void) | undefined;
  const session: Partial<MediaSession> = {
    camera: {
      watch(listener) {
        show = listener;
      },
      restart: () => {},
    },
    onPcm16k: () => {},
    onSent(listener) {
      sent = listener;
    },
    sendNotice: (notice) => said.push('errorMsg' in notice ? notice.errorMsg : notice.action) > 0,
  };
  const recording = CallRecording.prepare(openStore('off'), {
    ...{ callId: call.id, assistant: ASSISTANT, session: session as MediaSession, log: () => {} },
  });
  recording?.consent(true);
  await expect.poll(() => show).toBeDefined();
  const silence = new Int16Array(320);
  for (let frames = 0; frames < 100; frames += 1) sent?.(silence, silence);
  // More than may wait for the disk.
  for (let frames = 0; frames < 20; frames += 1) show?.({ bytes: Buffer.alloc(1024 * 1024), keyframe: true });
  expect(show).toBeUndefined();
  for (let frames = 0; frames < 100; frames += 1) sent?.(silence, silence);
  await recording?.close();
  expect(said).toEqual(['recording-started', 'The picture is not recorded any more; the sound is.']);
  const { videoRecordingEndedSeconds: ended } = await settled(call.id);
  expect(ended).toBeGreaterThanOrEqual(2);
  expect(ended).toBeLessThan(2.1);
});

test.skipIf(!HAS_FFMPEG)(
  'with ffmpeg picture and sound become one file of 1280×720 on the ground (skipped without ffmpeg)',
  async () => {
    const id = await recorded(ELSEWHERE);
    await openStore('ffmpeg').finish(id);
    const artifact = await settled(id);
    expect(artifact.videoRecordingStatus).toBe('composed');
    const reply = await fetch(`${app.url}/voice/v1/call/${id}/video-recording`, {
      headers: { authorization: `Bearer ${app.resources.keys.voice_private_key}` },
    });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'video/mp4']);
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(Buffer.from(await (await fetch(artifact.videoRecordingUrl)).arrayBuffer()).equals(bytes)).toBe(
      true,
    );
    const scratch = mkdtempSync(path.join(os.tmpdir(), 'northline-video-'));
    onTestFinished(() => rmSync(scratch, { recursive: true }));
    const file = path.join(scratch, 'call.mp4');
    writeFileSync(file, bytes);
    const { streams, seconds } = await probe(file);
    expect(streams).toEqual(['h264 1280x720', 'aac']);
    expect(Math.abs(seconds - 2)).toBeLessThan(0.5);
    const colour = await colourAt(file, 1, [640, 360]);
    const off = colour.map((value, at) => Math.abs(value - ([0x1f, 0x2d, 0x3d][at] ?? 0)));
    expect(Math.max(...off)).toBeLessThan(8);
  },
);
