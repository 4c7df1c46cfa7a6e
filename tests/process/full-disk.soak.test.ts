import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CREDIT_DESCRIPTION, UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { type OutageWorld, openEmbeddedWorld } from '../outages/outage-world.ts';
import { type Customer, createCustomer } from '../outages/watch-product.ts';
import { temporaryFolder } from '../support/servers/product-process.ts';

const SLOW = 180_000 * Number(process.env.TEST_PATIENCE ?? 1);
const PATIENT = { timeout: SLOW / 2 };
const DISK_MB = 256;
/** A file of the write-ahead log has 16 MB, and five of them are kept for reuse. */
const MOST_LOG_MB = 300;

/** A separate disk, or undefined when this account may not mount one. */
function mountSmallDisk(): ReturnType<typeof temporaryFolder> | undefined {
  const folder = temporaryFolder('small-disk');
  try {
    const options = `size=${DISK_MB}m,mode=711`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'northline', folder.path], { stdio: 'ignore' });
  } catch {
    folder[Symbol.dispose]();
    return undefined;
  }
  let mounted = true;
  return {
    path: folder.path,
    [Symbol.dispose]() {
      if (!mounted) return;
      mounted = false;
      execFileSync('umount', ['--lazy', folder.path]);
      folder[Symbol.dispose]();
    },
  };
}

/** Writes until not even one page fits. */
function fill(file: string): void {
  for (const bytes of [1024 * 1024, 4096]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes, 'x'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }
}

/** Writes only to the write-ahead log until the database gives up. */
async function fillLog(world: OutageWorld): Promise<void> {
  const client = await world.connect();
  const write = async (): Promise<void> => {
    for (let megabyte = 0; megabyte < MOST_LOG_MB; megabyte += 1)
      await client.query("select pg_logical_emit_message(true, 'full', repeat('x', 1000000))");
  };
  await expect(write()).rejects.toThrow();
  await client.end().catch(() => {});
}

function upload(world: OutageWorld, { id, token }: Customer): Promise<Response> {
  return fetch(`${world.url}/storage/v1/object/${UPLOADS_BUCKET}/${id}/full.txt`, {
    method: 'POST',
    headers: { apikey: world.anonKey, authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body: 'harbour lantern '.repeat(100_000),
  });
}

test('a full disk, also for the write-ahead log, ends nothing for good: with space again everything works', {
  timeout: SLOW,
}, async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip('This account may not mount a small disk (root may).');
  const world = await openEmbeddedWorld({ DISK_MIN_FREE_MB: '5' }, disk).catch((error) => {
    disk[Symbol.dispose]();
    throw error;
  });
  onTestFinished(() => world.close());
  const customer = await createCustomer(world, 'owner');
  const readiness = async (): Promise<unknown> => {
    const reply = await fetch(`${world.url}/readyz`);
    return [reply.status, ((await reply.json()) as { status: string }).status];
  };
  await expect.poll(readiness, PATIENT).toEqual([200, 'ready']);
  const spent: string[] = [];
  const spend = (name: string): Promise<boolean> =>
    customer.spend(name).then(
      () => spent.push(name) > 0,
      () => false,
    );
  expect([await spend('before'), await spend(CREDIT_DESCRIPTION)]).toEqual([true, true]);

  const ballast = path.join(disk.path, 'ballast');
  fill(ballast);
  await expect.poll(readiness, PATIENT).toEqual([503, 'disk full']);
  expect((await upload(world, customer)).status).toBe(503);
  await spend('full');
  await fillLog(world);
  await spend('the log is full');
  expect((await fetch(`${world.url}/livez`)).status).toBe(200);

  rmSync(ballast);
  await expect.poll(readiness, PATIENT).toEqual([200, 'ready']);
  // A failed spending may have been made all the same, so each has its own description.
  await expect.poll(() => spend(`after ${spent.length} ${performance.now()}`), PATIENT).toBe(true);
  const [books] = await world.ask<{ balance: number; ledger: number; told: string[] }>(
    `select c.credits as balance, sum(t.amount) filter (where t.state <> 'returned')::int as ledger,
            array_agg(t.description) filter (where t.kind = 'spend') as told
       from public.customers c join public.credit_transactions t on t.customer_row = c.id
      where c.user_id = $1 group by c.id`,
    [customer.id],
  );
  expect(books?.balance).toBe(books?.ledger);
  for (const name of spent) expect(books?.told.filter((one) => one === name)).toHaveLength(1);
});
