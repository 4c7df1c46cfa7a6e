import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { askOnce, createProcessClient, createThreadClient } from './worker-client.server.ts';

const SERVER = pathToFileURL(
  path.join(path.dirname(fileURLToPath(import.meta.url)), 'worker-server.server.ts'),
);
/** Doubles numbers; ends at 0, fails at 1, needs too much memory at 2, and refuses what is negative. */
const WORKER = `import { serveWorkerRequests } from '${SERVER}';
serveWorkerRequests(async ({ number }) => {
  if (number === 0) process.exit(1);
  if (number === 1) setImmediate(() => { throw new Error('a fault of its own'); });
  if (number === 1) await new Promise(() => {});
  if (number === 2) JSON.parse('[' + '{"a":[1,2,3]},'.repeat(6e6) + '1]');
  if (number < 0) throw new Error('not below nought');
  return number * 2;
});`;

function workerFile(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const entry = path.join(folder, 'double.mjs');
  writeFileSync(entry, WORKER);
  return entry;
}

test.for([
  ['thread', createThreadClient, 'a fault of its own'],
  ['process', createProcessClient, 'The worker ended.'],
] as const)(
  'a %s that ends fails only its open requests, and the next request starts another',
  async ([, create, fault]) => {
    const worker = create<{ number: number }, number>(workerFile());
    onTestFinished(() => worker.close());
    expect(await worker.ask({ number: 21 })).toBe(42);
    await expect(worker.ask({ number: -1 })).rejects.toThrow('not below nought');
    const both = [worker.ask({ number: 0 }), worker.ask({ number: 3 })];
    for (const { status, reason } of (await Promise.allSettled(both)) as PromiseRejectedResult[])
      expect([status, String(reason)]).toEqual(['rejected', 'Error: The worker ended.']);
    await expect(worker.ask({ number: 1 })).rejects.toThrow(fault);
    expect(await worker.ask({ number: 4 })).toBe(8);
    const open = worker.ask({ number: 1 });
    await Promise.all([worker.close(), expect(open).rejects.toThrow('The worker was closed.')]);
  },
);

test('a request that needs too much memory fails alone: a thread would end the whole process', async () => {
  const entry = workerFile();
  await expect(askOnce(entry, { number: 2 }, { heapMb: 64 })).rejects.toThrow('The worker ended.');
  expect(await askOnce(entry, { number: 3 })).toBe(6);
});
