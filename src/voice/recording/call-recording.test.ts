import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { waveHeader } from '@northline/speech/wave-file';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claims, showsSettings } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import {
  askedCall,
  endCall,
  evidenceKinds,
  said,
  typeIn,
} from '../../../tests/support/voice/recordings/recorded-call.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { asBrowser, type TestCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { shareOfTone, tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { openRecordingStore } from './recording-store.server.ts';
import { mendStereoFile, StereoFile } from './stereo-file.server.ts';

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines() });
  folder = path.join(app.resources.settings.DATA_DIR, 'recordings');
});
afterAll(() => app.close());

const ASSISTANT = { firstMessage: 'Hello.', artifactPlan: { recordingEnabled: true } };

const asked = (assistant: object = ASSISTANT): Promise<TestCall> => askedCall(app, assistant);
const files = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
async function sound(id: string, part: string): Promise<Int16Array> {
  const headers = { authorization: `Bearer ${app.resources.keys.voice_private_key}` };
  const reply = await fetch(`${app.url}/voice/v1/call/${id}/${part}-recording`, { headers });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'audio/wav']);
  const bytes = await reply.arrayBuffer();
  expect(bytes.byteLength).toBe(Number(reply.headers.get('content-length')));
  expect(new DataView(bytes).getUint32(40, true)).toBe(bytes.byteLength - 44);
  return new Int16Array(bytes.slice(44));
}
/** Whether some 10 ms of it hold this tone: a stalling machine may interrupt the tone, but not change it. */
const has = (pcm: Int16Array, hertz: number): boolean => {
  for (let at = 0; at + 160 <= pcm.length; at += 80)
    if (shareOfTone(pcm.subarray(at, at + 160), hertz) > 0.9) return true;
  return false;
};
const evidenceOf = (id: string) => evidenceKinds(app, id);

test('a call whose caller agrees is recorded, both sides apart, and its sound goes with it', async () => {
  showsSettings('assistant', 'artifactPlan.recordingEnabled');
  const call = await asked();
  expect(files()).toEqual([]);
  typeIn(call, 'yes');
  await until('it is recorded', () => said(call).includes('recorded from now on'));
  await call.peer.speak(tone(1500, 0.5));
  const over = await endCall(call);
  expect(files()).toEqual([]);
  expect(await evidenceOf(call.id)).toContainEqual(['consent', { to: 'recording', given: true }]);
  expect(over.artifact.recordingUrl).toBe(over.recordingUrl);
  const stored = await fetch(over.stereoRecordingUrl);
  expect([stored.status, (await stored.arrayBuffer()).byteLength > 44_000]).toEqual([200, true]);
  const customer = await sound(call.id, 'customer');
  const assistant = await sound(call.id, 'assistant');
  const mono = await sound(call.id, 'mono');
  expect([has(customer, 1500), has(customer, 300)]).toEqual([true, false]);
  expect([has(assistant, 1500), has(assistant, 300)]).toEqual([false, true]);
  expect([mono.length, (await sound(call.id, 'stereo')).length]).toEqual([
    customer.length,
    customer.length * 2,
  ]);
  expect((await voiceApi(app, 'DELETE', `/call/${call.id}`)).status).toBe(200);
  expect((await voiceApi(app, 'GET', `/call/${call.id}/stereo-recording`)).status).toBe(404);
  expect((await fetch(over.stereoRecordingUrl)).status).toBeGreaterThanOrEqual(400);
});

test('attack 44: who says no, or takes the yes back, leaves no sound, and the evidence says so', async () => {
  claims('Sound is recorded only after you have said yes to it.', 'It records only with consent.');
  const refused = await asked();
  typeIn(refused, 'no');
  await until('the no was heard', () => said(refused).includes('not recorded'));
  expect((await endCall(refused)).recordingUrl).toBeUndefined();
  expect(await evidenceOf(refused.id)).toContainEqual(['consent', { to: 'recording', given: false }]);

  const withdrawn = await asked();
  typeIn(withdrawn, 'yes');
  await until('it is recorded', () => files().length === 1);
  typeIn(withdrawn, 'please stop recording');
  await until('it was deleted', () => files().length === 0);
  expect((await endCall(withdrawn)).recordingUrl).toBeUndefined();
  const evidence = await evidenceOf(withdrawn.id);
  expect(evidence).toContainEqual(['consent', { to: 'recording', given: false }]);
  expect(evidence).toContainEqual(['deleted', { what: 'recording' }]);
  const reply = await voiceApi(app, 'GET', `/call/${withdrawn.id}/mono-recording`);
  expect([reply.status, reply.body.code]).toEqual([404, 'no_recording']);
  expect((await voiceApi(app, 'GET', `/evidence?callId=${withdrawn.id}`)).body.faults).toEqual([]);
});

