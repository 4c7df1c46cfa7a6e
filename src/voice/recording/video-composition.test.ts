import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  const given = parts('');
  const [program, begun] = [`${given.video}.sh`, `${given.video}.pid`];
  // A program that is never done: it says who it is, whole, and goes on.
  const script = `#!/bin/sh\necho $$ > '${begun}.new'\nmv '${begun}.new' '${begun}'\nexec sleep 86400\n`;
  writeFileSync(program, script, { mode: 0o700 });
  const ending = new AbortController();
  const composing = composeVideo({ ...given, program }, ending.signal);
  const ended = expect(composing).rejects.toThrow('this process ends');
  await expect.poll(() => existsSync(begun)).toBe(true);
  ending.abort(new Error('this process ends'));
  await ended;
  const pid = Number(readFileSync(begun, 'utf8'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('one that is not wanted any more makes nothing', async () => {
  const given = parts(process.execPath);
  const ended = AbortSignal.abort(new Error('this process ends'));
  await expect(composeVideo(given, ended)).rejects.toThrow('this process ends');
  expect(existsSync(given.video)).toBe(false);
});
