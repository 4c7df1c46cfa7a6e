import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import readline from 'node:readline';
import { createClient } from '@supabase/supabase-js';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../bench/support/product.ts';
import type { ServiceProcess } from '../../src/cli/release/release-upgrade.ts';
import { isReadySoon } from '../../src/cli/release/upgrade-command.ts';
import { sendMixedRequests } from './mixed-requests.ts';
import { install, PATIENCE_MS, startTwoProcesses } from './two-processes.ts';

/** Number of requests in total; issue 11 asks for 100,000. */
const REQUESTS = Number(process.env.ROLLING_REQUESTS ?? 20_000);
const MINUTES = 20;
/**
 * The longest that a request may wait while the only process is upgraded under load, in restarts of the same
 * idle process, its second of draining included: 2 s on a machine where a restart takes 1 s, and more on a
 * slower one.
 */
const MOST_WAITING_RESTARTS = 2;
const HAS_PERL = spawnSync('perl', ['-v']).status === 0;

test(`two processes are upgraded under ${REQUESTS} requests: none fails, no file is lost, and subscribers come back`, {
  timeout: MINUTES * PATIENCE_MS,
}, async () => {
  const { proxy, processes, here, target } = await startTwoProcesses();
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

test('two processes stop together for a release that replaces a migration of theirs, and both run it then', {
  timeout: MINUTES * PATIENCE_MS,
}, async () => {
  const { processes, here } = await startTwoProcesses();
  writeFileSync(here.at('opt/northline/releases/1/migrations/0001_replaced.sql'), '');
  const events: string[] = [];
  const told = processes.map((one) => ({
    ...one,
    async start() {
      events.push(`${one.name} starts`);
      await one.start();
    },
    async stop() {
      events.push(`${one.name} stops`);
      await one.stop();
    },
  }));
  expect(await here.upgrade('2', told)).toContain('/releases/2 runs');
  const names = processes.map(({ name }) => name);
  expect(events).toEqual([...names.map((name) => `${name} stops`), ...names.map((name) => `${name} starts`)]);
});

/**
 * Does what systemd's socket does: holds the address, and passes it to each start of the product as
 * descriptor 3.
 */
const HOLDER = `use Socket; $^F = 10; $| = 1;
socket(S, PF_INET, SOCK_STREAM, 0); setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1);
bind(S, sockaddr_in($ARGV[0], inet_aton("127.0.0.1"))) or die; listen(S, 1024) or die;
POSIX::dup2(fileno(S), 3) if fileno(S) != 3;
while (<STDIN>) {
  if (/start (.*)/) { $pid = fork; if (!$pid) { open STDIN, "</dev/null"; $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_PID} = $$; exec $1, "start" } print "done\\n" }
  if (/stop/) { kill TERM => $pid; waitpid $pid, 0; print "done\\n" }
}`;

test.skipIf(!HAS_PERL)(
  'one process whose address is held is upgraded with no request refused, and the longest waits little longer than a restart takes (skipped without perl)',
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
    const service: ServiceProcess & Required<Pick<ServiceProcess, 'restart'>> = {
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
    const settings = { HOST: '127.0.0.1', PORT: port } as never;
    expect(await service.ready(settings)).toBe(true);
    const begun = performance.now();
    await service.restart();
    expect(await service.ready(settings)).toBe(true);
    const restart = performance.now() - begun;
    const stream = await sendMixedRequests(here.target(`http://127.0.0.1:${port}`));
    stream.longest();
    expect(await here.upgrade('2', [service])).toContain('/releases/2 runs');
    const waited = stream.longest();
    await stream.finish();
    process.stdout.write(
      `one process: ${stream.sent()} requests, the longest waited ${Math.round(waited)} ms; a restart without any took ${Math.round(restart)} ms\n`,
    );
    expect(stream.failures.slice(0, 10)).toEqual([]);
    expect(waited / restart).toBeLessThan(MOST_WAITING_RESTARTS);
  },
);
