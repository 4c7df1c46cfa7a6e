import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readerSandbox } from './reader-run.ts';
import { findSandbox, SANDBOX_PATH } from './reader-sandbox.ts';

/** Code that an attacker could run in the reader; prints one word for each attempt. */
const ATTACK = `
  const [port, server, secret] = process.argv.slice(1);
  const tries = { uid: () => process.getuid(), signal: () => process.kill(Number(server), 0), file: () => require('node:fs').readFileSync(secret, 'utf8') };
  const out = Object.fromEntries(Object.entries(tries).map(([name, attempt]) => { try { return [name, attempt()]; } catch (error) { return [name, error.code]; } }));
  const socket = require('node:net').connect(Number(port), '127.0.0.1');
  const say = (connect) => { console.log(JSON.stringify({ ...out, connect })); process.exit(0); };
  socket.on('connect', () => say('connected')).on('error', (error) => say(error.code));
`;

const isRoot = process.geteuid?.() === 0;

async function attack(): Promise<Record<string, unknown>> {
  const listener = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-sandbox-'));
  onTestFinished(() => {
    listener.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const secret = path.join(folder, 'keys.json');
  writeFileSync(secret, 'a secret of ours', { mode: 0o600 });
  const { port } = listener.address() as net.AddressInfo;
  const { file, args, ...account } = (await readerSandbox()).command(process.execPath, [
    ...['-e', ATTACK, String(port), String(process.pid), secret],
  ]);
  const { stdout } = await promisify(execFile)(file, args, { ...account, env: { PATH: SANDBOX_PATH } });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('attack 25: a reader that was taken over can do no more than its sandbox allows', async ({ skip }) => {
  const { account, offline } = await readerSandbox();
  if (account === 'ours' && !offline)
    skip('This machine gives no sandbox: neither root nor a network namespace of one’s own.');
  const seen = await attack();
  expect(seen.connect).toBe(offline ? 'ENETUNREACH' : 'connected');
  if (account === 'own') {
    expect(seen.uid).toBeGreaterThan(61_000);
    expect(seen).toMatchObject({ signal: 'EPERM', file: 'EACCES' });
  }
});

test('the sandbox is tried, not guessed: code that another account cannot open is read under ours', async ({
  skip,
}) => {
  if (!isRoot) skip('Only root can start a reader under another account.');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const code = path.join(folder, 'reader.ts');
  writeFileSync(code, '');
  expect((await findSandbox([code])).account).toBe('ours');
});
