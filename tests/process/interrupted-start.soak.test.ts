import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  embeddedCluster,
  startEmbeddedPostgres,
} from '../../src/kernel/resources/database/embedded-postgres.ts';
import {
  findPostgresBinaries,
  serverAccount,
} from '../../src/kernel/resources/database/postgres-binaries.ts';
import { runProduct, temporaryFolder } from '../support/servers/product-process.ts';

const SLOW = 180_000 * Number(process.env.TEST_PATIENCE ?? 1);
const PATIENT = { timeout: SLOW / 3 };
/** Directly from the sources, so that a signal reaches the server itself. */
const COMMAND = [process.execPath, 'src/cli/start.ts'] as const;
const PASSWORD = 'interrupted-start-8';
const account = serverAccount();

function folder(name: string): string {
  const made = temporaryFolder(name);
  onTestFinished(() => made[Symbol.dispose]());
  return made.path;
}

test('a start is killed while it creates its database; the next one, at once, creates its own', {
  timeout: SLOW,
}, async () => {
  const data = path.join(folder('killed-start'), 'data');
  const settings = { DATA_DIR: data };
  const first = runProduct({ command: COMMAND, settings });
  const unfinished = (): string[] => {
    const inside = path.join(data, 'postgres');
    return existsSync(inside) ? readdirSync(inside).filter((name) => name.endsWith('.new')) : [];
  };
  await vi.waitUntil(() => unfinished().length > 0, PATIENT);
  // Its initdb continues without it, and may run for another second.
  first.signal('SIGKILL', 'command');
  const second = runProduct({ command: COMMAND, settings });
  onTestFinished(async () => {
    await second.stop();
    await first.ended;
  });
  expect((await fetch(`${await second.url}/readyz`)).status).toBe(200);
});

test('remains of an older version’s killed first start are in nobody’s way', { timeout: SLOW }, async () => {
  const data = folder('old-leftover');
  const left = path.join(data, 'postgres', 'data.new');
  mkdirSync(left, { recursive: true });
  writeFileSync(path.join(left, 'PG_VERSION'), '18\n');
  if (account) for (const name of [data, path.dirname(left), left]) chownSync(name, account.uid, account.gid);
  const server = await startEmbeddedPostgres(data, PASSWORD);
  onTestFinished(() => server.stop());
  expect(existsSync(left)).toBe(false);
});

test('a start waits for a database that is still recovering when it is adopted', {
  timeout: SLOW,
}, async () => {
  const data = folder('recovering');
  await startEmbeddedPostgres(data, PASSWORD).then((server) => server.stop());
  const cluster = embeddedCluster(data).folder;
  const go = path.join(cluster, 'go');
  // Recovery ends when this file exists; until then nobody may connect.
  const slowly = [
    ['wal_level', 'replica'],
    ['hot_standby', 'off'],
    ['restore_command', `while [ ! -e "${go}" ]; do sleep 0.05; done; false`],
  ];
  appendFileSync(
    path.join(cluster, 'postgresql.auto.conf'),
    slowly.map(([name, value]) => `${name} = '${value}'\n`).join(''),
  );
  const sockets = path.join(path.dirname(cluster), 'socket');
  const control = (...words: string[]): void => {
    execFileSync(
      path.join(findPostgresBinaries(account).native, 'bin', 'pg_ctl'),
      ['-D', cluster, ...words],
      {
        ...(account ?? {}),
        cwd: '/',
        env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
        stdio: 'ignore',
      },
    );
  };
  const start = [
    '-l',
    path.join(cluster, 'by-hand.log'),
    '-o',
    `-c listen_addresses= -c unix_socket_directories=${sockets}`,
  ];
  // Once in the normal way, so that its writes can be recovered at all.
  control(...start, '-w', 'start');
  control('-m', 'fast', '-w', 'stop');
  const signal = path.join(cluster, 'recovery.signal');
  writeFileSync(signal, '');
  if (account) chownSync(signal, account.uid, account.gid);
  onTestFinished(() => {
    try {
      control('-m', 'immediate', '-w', 'stop');
    } catch {
      // It was stopped, as it should be.
    }
  });
  control(...start, '-W', 'start');
  const code = async (): Promise<string | undefined> => {
    const client = new pg.Client({
      host: sockets,
      user: 'postgres',
      password: PASSWORD,
      database: 'postgres',
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return 'in';
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await client.end().catch(() => {});
    }
  };
  await expect.poll(code, PATIENT).toBe('57P03');

  const adopting = startEmbeddedPostgres(data, PASSWORD);
  // Time enough to be refused once; it has to succeed whenever recovery ends.
  await pause(500);
  expect(await code()).toBe('57P03');
  writeFileSync(go, '');
  const server = await adopting;
  onTestFinished(() => server.stop());
  expect(await code()).toBe('in');
});
