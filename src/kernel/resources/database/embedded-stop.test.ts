import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { askRows } from '../../../../tests/support/test-database.ts';
import { embeddedCluster, startEmbeddedPostgres } from './embedded-postgres.ts';

/** A last checkpoint of this length, in milliseconds, was seen on a machine under load. */
const CHECKPOINT_MS = 3000;

test('a server whose last checkpoint takes seconds still stops cleanly', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-stop-'));
  // When we are root, PostgreSQL runs under another account, which has to enter the folder.
  chmodSync(folder, 0o711);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const embedded = await startEmbeddedPostgres(folder, 'word');
  const socket = encodeURIComponent(String(embedded.owner.host));
  const [row] = await askRows(
    `postgres://postgres:word@localhost/postgres?host=${socket}`,
    "select pid from pg_stat_activity where backend_type = 'checkpointer'",
  );
  const checkpointer = Number(row?.pid);
  process.kill(checkpointer, 'SIGSTOP');
  const stopped = embedded.stop();
  await pause(CHECKPOINT_MS);
  process.kill(checkpointer, 'SIGCONT');
  await stopped;
  const log = readFileSync(path.join(embeddedCluster(folder).folder, 'server.log'), 'utf8');
  expect(log).toContain('database system is shut down');
  expect(log).not.toContain('immediate shutdown');
});