test('attack 44: one false switches it off, a visitor cannot switch it on, and under HIPAA nobody is asked', async () => {
  showsSettings('assistant', 'recordingEnabled');
  const off = [
    { ...ASSISTANT, recordingEnabled: false },
    { ...ASSISTANT, hipaaEnabled: true },
    { ...ASSISTANT, artifactPlan: { recordingEnabled: false, videoRecordingEnabled: true } },
    { firstMessage: 'Hello.' },
  ];
  for (const assistant of off) {
    const { body } = await voiceApi(app, 'POST', '/call/web', { assistant });
    expect(body.artifactPlan).toEqual({ recordingEnabled: false, videoRecordingEnabled: false });
  }
  const assistantId = app.resources.keys.voice_assistant_id;
  const visitor = await voiceApi(
    app,
    'POST',
    '/call/web',
    { assistantId, assistantOverrides: { recordingEnabled: true } },
    asBrowser(app),
  );
  expect(visitor.status).toBe(403);
});

test('a file can be played at any moment, and what a kill left half is cut off', async () => {
  const file = path.join(app.resources.settings.DATA_DIR, 'half.wav');
  const writing = await StereoFile.create(file);
  await writing.add(new Int16Array(3200).fill(7));
  expect(readFileSync(file).readUInt32LE(40)).toBe(6400);
  await writing.close();
  // As if killed between writing the sound and the header, in the middle of a sample.
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(1001, 1)]));
  expect(await mendStereoFile(file)).toBe(44 + 7400);
  expect(readFileSync(file).readUInt32LE(40)).toBe(7400);
});

test('the recording of a killed process is stored by the next one, old ones expire, leftovers go', async () => {
  showsSettings('assistant', 'artifactPlan.recordingRetentionDays');
  const { resources } = app;
  const { body: call } = await voiceApi(app, 'POST', '/call/web', { assistant: ASSISTANT });
  const noted: string[] = [];
  const recordings = openRecordingStore(resources, async (_queries, callId) => void noted.push(callId));
  onTestFinished(() => recordings.close());
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${call.id}.wav`);
  // The file comes before its row, because the app's own sweep looks for rows whose process is gone.
  writeFileSync(file, Buffer.concat([waveHeader(2, 0), Buffer.alloc(64_000, 3)]));
  expect((await recordings.begin(call.id, { days: 1, video: false })).sound).toBe(file);
  const leftOver = path.join(folder, `${crypto.randomUUID()}.wav`);
  writeFileSync(leftOver, 'x');
  utimesSync(leftOver, 1, 1);
  // A second store in this process does not know the call, like a new process that got the same process id.
  const next = openRecordingStore(resources, async (_queries, callId) => void noted.push(callId));
  // The app's own sweep may have been first.
  await next.recover();
  await expect.poll(() => [existsSync(file), existsSync(leftOver)]).toEqual([false, false]);
  expect((await sound(call.id, 'stereo')).length).toBe(32_000);
  await resources.database.run(
    "update private.voice_recordings set expires_at = now() - interval '1 s' where call_id = $1",
    [call.id],
  );
  expect(await next.expire()).toBe(1);
  expect(noted).toEqual([call.id]);
  expect((await voiceApi(app, 'GET', `/call/${call.id}/stereo-recording`)).status).toBe(404);
});

test('what a process has not stored yet it touches, so that no other of the machine takes it for lost', async () => {
  const { resources } = app;
  const { body: call } = await voiceApi(app, 'POST', '/call/web', { assistant: ASSISTANT });
  const [writing, other] = [0, 1].map(() => openRecordingStore(resources, async () => {}));
  if (writing === undefined || other === undefined) throw new Error('a store is missing');
  onTestFinished(() => writing.close());
  const { sound: file } = await writing.begin(call.id, { days: 1, video: false });
  // For every other store this process is alive; the app's own sweep may have claimed the row before.
  await resources.database.run(
    `insert into private.voice_recordings (call_id, worker, expires_at) values ($1, $2, now() + interval '1 day')
     on conflict (call_id) do update set worker = excluded.worker`,
    [call.id, `${os.hostname()} ${process.ppid}`],
  );
  writeFileSync(file, Buffer.concat([waveHeader(2, 0), Buffer.alloc(64_000, 3)]));
  const written = statSync(file).mtimeMs;
  await until('it is touched, though nothing is written to it', () => statSync(file).mtimeMs > written, 40);
  expect(await other.recover()).not.toContain(call.id);
  await writing.finish(call.id);
  expect(existsSync(file)).toBe(false);
  expect((await sound(call.id, 'stereo')).length).toBe(32_000);
});
