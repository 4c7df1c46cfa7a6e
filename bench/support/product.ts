import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** The product in its own process on a fresh data folder. */
export interface Product {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly process: ChildProcess;
  readonly anonKey: string;
  readonly serviceKey: string;
  /** Milliseconds from the spawn to the line that says that it is ready. */
  readonly startMs: number;
  /** Sends SIGTERM and waits. */
  stop(): Promise<void>;
  /** Sends SIGKILL, like a crash. */
  kill(): Promise<void>;
}

/** A free port of this machine. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** A fresh data folder in the machine's temporary folder. */
export function freshDataDir(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-run-'));
  // Readable for the account that the database runs under when we are root.
  chmodSync(folder, 0o755);
  return folder;
}

/** Removes a data folder. */
export function removeDataDir(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Starts the product and waits until it serves; port 0 means a free one. A restart uses the same `port`.
 *
 * @throws Error with its output when it ends earlier
 */
export async function startProduct(
  dataDir: string,
  port: number,
  settings: Record<string, string> = {},
): Promise<Product> {
  const started = performance.now();
  const child = spawn(process.execPath, [path.join(ROOT, 'dist', 'server', 'start.js')], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      // As scripts/run.cjs starts it.
      MALLOC_ARENA_MAX: '1',
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      RATE_LIMITS: 'off',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output = (output + chunk).slice(-4000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-4000);
      const address = / is at (http\S+)/.exec(said)?.[1];
      if (address !== undefined && said.includes('\n')) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`the product ended with ${code}: ${output}`)));
  });
  const startMs = performance.now() - started;
  const keys = JSON.parse(readFileSync(path.join(dataDir, 'keys.json'), 'utf8')) as Record<string, string>;
  return {
    url,
    port: Number(new URL(url).port),
    dataDir,
    process: child,
    anonKey: keys.anon_key ?? '',
    serviceKey: keys.service_role_key ?? '',
    startMs,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
