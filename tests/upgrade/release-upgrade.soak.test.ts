import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ServiceProcess, upgradeRelease } from '../../src/cli/release/release-upgrade.ts';
import { isReadySoon } from '../../src/cli/release/upgrade-command.ts';
import { reserveFreePort } from '../../src/kernel/http/port-reservation.ts';
import { temporaryFolder } from '../support/servers/product-process.ts';
import { makeSmallRelease } from './small-release.ts';

const PATIENCE_MS = 60_000 * Number(process.env.TEST_PATIENCE ?? 1);
let folder: ReturnType<typeof temporaryFolder>;
let root = '';
let url = '';
let running: ChildProcess | undefined;
const at = (...parts: string[]): string => path.join(root, ...parts);

const service: ServiceProcess = {
  name: 'northline',
  async start() {
    const release = at(readlinkSync(at('opt/northline/current')));
    const env = { PATH: process.env.PATH, NORTHLINE_ENV: at('etc/northline/northline.env') };
    running = spawn(path.join(release, 'bin', 'northline'), ['start'], { env, stdio: 'ignore' });
  },
  async stop() {
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGTERM');
    await ended;
  },
  /** Does not wait for a product that has ended. */
  async ready(settings) {
    const ended = once(running as ChildProcess, 'exit').then(() => false);
    return Promise.race([isReadySoon(settings, PATIENCE_MS), ended]);
  },
};

beforeEach(async () => {
  folder = temporaryFolder('upgrade');
  root = folder.path;
  const { port, release } = await reserveFreePort('127.0.0.1');
  await release();
  url = `http://127.0.0.1:${port}`;
  makeSmallRelease(at('opt/northline/releases/1'), '');
  symlinkSync('/opt/northline/releases/1', at('opt/northline/current'));
  mkdirSync(at('etc/northline'), { recursive: true });
  mkdirSync(at('var/lib/northline'), { recursive: true });
  writeFileSync(
    at('etc/northline/northline.env'),
    `DATA_DIR=${at('data')}\nPORT=${port}\nSIP_LISTEN=off\nRATE_LIMITS=off\nLOG_LEVEL=error\n`,
  );
  await service.start();
  expect(await isReadySoon({ HOST: '127.0.0.1', PORT: port } as never, PATIENCE_MS)).toBe(true);
});
afterEach(async () => {
  await service.stop();
  folder[Symbol.dispose]();
});

const signIn = async (email: string, path = 'token?grant_type=password'): Promise<number> => {
  const keys = JSON.parse(readFileSync(at('data/keys.json'), 'utf8')) as { anon_key: string };
  const headers = { apikey: keys.anon_key, 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password: 'a-long-pass-phrase-51' });
  return (await fetch(`${url}/auth/v1/${path}`, { method: 'POST', headers, body })).status;
};
const upgrade = (release: string, said: string[] = []): Promise<string> =>
  upgradeRelease({
    ...{ root, release: at(release), version: release, processes: [service], account: undefined },
    say: (step) => void said.push(step),
  });

test('the new release runs on the same data, with an earlier backup; the old one stays beside it', async () => {
  expect(await signIn('ada@example.com', 'signup')).toBe(200);
  makeSmallRelease(at('2'), '');
  expect(await upgrade('2')).toContain('/opt/northline/releases/2 runs');
  expect(readlinkSync(at('opt/northline/current'))).toBe('/opt/northline/releases/2');
  expect(existsSync(at('opt/northline/releases/1/bin/northline'))).toBe(true);
  expect(existsSync(at('var/lib/northline/before-upgrade'))).toBe(true);
  expect(await signIn('ada@example.com')).toBe(200);
  await expect(upgrade('2')).rejects.toThrow('is the release that runs already');
});

test('a release that spoils the database and does not start gives way to the old one, and nothing is lost', async () => {
  expect(await signIn('ada@example.com', 'signup')).toBe(200);
  makeSmallRelease(at('3'), `rm -rf ${at('data/postgres/data/base')}\nexit 1`, ['9999_of_the_new_one.sql']);
  const said: string[] = [];
  await expect(upgrade('3', said)).rejects.toThrow(
    '/opt/northline/releases/3 did not become ready: /opt/northline/releases/1 runs again, with everything that it had',
  );
  expect(said.join('\n')).toContain('the database is copied, since the new release changes it');
  expect(readlinkSync(at('opt/northline/current'))).toBe('/opt/northline/releases/1');
  expect(await signIn('ada@example.com')).toBe(200);
});

test('settings that the new release refuses end the upgrade before anything is stopped', async () => {
  writeFileSync(at('etc/northline/northline.env'), `DATA_DIR=${at('data')}\nLOG_LEVLE=info\n`);
  makeSmallRelease(at('4'), '');
  await expect(upgrade('4')).rejects.toThrow(/LOG_LEVLE/);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect(readlinkSync(at('opt/northline/current'))).toBe('/opt/northline/releases/1');
});
