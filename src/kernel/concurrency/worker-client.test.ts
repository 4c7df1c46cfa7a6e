import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkerClient } from './worker-client.server.ts';

const SERVER = pathToFileURL(
  path.join(path.dirname(fileURLToPath(import.meta.url)), 'worker-server.server.ts'),
);
/** Doubles numbers; ends at 0, and refuses what is negative. */
const WORKER = `import { serveWorkerRequests } from '${SERVER}';
serveWorkerRequests(async ({ number }) => {
  if (number === 0) process.exit(1);
  if (number === 1) setImmediate(() => { throw new Error('a fault of its own'); });
  if (number === 1) await new Promise(() => {});
  if (number < 0) throw new Error('not below nought');
  return number * 2;
});`;

test('a worker that ends fails only its open requests, and the next request starts another worker', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-worker-'));
  const entry = path.join(folder, 'double.mjs');
  writeFileSync(entry, WORKER);
  const worker = createWorkerClient<{ number: number }, number>(entry);
  onTestFinished(async () => {
    await worker.close();
    rmSync(folder, { recursive: true, force: true });
  });
  expect(await worker.ask({ number: 21 })).toBe(42);
  await expect(worker.ask({ number: -1 })).rejects.toThrow('not below nought');
  const both = [worker.ask({ number: 0 }), worker.ask({ number: 2 })];
  for (const { status, reason } of (await Promise.allSettled(both)) as PromiseRejectedResult[])
    expect([status, String(reason)]).toEqual(['rejected', 'Error: The worker ended.']);
  await expect(worker.ask({ number: 1 })).rejects.toThrow('a fault of its own');
  expect(await worker.ask({ number: 4 })).toBe(8);
  const open = worker.ask({ number: 1 });
  await Promise.all([worker.close(), expect(open).rejects.toThrow('The worker was closed.')]);
});
