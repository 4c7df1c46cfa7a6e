import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
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
/** What the published client asks for (docs/contracts/voice.md §1). */
const START = {
  action: 'local-recording-start',
  ...{ width: 1280, height: 720, backgroundColor: '#FF1F2D3D', layout: { preset: 'default' } },
};

const files = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
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

/** A call with a camera that shows a picture, asked whether it may be recorded. */
async function asked(): Promise<TestCall> {
  const call = await askedCall(app, ASSISTANT, true);
  const showing = setInterval(() => call.peer.show(PICTURE), 40);
  onTestFinished(() => clearInterval(showing));
  return call;
}

/** The video's status once it is another. */
const settled = (id: string) =>
  eventually('picture and sound were put together, or kept', async () => {
    const { artifact } = await callOf(id);
    return artifact?.videoRecordingStatus === 'composing' ? undefined : artifact;
  });

const openStore = (ffmpeg: string): RecordingStore => openOtherStore(app, ffmpeg);
/** What a process leaves that recorded two seconds of a call. */
const recorded = (worker: string): Promise<string> => leaveRecording(app, worker, ASSISTANT);

test('who agrees is recorded with the camera; without ffmpeg picture and sound stay two files, and that is said', async () => {
  const call = await asked();
  call.peer.tell(START);
  expect(files()).toEqual([]);
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
  expect([(await videoOf(call.id)).body.code, files()]).toEqual(['not_composed', []]);
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
  await until('it is recorded', () => files().length === 2);
  typeIn(withdrawn, 'please stop recording');
  await until('it was deleted', () => files().length === 0);
  await until('the end is told', () => told(withdrawn).includes('recording-stopped'));
  await endCall(withdrawn);
  expect([(await videoOf(withdrawn.id)).status, await objectsOf(withdrawn.id)]).toEqual([404, []]);
});

/** The sentences of the assistant that were heard, in order, as far as they are these. */
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
  // As it comes from the published client (docs/contracts/voice.md §1).
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
  expect(files().sort()).toEqual([`${id}.wav`, `${id}.webm`]);

  await app.resources.database.run('update private.voice_recordings set worker = $2 where call_id = $1', [
    id,
    GONE,
  ]);
  const next = openStore('off');
  await next.recover();
  expect((await settled(id)).videoRecordingStatus).toBe('separate');
  await expect.poll(files).toEqual([]);
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
