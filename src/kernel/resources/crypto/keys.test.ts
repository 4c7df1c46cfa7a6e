import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadKeys } from './keys.ts';

function dataFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('keys are made once, for an empty folder only', async () => {
  const folder = dataFolder();
  const made = await loadKeys(folder);
  expect(await loadKeys(folder)).toEqual(made);
});

test('a damaged file is told, and its deletion is never recommended', async () => {
  const folder = dataFolder();
  writeFileSync(path.join(folder, 'keys.json'), '{"master_secret": "half');
  const said = await loadKeys(folder).catch((error: Error) => error.message);
  expect(said).toContain('restore it from a backup. Do not delete it');
});

test.each(['postgres', 'postgres.location'])('a missing file beside %s makes no new keys', async (name) => {
  const folder = dataFolder();
  if (name === 'postgres') mkdirSync(path.join(folder, name));
  else writeFileSync(path.join(folder, name), '/elsewhere\n');
  await expect(loadKeys(folder)).rejects.toThrow('the two belong together: restore keys.json from a backup');
  expect(readdirSync(folder)).toEqual([name]);
});
