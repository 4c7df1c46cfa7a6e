import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './product.ts';

const FOLDER = path.join(import.meta.dirname, '..', 'peers');
const PATIENCE_MS = 30_000;

/** A comparison server in its own process. */
export interface Peer {
  readonly port: number;
  stop(): void;
}

/**
 * Installs the packages of `bench/peers` if they are missing. They have their own lock file, because their
 * dependencies conflict with the product's.
 *
 * @throws Error with npm's message
 */
export function installPeers(): void {
  if (existsSync(path.join(FOLDER, 'node_modules', 'better-auth'))) return;
  console.log('Installing the peers (once) ...');
  const args = [
    'ci',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const run = spawnSync('npm', args, { cwd: FOLDER, stdio: ['ignore', 2, 2] });
  if (run.status !== 0) throw new Error("The peers could not be installed: see npm's message above.");
}

/**
 * Starts one of the scripts in `bench/peers`. @throws Error with its output when it ends before it is ready
 */
export async function startPeer(script: string, settings: Record<string, string>): Promise<Peer> {
  installPeers();
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [path.join(FOLDER, script)], {
    cwd: FOLDER,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...settings, PEER_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the peer did not start: ${output}`)), PATIENCE_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output = (output + chunk).slice(-4000);
        if (!output.includes('peer is ready')) return;
        clearTimeout(timer);
        resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`the peer ended with ${code}: ${output}`)));
  });
  return { port, stop: () => void child.kill('SIGKILL') };
}
