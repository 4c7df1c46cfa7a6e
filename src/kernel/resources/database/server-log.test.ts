import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reasonOf, rotateLog } from './embedded-postgres.ts';

test('a log that is too large starts again, with a copy of the former content beside it', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'server.log');
  rotateLog(file, 10);
  // As pg_ctl opens it for the server.
  const server = openSync(file, 'a');
  writeSync(server, 'short\n');
  rotateLog(file, 10);
  expect(existsSync(`${file}.1`)).toBe(false);
  writeSync(server, 'and long\n');
  rotateLog(file, 10);
  writeSync(server, 'new\n');
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('short\nand long\n');
  expect(readFileSync(file, 'utf8')).toBe('new\n');
  expect(statSync(`${file}.1`).mode & 0o777).toBe(0o600);
  appendFileSync(file, 'twelve bytes\n');
  rotateLog(file, 10);
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('new\ntwelve bytes\n');
});

test('why a server did not start is its own last word, not what it says to those who ask too early', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'server.log');
  const early = ['starting up', 'not accepting connections', 'shutting down'];
  const why = '2026-11-28 [1] FATAL:  recovery ended before configured recovery target was reached';
  const lines = [why, ...early.map((what) => `2026-11-28 [2] FATAL:  the database system is ${what}`)];
  appendFileSync(file, `${lines.join('\n')}\n`);
  expect(reasonOf(file, new Error('pg_ctl failed'))).toBe(why);
});
