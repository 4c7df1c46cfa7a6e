import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDiskObjectStore } from './disk-object-store.ts';
import { rememberNewObjects } from './new-objects.ts';

test('bytes that wait for their copy are deleted after it, or when the wait is given up', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-new-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = openDiskObjectStore(folder);
  const { objects, newObjects } = rememberNewObjects(store);
  newObjects.watch();
  const keep = async (): Promise<string> => {
    const id = randomUUID();
    const bytes = (async function* () {
      yield Buffer.from('rent');
    })();
    await objects.keep(await objects.receive(id, bytes, { inspect() {} }));
    await objects.remove(id);
    return id;
  };
  const kept = () => Array.fromAsync(store.kept());
  const copied = await keep();
  const left = await keep();
  expect((await kept()).sort()).toEqual([copied, left].sort());
  await newObjects.copied(copied);
  await newObjects.giveUp(3600 * 1000);
  expect(await kept()).toEqual([left]);
  await newObjects.giveUp(0);
  expect(await kept()).toEqual([]);
  expect(newObjects.waiting()).toEqual([]);
});
