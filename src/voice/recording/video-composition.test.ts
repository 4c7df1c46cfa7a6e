import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { composeVideo } from './video-composition.server.ts';

function parts(program: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-video-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string): string => path.join(folder, name);
  return { program, picture: file('a.webm'), sound: file('a.wav'), video: file('a.mp4'), seconds: 1 };
}
const never = new AbortController().signal;

test('without the program, or where it fails, there is no video, and a word why', async () => {
  const missing = parts('/nowhere/ffmpeg');
  expect(await composeVideo(missing, never)).toBe('/nowhere/ffmpeg is not installed');
  const failing = parts(process.execPath);
  expect(await composeVideo(failing, never)).toMatch(/ended with 9: .*bad option/s);
  expect([missing, failing].map(({ video }) => existsSync(video) || existsSync(`${video}.part`))).toEqual([
    false,
    false,
  ]);
});

test('it ends with the process that wants it', async () => {
  const ending = new AbortController();
  ending.abort(new Error('this process ends'));
  await expect(composeVideo(parts(process.execPath), ending.signal)).rejects.toThrow('this process ends');
});
