import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { WAVE_HEADER } from '@northline/speech/wave-file';
import { expect, onTestFinished, test } from 'vitest';
import { readWebm } from '../../../../tests/support/voice/recordings/webm-reading.ts';
import type { PictureFrame } from '../../media/picture-frames.server.ts';
import { GROUND_FRAME } from '../ground-frame.server.ts';
import { MeetingRecorder } from './meeting-recorder.server.ts';
import { mixTracks, trackFiles } from './track-files.server.ts';

const ID = '4b7c2f0e-6f0a-4f6e-9d9e-1c2d3e4f5a6b';
/** Bytes of a millisecond of one person's sound. */
const BYTES = 32;

test('what a kill would leave is whole to the last two seconds, and who comes later begins after a hole', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-recorder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const failures: unknown[] = [];
  const recorder = new MeetingRecorder({
    failed: (error) => failures.push(error),
    blinded: (error) => failures.push(error),
  });
  onTestFinished(() => recorder.close());
  const [ann, bob] = [trackFiles(folder, ID, 1), trackFiles(folder, ID, 2)];
  const shows: ((frame: PictureFrame) => void)[] = [];
  const camera = {
    watch: (listener: ((frame: PictureFrame) => void) | undefined) => void (listener && shows.push(listener)),
    restart: () => {},
  };
  expect(await recorder.add(1, ann, camera)).toBe(0);
  const talking = setInterval(() => {
    for (const number of [1, 2, 3]) recorder.hear(number, new Int16Array(320).fill(1000));
    for (const show of shows) show({ bytes: GROUND_FRAME, keyframe: true });
  }, 20);
  onTestFinished(() => clearInterval(talking));
  await expect.poll(() => recorder.milliseconds).toBeGreaterThan(1000);
  const from = await recorder.add(2, bob, undefined);
  expect(from).toBeGreaterThan(1000);
  const written = (file: string): number => (statSync(file).size - WAVE_HEADER) / BYTES;
  await expect
    .poll(() => recorder.milliseconds > 4000 && Math.min(written(ann.sound), written(bob.sound)))
    .toBeGreaterThan(2000);
  for (const { sound } of [ann, bob])
    await expect.poll(() => written(sound) - recorder.milliseconds).toBeGreaterThan(-2000);
  await expect
    .poll(async () => readWebm(await readFile(ann.picture)).duration - recorder.milliseconds)
    .toBeGreaterThan(-2000);
  // The files as a killed process leaves them: still open, then mixed by the next process.
  const mixed = path.join(folder, `${ID}.wav`);
  await mixTracks([ann.sound, bob.sound], mixed);
  const sound = await readFile(mixed);
  const sampleAt = (milliseconds: number): number => sound.readInt16LE(WAVE_HEADER + 64 * milliseconds);
  expect(sampleAt(Math.floor(from / 2))).toBeLessThanOrEqual(1000);
  expect(sound.length).toBeGreaterThan(WAVE_HEADER + 2 * BYTES * 2000);

  await recorder.end(2);
  const ended = written(bob.sound);
  await recorder.close();
  expect([written(bob.sound), failures]).toEqual([ended, []]);
});
