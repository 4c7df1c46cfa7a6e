import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { waveHeader } from '@northline/speech/wave-file';
import { onTestFinished } from 'vitest';
import { openEvidence } from '../../../../src/voice/calls/record/evidence.server.ts';
import { GROUND_FRAME } from '../../../../src/voice/recording/ground-frame.server.ts';
import { trackFiles } from '../../../../src/voice/recording/meeting/track-files.server.ts';
import { PictureFile } from '../../../../src/voice/recording/picture-file.server.ts';
import {
  openRecordingStore,
  type RecordingStore,
} from '../../../../src/voice/recording/recording-store.server.ts';
import { StereoFile } from '../../../../src/voice/recording/stereo-file.server.ts';
import type { TestApp } from '../../test-app.ts';
import { voiceApi } from '../voice-calls.ts';
import { HAS_FFMPEG } from './ffmpeg.ts';
import { vp8Frame } from './vp8-frame.ts';

/** A process on another machine, whose recordings nobody here takes for lost. */
export const ELSEWHERE = 'elsewhere 1';
/** A process on this machine that is gone: no process has this number. */
export const GONE = `${os.hostname()} 999999999`;

/**
 * Leaves what a process leaves that recorded two seconds of a call: its row, its sound and its picture.
 * Returns the call.
 */
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

/**
 * Leaves what a process leaves that was killed during the second second of recording two people in a meeting.
 * Returns the recording.
 */
export async function leaveMeeting(app: TestApp, worker: string): Promise<string> {
  const id = randomUUID();
  const folder = path.join(app.resources.settings.DATA_DIR, 'recordings');
  await mkdir(folder, { recursive: true });
  await (await StereoFile.create(path.join(folder, `${id}.wav`))).close();
  const shown = HAS_FFMPEG ? vp8Frame('red', 320, 180) : GROUND_FRAME;
  for (const number of [1, 2]) {
    const files = trackFiles(folder, id, number);
    const sound = await StereoFile.create(files.sound, { channels: 1, from: (number - 1) * 1000 });
    await sound.add(new Int16Array(16_000 * (3 - number)).fill(1000));
    await sound.close();
    const picture = await PictureFile.create(files.picture);
    for (const at of [0, 500, 1000, 1500])
      picture.add({ bytes: at > 0 ? shown : GROUND_FRAME, keyframe: true }, at);
    await picture.write();
    await picture.close();
  }
  const person = (number: number) => ({
    ...{ number, session_id: randomUUID(), user_id: 'u', user_name: `Person ${number}` },
    ...{ from: number - 1, to: null },
  });
  const body = {
    ...{ room_id: randomUUID(), room_name: 'left', started_by: 'somebody', video: true },
    ...{ participants: [person(1), person(2)], scenes: [{ at: 0, layout: 'grid' }] },
  };
  const { database } = app.resources;
  await database.run("insert into private.voice_records (id, kind, body) values ($1, 'recording', $2)", [
    id,
    JSON.stringify(body),
  ]);
  await database.run(
    `insert into private.voice_recordings (call_id, worker, expires_at, video)
     values ($1, $2, now() + interval '1 day', 'recorded')`,
    [id, worker],
  );
  return id;
}

/**
 * The recordings of an installation as another process would open them, with the program that joins picture
 * and sound, or `off`.
 */
export function openOtherStore(app: TestApp, ffmpeg: string): RecordingStore {
  const settings = { ...app.resources.settings, VOICE_FFMPEG: ffmpeg };
  const evidence = openEvidence(app.resources);
  const recordings = openRecordingStore({ ...app.resources, settings }, (queries, callId) =>
    evidence.add(queries, callId, { kind: 'deleted', data: { what: 'recording' } }),
  );
  onTestFinished(() => recordings.close());
  return recordings;
}
