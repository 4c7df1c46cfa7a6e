import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readWebm } from '../../../tests/support/voice/recordings/webm-reading.ts';
import type { CameraStream } from '../media/media-transport.server.ts';
import type { PictureFrame } from '../media/picture-frames.server.ts';
import { GROUND_FRAME } from './ground-frame.server.ts';
import { PictureFile } from './picture-file.server.ts';
import { PictureRecorder } from './picture-recorder.server.ts';

function newFile(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-picture-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'call.webm');
}
const frame = (mark: number, keyframe = false): PictureFrame => ({ bytes: Buffer.alloc(50, mark), keyframe });

/** A camera whose frames come from the test. */
class HandCamera implements CameraStream {
  restarts = 0;
  show: ((frame: PictureFrame) => void) | undefined;
  watch(listener: ((frame: PictureFrame) => void) | undefined): void {
    this.show = listener;
  }
  restart(): void {
    this.restarts += 1;
  }
}

test('the picture is WebM with VP8, each frame at its time, in clusters of a second', async () => {
  const file = newFile();
  const writing = await PictureFile.create(file);
  expect(readWebm(readFileSync(file))).toMatchObject({ docType: 'webm', codec: 'V_VP8', size: [1280, 720] });
  writing.add(frame(1, true), 0);
  writing.add(frame(2), 33.4);
  writing.add(frame(3), 33.4);
  writing.add(frame(4), 20);
  writing.add(frame(5), 40_000);
  await writing.write();
  await writing.write();
  await writing.close();
  const { frames, duration } = readWebm(readFileSync(file));
  expect(frames.map(({ at, keyframe, bytes }) => [at, keyframe, bytes[0], bytes.length])).toEqual([
    [0, true, 1, 50],
    [33, false, 2, 50],
    [34, false, 3, 50],
    [35, false, 4, 50],
    [40_000, false, 5, 50],
  ]);
  expect(duration).toBe(40_001);
});

test('what was written can be played at any moment: a file that ends in mid-write has all before it', async () => {
  const file = newFile();
  const writing = await PictureFile.create(file);
  writing.add(frame(1, true), 0);
  await writing.write();
  const first = readFileSync(file);
  expect(readWebm(first).frames).toHaveLength(1);
  writing.add(frame(2), 900);
  await writing.write();
  await writing.close();
  const whole = readFileSync(file);
  for (let length = first.length; length < whole.length; length += 7)
    expect(readWebm(whole.subarray(0, length)).frames.length).toBe(1);
  expect(readWebm(whole).frames).toHaveLength(2);
});

test('the ground stands where the camera shows nothing, and the camera begins anew after it', async () => {
  const file = newFile();
  const camera = new HandCamera();
  let now = 0;
  const recorder = new PictureRecorder(
    camera,
    () => now,
    (error) => expect.unreachable(String(error)),
  );
  recorder.start(await PictureFile.create(file));
  const at = (time: number): void => {
    now = time;
  };
  at(300);
  camera.show?.(frame(1, true));
  at(1000);
  recorder.tick();
  at(1200);
  camera.show?.(frame(2));
  at(2200);
  recorder.tick();
  at(2300);
  camera.show?.(frame(3, true));
  at(2400);
  await recorder.stop();
  expect(camera.show).toBeUndefined();
  const { frames } = readWebm(readFileSync(file));
  const ground = frames.filter(({ bytes }) => bytes.equals(GROUND_FRAME));
  expect(ground.map(({ at: time, keyframe }) => [time, keyframe])).toEqual([
    [0, true],
    [2200, true],
  ]);
  expect(frames.map(({ at: time }) => time)).toEqual([0, 300, 1200, 2200, 2300]);
  expect(camera.restarts).toBe(2);
});

test('a picture that cannot be written ends alone, and says so once', async () => {
  const camera = new HandCamera();
  const failures: string[] = [];
  const recorder = new PictureRecorder(
    camera,
    () => 0,
    (error) => failures.push(String(error)),
  );
  const file = await PictureFile.create(newFile());
  recorder.start(file);
  await file.close();
  recorder.tick();
  await expect.poll(() => failures.length).toBe(1);
  expect(camera.show).toBeUndefined();
  recorder.tick();
  await recorder.stop();
  expect(failures).toHaveLength(1);
});

test('a picture that is as large as can be stored ends with the ground, and says so once', async () => {
  const MEGABYTE = 1024 * 1024;
  const camera = new HandCamera();
  const failures: string[] = [];
  const clock = { now: 0 };
  const recorder = new PictureRecorder(
    camera,
    () => clock.now,
    (error) => failures.push(String(error)),
  );
  const path = newFile();
  recorder.start(await PictureFile.create(path, 4 * MEGABYTE));
  const shown = { bytes: Buffer.alloc(MEGABYTE, 1), keyframe: true };
  for (; camera.show !== undefined && clock.now < 10_000; clock.now += 1000) {
    camera.show(shown);
    recorder.tick();
  }
  expect(failures).toEqual(['Error: it is as large as a picture can be stored']);
  recorder.tick();
  await recorder.stop();
  expect(failures).toHaveLength(1);
  const written = readFileSync(path);
  expect(written.length).toBeLessThan(4 * MEGABYTE);
  const { frames } = readWebm(written);
  expect(frames.map(({ bytes }) => bytes.length)).toEqual([
    GROUND_FRAME.length,
    ...[MEGABYTE, MEGABYTE],
    GROUND_FRAME.length,
  ]);
  expect(frames.at(-1)?.bytes.equals(GROUND_FRAME)).toBe(true);
});

test('who keeps nothing in time is not waited for: the memory of the process is not filled', async () => {
  const camera = new HandCamera();
  const failures: string[] = [];
  const recorder = new PictureRecorder(
    camera,
    () => 0,
    (error) => failures.push(String(error)),
  );
  recorder.start(await PictureFile.create(newFile()));
  for (let at = 0; at < 20; at += 1) camera.show?.({ bytes: Buffer.alloc(1024 * 1024), keyframe: true });
  expect([failures.length, camera.show]).toEqual([1, undefined]);
});
