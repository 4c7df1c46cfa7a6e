import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { WAVE_HEADER } from '@northline/speech/wave-file';
import { expect, onTestFinished, test } from 'vitest';
import { colourAt, HAS_FFMPEG, probe } from '../../../../tests/support/voice/recordings/ffmpeg.ts';
import { vp8Frame } from '../../../../tests/support/voice/recordings/vp8-frame.ts';
import { tone } from '../../../../tests/support/voice/voice-peer.ts';
import { GROUND_FRAME } from '../ground-frame.server.ts';
import { PictureFile } from '../picture-file.server.ts';
import { StereoFile } from '../stereo-file.server.ts';
import { planComposition } from './composition-plan.server.ts';
import { composeMeeting } from './meeting-composition.server.ts';
import { mixTracks, type TrackFiles, trackFiles, trackNumbers } from './track-files.server.ts';

const ID = '4b7c2f0e-6f0a-4f6e-9d9e-1c2d3e4f5a6b';
const never = new AbortController().signal;

function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-meeting-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A sound file of somebody who joins at `from` (milliseconds). */
async function voice(file: string, from: number, pcm: Int16Array): Promise<void> {
  const sound = await StereoFile.create(file, { channels: 1, from });
  await sound.add(pcm);
  await sound.close();
}

/**
 * A picture file of somebody's camera from a moment on, four frames a second, with the ground before, as the
 * recorder writes it.
 */
async function camera(
  file: string,
  shown: readonly [from: number, to: number, frame: Buffer][],
): Promise<void> {
  const picture = await PictureFile.create(file);
  picture.add({ bytes: GROUND_FRAME, keyframe: true }, 0);
  for (const [from, to, bytes] of shown)
    for (let at = from; at < to; at += 250) picture.add({ bytes, keyframe: true }, at);
  await picture.write();
  await picture.close();
}

/** The loudest sample of each side of a mixed file between two times, seconds. */
async function loudest(file: string, from: number, to: number): Promise<[left: number, right: number]> {
  const bytes = await readFile(file);
  const most: [number, number] = [0, 0];
  for (
    let at = WAVE_HEADER + from * 64_000;
    at < Math.min(bytes.length, WAVE_HEADER + to * 64_000);
    at += 4
  ) {
    most[0] = Math.max(most[0], Math.abs(bytes.readInt16LE(at)));
    most[1] = Math.max(most[1], Math.abs(bytes.readInt16LE(at + 2)));
  }
  return most;
}

test('voices are mixed at their moments, the same on both sides; a header that a kill left behind says nothing', async () => {
  const folder = newFolder();
  const [ann, bob] = [trackFiles(folder, ID, 1), trackFiles(folder, ID, 12)];
  await voice(ann.sound, 0, new Int16Array(16_000).fill(1000));
  await voice(bob.sound, 2500, new Int16Array(16_000).fill(30_000));
  const mixed = path.join(folder, `${ID}.wav`);
  expect(await trackNumbers(folder, ID, 'wav')).toEqual([1, 12]);
  await mixTracks([ann.sound, bob.sound], mixed);
  expect((await readFile(mixed)).length).toBe(WAVE_HEADER + 3.5 * 64_000);
  expect(await loudest(mixed, 0, 1)).toEqual([1000, 1000]);
  expect(await loudest(mixed, 1, 2.5)).toEqual([0, 0]);
  expect(await loudest(mixed, 2.5, 3.5)).toEqual([30_000, 30_000]);
  // Sums that are too loud are limited; the next process mixes again from the start.
  await copyFile(bob.sound, ann.sound);
  await mixTracks([ann.sound, bob.sound], mixed);
  expect(await loudest(mixed, 2.5, 3.5)).toEqual([32_767, 32_767]);
});

