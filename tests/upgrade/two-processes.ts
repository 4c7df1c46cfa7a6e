import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../bench/support/product.ts';
import { type ServiceProcess, upgradeRelease } from '../../src/cli/release/release-upgrade.ts';
import { isReadySoon } from '../../src/cli/release/upgrade-command.ts';
import { startEmbeddedPostgres } from '../../src/kernel/resources/database/embedded-postgres.ts';
import { temporaryFolder } from '../support/servers/product-process.ts';
import { startCheckingProxy } from './checking-proxy.ts';
import type { Target } from './mixed-requests.ts';
import { makeSmallRelease } from './small-release.ts';

export const PATIENCE_MS = 60_000 * Number(process.env.TEST_PATIENCE ?? 1);
const DATABASE_PASSWORD = 'rolling-upgrade-51';

/** An installation in a folder that stands for `/`, with the given settings and the release `1`. */
export function install(name: string, settings: readonly string[]) {
  const folder = temporaryFolder(name);
  const at = (...parts: string[]): string => path.join(folder.path, ...parts);
  makeSmallRelease(at('opt/northline/releases/1'), '');
  symlinkSync('/opt/northline/releases/1', at('opt/northline/current'));
  mkdirSync(at('etc/northline'), { recursive: true });
  mkdirSync(at('var/lib/northline'), { recursive: true });
  const common = [`DATA_DIR=${at('data')}`, 'SIP_LISTEN=off', 'RATE_LIMITS=off', 'LOG_LEVEL=error'];
  writeFileSync(at('etc/northline/northline.env'), [...common, ...settings, ''].join('\n'));
  return {
    folder,
    at,
    program: () => at(readlinkSync(at('opt/northline/current')), 'bin/northline'),
    env: { PATH: process.env.PATH ?? '', NORTHLINE_ENV: at('etc/northline/northline.env') },
    target(url: string): Target {
      const keys = JSON.parse(readFileSync(at('data/keys.json'), 'utf8')) as Record<string, string>;
      return { url, anonKey: keys.anon_key ?? '', serviceKey: keys.service_role_key ?? '' };
    },
    upgrade(version: string, processes: readonly ServiceProcess[]): Promise<string> {
      makeSmallRelease(at(version), '');
      return upgradeRelease({
        ...{ root: folder.path, release: at(version), version, processes, account: undefined },
        say: () => {},
      });
    },
  };
}

/** An installation of this test. */
export type Installation = ReturnType<typeof install>;

/** A process of the service that can also be killed. */
export interface KillableProcess extends ServiceProcess {
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
}

/** A process at `port`, run as a supervisor would run it. */
export function processAt({ program, env }: Installation, port: number): KillableProcess {
  let child: ChildProcess | undefined;
  return {
    name: `northline@${port}`,
    async start() {
      child = spawn(program(), ['start'], { env: { ...env, PORT: String(port) }, stdio: 'ignore' });
    },
    async stop() {
      if (child === undefined || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
    async kill() {
      const ended = once(child as ChildProcess, 'exit');
      child?.kill('SIGKILL');
      await ended;
    },
    async ready(settings) {
      const ended = once(child as ChildProcess, 'exit').then(() => false);
      return Promise.race([isReadySoon({ ...settings, PORT: port }, PATIENCE_MS), ended]);
    },
  };
}

/** Two processes on one PostgreSQL behind a proxy; all are ended with the test. */
export async function startTwoProcesses() {
  const database = temporaryFolder('rolling-database');
  onTestFinished(() => database[Symbol.dispose]());
  const postgres = await startEmbeddedPostgres(database.path, DATABASE_PASSWORD);
  onTestFinished(() => postgres.stop());
  const socket = encodeURIComponent(String(postgres.owner.host));
  const ports = [await freePort(), await freePort()] as const;
  const here = install('rolling', [
    `DATABASE_URL=postgres://northline:${DATABASE_PASSWORD}@localhost/northline?host=${socket}`,
    'DATABASE_POOL=6',
    `DRAIN_SECONDS=${Math.ceil(2 * Number(process.env.TEST_PATIENCE ?? 1))}`,
  ]);
  onTestFinished(() => here.folder[Symbol.dispose]());
  const processes = ports.map((port) => processAt(here, port));
  onTestFinished(async () => {
    for (const one of processes) await one.stop();
  });
  for (const one of processes) {
    await one.start();
    expect(await one.ready({ HOST: '127.0.0.1' } as never)).toBe(true);
  }
  const proxy = await startCheckingProxy(here.folder.path, ports);
  onTestFinished(() => proxy.close());
  expect(
    await isReadySoon({ HOST: '127.0.0.1', PORT: Number(new URL(proxy.url).port) } as never, PATIENCE_MS),
  ).toBe(true);
  return { proxy, processes, here, target: here.target(proxy.url) };
}
