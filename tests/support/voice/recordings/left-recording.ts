import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openEvidence } from '../../../../src/voice/calls/record/evidence.server.ts';
import { waveHeader } from '../../../../src/voice/engines/speech/wave-file.server.ts';
import { GROUND_FRAME } from '../../../../src/voice/recording/ground-frame.server.ts';
import { PictureFile } from '../../../../src/voice/recording/picture-file.server.ts';
import {
  openRecordingStore,
  type RecordingStore,
} from '../../../../src/voice/recording/recording-store.server.ts';
import type { TestApp } from '../../test-app.ts';
import { voiceApi } from '../voice-calls.ts';

/** A process of another machine: nobody here takes its recordings for lost. */
export const ELSEWHERE = 'elsewhere 1';
/** One of this machine that is gone: there are no such numbers. */
export const GONE = `${os.hostname()} 999999999`;

/** Leaves what a process leaves that recorded two seconds of a call: its row, its sound and its picture. Returns the call. */
export async function leaveRecording(app: TestApp, worker: string, assistant: object): Promise<string> {
  const { body: call } = await voiceApi(app, 'POST', '/call/web', { assistant });
  const folder = path.join(app.resources.settings.DATA_DIR, 'recordings');
  await mkdir(folder, { recursive: true });
  const sound = Buffer.concat([waveHeader(2, 0), Buffer.alloc(128_000, 3)]);
  await writeFile(path.join(folder, `${call.id}.wav`), sound);
  const picture = await PictureFile.create(path.join(folder, `${call.id}.webm`));
  for (const at of [0, 1000, 1900]) picture.add({ bytes: GROUND_FRAME, keyframe: true }, at);
  await picture.write();
  await picture.close();
  await app.resources.database.run(
    `insert into private.voice_recordings (call_id, worker, expires_at, video)
     values ($1, $2, now() + interval '1 day', 'recorded')`,
    [call.id, worker],
  );
  return call.id;
}

/** Recordings of an installation as another process would open them, with a program that puts together or `off`. */
export function openOtherStore(app: TestApp, ffmpeg: string): RecordingStore {
  const settings = { ...app.resources.settings, VOICE_FFMPEG: ffmpeg };
  const evidence = openEvidence(app.resources);
  const recordings = openRecordingStore({ ...app.resources, settings }, (queries, callId) =>
    evidence.add(queries, callId, { kind: 'deleted', data: { what: 'recording' } }),
  );
  onTestFinished(() => recordings.close());
  return recordings;
}
