import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { composeVideo } from './video-composition.server.ts';

function parts(program: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-video-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string): string => path.join(folder, name);
  return { program, picture: file('a.webm'), sound: file('a.wav'), video: file('a.mp4'), seconds: 1 };
}
/** The parts of a video, with a program of the test that writes to `$out`. */
function written(words: string) {
  const given = parts('');
  const folder = path.dirname(given.video);
  const program = path.join(folder, 'program');
  writeFileSync(program, `#!/bin/sh\nfor out; do :; done\n${words}\n`, { mode: 0o700 });
  return { ...given, program, folder };
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
  // A program that never ends: it writes its process id to a file at once, and then sleeps.
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

test('what an ended process left unfinished is nobody’s any more: a video is begun anew', async () => {
  const given = written('[ -e "$out" ] && exit 3; printf whole > "$out"');
  writeFileSync(`${given.video}.part`, 'half');
  expect(await composeVideo(given, never)).toBeUndefined();
  expect(readFileSync(given.video, 'utf8')).toBe('whole');
  expect(readdirSync(given.folder).sort()).toEqual(['a.mp4', 'program']);
});

test.each([
  ['exit 0', 'no video was written'],
  [': > "$out"', 'no video was written'],
  // A program that stops at its size limit does not fail.
  ['truncate -s 500M "$out"', 'the video would be larger than is stored'],
])('a program that says it is done has to have done it: %s', async (words, failure) => {
  const given = written(words);
  expect(await composeVideo(given, never)).toBe(failure);
  expect(readdirSync(given.folder)).toEqual(['program']);
});

test('a video has its name when the disk has all of it, so that no loss of power leaves half of one', async () => {
  const given = written('printf whole > "$out"');
  const trace = path.join(given.folder, 'trace.json');
  const source = `
    import { composeVideo } from ${JSON.stringify(new URL('./video-composition.server.ts', import.meta.url).href)};
    process.exitCode = (await composeVideo(${JSON.stringify(given)}, new AbortController().signal)) ? 1 : 0;`;
  await promisify(execFile)(process.execPath, [
    ...['--trace-event-categories', 'node.fs.async', '--trace-event-file-pattern', trace],
    ...['--input-type=module', '--eval', source],
  ]);
  const { traceEvents } = JSON.parse(readFileSync(trace, 'utf8')) as {
    traceEvents: { ph: string; name: string }[];
  };
  const done = traceEvents.filter(({ ph, name }) => ph === 'e' && ['fsync', 'rename'].includes(name));
  expect(done.map(({ name }) => name)).toEqual(['fsync', 'rename', 'fsync']);
});
