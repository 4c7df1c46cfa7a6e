import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { createClient } from '@supabase/supabase-js';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../bench/support/product.ts';
import { type ServiceProcess, upgradeRelease } from '../../src/cli/release/release-upgrade.ts';
import { isReadySoon } from '../../src/cli/release/upgrade-command.ts';
import { startEmbeddedPostgres } from '../../src/kernel/resources/database/embedded-postgres.ts';
import { temporaryFolder } from '../support/servers/product-process.ts';
import { startCheckingProxy } from './checking-proxy.ts';
import { sendMixedRequests, type Target } from './mixed-requests.ts';
import { makeSmallRelease } from './small-release.ts';

/** How many requests go through in all; issue 11 asks for 100,000. */
const REQUESTS = Number(process.env.ROLLING_REQUESTS ?? 20_000);
const MINUTES = 20;
const PATIENCE_MS = 60_000 * Number(process.env.TEST_PATIENCE ?? 1);
const DATABASE_PASSWORD = 'rolling-upgrade-51';
/** The longest that a request waits while the only process restarts, milliseconds. */
const MOST_WAITING_MS = 2000;
const HAS_PERL = spawnSync('perl', ['-v']).status === 0;

/** An installation in a folder that stands for `/`, with the settings given and the release `1`. */
function install(name: string, settings: readonly string[]) {
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

type Installation = ReturnType<typeof install>;

/** A process at `port` as a supervisor runs it. */
function processAt({ program, env }: Installation, port: number): ServiceProcess {
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
    async ready(settings) {
      const ended = once(child as ChildProcess, 'exit').then(() => false);
      return Promise.race([isReadySoon({ ...settings, PORT: port }, PATIENCE_MS), ended]);
    },
  };
}

test(`two processes are upgraded under ${REQUESTS} requests: none fails, no file is lost, and subscribers come back`, {
  timeout: MINUTES * PATIENCE_MS,
}, async () => {
  using database = temporaryFolder('rolling-database');
  const postgres = await startEmbeddedPostgres(database.path, DATABASE_PASSWORD);
  onTestFinished(() => postgres.stop());
  const socket = encodeURIComponent(String(postgres.owner.host));
  const ports = [await freePort(), await freePort()] as const;
  const here = install('rolling', [
    `DATABASE_URL=postgres://northline:${DATABASE_PASSWORD}@localhost/northline?host=${socket}`,
    'DATABASE_POOL=6',
    'DRAIN_SECONDS=2',
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
  const target = here.target(proxy.url);

  const client = createClient(target.url, target.anonKey);
  onTestFinished(() => client.removeAllChannels().then(() => {}));
  const heard: unknown[] = [];
  const joined = Promise.withResolvers<void>();
  client
    .channel('rolling')
    .on('broadcast', { event: 'word' }, ({ payload }) => heard.push(payload))
    .subscribe((status) => status === 'SUBSCRIBED' && joined.resolve());
  await joined.promise;

  const stream = await sendMixedRequests(target);
  let version = 2;
  do {
    expect(await here.upgrade(String(version), processes)).toContain(`/releases/${version} runs`);
    version += 1;
  } while (stream.sent() < REQUESTS && stream.failures.length === 0);
  const sent = stream.sent();
  const longest = stream.longest();
  await stream.finish();
  process.stdout.write(
    `${proxy.name}: ${sent} requests over ${version - 2} upgrades, ${stream.failures.length} failed, the longest took ${Math.round(longest)} ms\n`,
  );
  expect(stream.failures.slice(0, 10)).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  const speaker = createClient(target.url, target.serviceKey);
  await expect
    .poll(
      async () => {
        await speaker.channel('rolling').httpSend('word', { said: 'after' });
        return heard.length;
      },
      { timeout: PATIENCE_MS },
    )
    .toBeGreaterThan(0);
});

/** What systemd's socket does: holds the address, and hands it to each life of the product as descriptor 3. */
const HOLDER = `use Socket; $^F = 10; $| = 1;
socket(S, PF_INET, SOCK_STREAM, 0); setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1);
bind(S, sockaddr_in($ARGV[0], inet_aton("127.0.0.1"))) or die; listen(S, 1024) or die;
POSIX::dup2(fileno(S), 3) if fileno(S) != 3;
while (<STDIN>) {
  if (/start (.*)/) { $pid = fork; if (!$pid) { open STDIN, "</dev/null"; $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_PID} = $$; exec $1, "start" } print "done\\n" }
  if (/stop/) { kill TERM => $pid; waitpid $pid, 0; print "done\\n" }
}`;

test.skipIf(!HAS_PERL)(
  'one process whose address is held is upgraded with no request refused, and the longest waits 2 s at most (skipped without perl)',
  { timeout: MINUTES * PATIENCE_MS },
  async () => {
    const port = await freePort();
    const here = install('held', [`PORT=${port}`, 'DRAIN_SECONDS=1']);
    onTestFinished(() => here.folder[Symbol.dispose]());
    const holder = spawn('perl', ['-MPOSIX', '-e', HOLDER, String(port)], {
      env: here.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const lines = readline.createInterface({ input: holder.stdout })[Symbol.asyncIterator]();
    const tell = async (word: string): Promise<void> => {
      holder.stdin.write(`${word}\n`);
      await lines.next();
    };
    const service: ServiceProcess = {
      name: 'northline',
      start: () => tell(`start ${here.program()}`),
      stop: () => tell('stop'),
      async restart() {
        await service.stop();
        await service.start();
      },
      ready: (settings) => isReadySoon(settings, PATIENCE_MS),
    };
    onTestFinished(async () => {
      await service.stop();
      const ended = once(holder, 'exit');
      holder.stdin.end();
      await ended;
    });
    await service.start();
    expect(await service.ready({ HOST: '127.0.0.1', PORT: port } as never)).toBe(true);
    const stream = await sendMixedRequests(here.target(`http://127.0.0.1:${port}`));
    stream.longest();
    expect(await here.upgrade('2', [service])).toContain('/releases/2 runs');
    const waited = stream.longest();
    await stream.finish();
    process.stdout.write(
      `one process: ${stream.sent()} requests, the longest waited ${Math.round(waited)} ms\n`,
    );
    expect(stream.failures.slice(0, 10)).toEqual([]);
    expect(waited).toBeLessThan(MOST_WAITING_MS * Number(process.env.TEST_PATIENCE ?? 1));
  },
);