test.skipIf(!HAS_FFMPEG)(
  'people are composed to one file: tiles on the ground while they are in, all voices mixed',
  async () => {
    const folder = newFolder();
    const numbers = [1, 2, 3];
    const tracks = new Map<number, TrackFiles>(numbers.map((n) => [n, trackFiles(folder, ID, n)]));
    const files = (n: number): TrackFiles => tracks.get(n) ?? trackFiles(folder, ID, n);
    for (const n of numbers) await voice(files(n).sound, n * 500, tone(300 * n, 6 - n * 0.5));
    // One camera changes its size as browsers do, one is narrow, and one joins later and switches itself off.
    await camera(files(1).picture, [
      [0, 3000, vp8Frame('red', 640, 360)],
      [3000, 6000, vp8Frame('red', 320, 180)],
    ]);
    await camera(files(2).picture, [[0, 6000, vp8Frame('lime', 240, 320)]]);
    await camera(files(3).picture, [
      [2000, 4000, vp8Frame('blue', 1280, 720)],
      [4000, 6000, GROUND_FRAME],
    ]);
    const sound = path.join(folder, `${ID}.wav`);
    await mixTracks(
      numbers.map((n) => files(n).sound),
      sound,
    );
    const person = (number: number, from: number, to: number | null) => ({
      ...{ number, session_id: '', user_id: '', user_name: '', from, to },
    });
    const people = [person(1, 0, null), person(2, 0, null), person(3, 2, null)];
    const plan = planComposition(
      people,
      [
        { at: 0, layout: 'grid' },
        { at: 5, layout: 'single', shown: 1 },
      ],
      6,
    );
    const video = path.join(folder, `${ID}.mp4`);
    const parts = { program: 'ffmpeg', tracks, plan, sound, video, seconds: 6 };
    expect(await composeMeeting(parts, never)).toBeUndefined();
    const { streams, seconds } = await probe(video);
    expect(streams).toEqual(['h264 1280x720', 'aac']);
    expect(seconds).toBeCloseTo(6, 0);
    const at = async (time: number, place: readonly [number, number]): Promise<string> => {
      const [red, green, blue] = await colourAt(video, time, place);
      const near = (wanted: readonly number[]): boolean =>
        [red, green, blue].every((value, n) => Math.abs(value - (wanted[n] ?? 0)) < 24);
      if (near([31, 45, 61])) return 'ground';
      return red > 150 ? 'red' : green > 150 ? 'green' : blue > 150 ? 'blue' : `${red} ${green} ${blue}`;
    };
    // Two people side by side, the narrow picture with the ground around it.
    expect(
      await Promise.all([at(1, [320, 360]), at(1, [960, 360]), at(1, [700, 360]), at(1, [320, 50])]),
    ).toEqual([...['red', 'green', 'ground', 'ground']]);
    // The third person has joined: two tiles above, one in the middle below.
    expect(
      await Promise.all([at(3.6, [320, 180]), at(3.6, [960, 180]), at(3.6, [640, 540]), at(3.6, [60, 540])]),
    ).toEqual([...['red', 'green', 'blue', 'ground']]);
    // Their camera is off: the ground replaces the last picture. After that one person fills the picture.
    expect(await at(4.7, [640, 540])).toBe('ground');
    expect(await Promise.all([at(5.5, [100, 100]), at(5.5, [1200, 600])])).toEqual(['red', 'red']);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  },
);

test('without the program there is no video, and a word why', async () => {
  const folder = newFolder();
  const tracks = new Map([[1, trackFiles(folder, ID, 1)]]);
  const plan = planComposition(
    [{ number: 1, session_id: '', user_id: '', user_name: '', from: 0, to: null }],
    [{ at: 0, layout: 'grid' }],
    1,
  );
  const video = path.join(folder, `${ID}.mp4`);
  const parts = { program: '/nowhere/ffmpeg', tracks, plan, sound: '', video, seconds: 1 };
  expect(await composeMeeting(parts, never)).toBe('/nowhere/ffmpeg is not installed');
  expect(existsSync(video)).toBe(false);
});
