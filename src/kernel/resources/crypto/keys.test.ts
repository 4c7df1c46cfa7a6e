import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rotateKey } from './key-ring.ts';
import { loadKeys, saveKeys, watchKeys } from './keys.ts';

function dataFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('keys are created once, and only for an empty folder', async () => {
  const folder = dataFolder();
  const made = await loadKeys(folder);
  expect(await loadKeys(folder)).toEqual(made);
});

test('a damaged file is reported, and never with the advice to delete it', async () => {
  const folder = dataFolder();
  writeFileSync(path.join(folder, 'keys.json'), '{"master_secret": "half');
  const said = await loadKeys(folder).catch((error: Error) => error.message);
  expect(said).toContain('restore it from a backup. Do not delete it');
});

test.each(['postgres', 'postgres.location'])(
  'a missing file beside %s does not create new keys',
  async (name) => {
    const folder = dataFolder();
    if (name === 'postgres') mkdirSync(path.join(folder, name));
    else writeFileSync(path.join(folder, name), '/elsewhere\n');
    await expect(loadKeys(folder)).rejects.toThrow(
      'the two belong together: restore keys.json from a backup',
    );
    expect(readdirSync(folder)).toEqual([name]);
  },
);

test('an older file gets its missing derived keys, the same ones at every start', async () => {
  const folder = dataFolder();
  const made = await loadKeys(folder);
  const file = path.join(folder, 'keys.json');
  const { metrics_token: _token, voice_org_id: _org, ...older } = made;
  writeFileSync(file, JSON.stringify(older));
  expect(await loadKeys(folder)).toEqual(made);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(made);
});

test('a signing key with another algorithm is damage', async () => {
  const folder = dataFolder();
  const made = await loadKeys(folder);
  saveKeys(folder, { ...made, signing_key: { ...made.signing_key, alg: 'RS256' } });
  await expect(loadKeys(folder)).rejects.toThrow('is damaged: restore it from a backup');
});

test('a running process follows the file, and keeps its keys while the file cannot be understood', async () => {
  const folder = dataFolder();
  const made = await loadKeys(folder);
  const damage: Error[] = [];
  const watch = watchKeys(folder, (error) => damage.push(error));
  expect(watch.changed()).toBeUndefined();
  const rotated = await rotateKey(made, new Date());
  saveKeys(folder, rotated);
  expect(watch.changed()).toEqual(rotated);
  writeFileSync(path.join(folder, 'keys.json'), '{"master_secret": "half');
  expect([watch.changed(), watch.changed()]).toEqual([undefined, undefined]);
  // Reported once, not at each of the many checks a second.
  expect(damage).toHaveLength(1);
  saveKeys(folder, made);
  expect(watch.changed()).toEqual(made);
});
