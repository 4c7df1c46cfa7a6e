import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The checkout in which the tests run. */
export const CHECKOUT = path.join(import.meta.dirname, '..', '..', '..');

/** How a product process is started. */
export interface RunOptions {
  /** Settings besides PORT=0 and LOG_LEVEL=warn. */
  readonly settings?: Record<string, string>;
  readonly folder?: string;
  /** The command line; default `npm start`. */
  readonly command?: readonly [string, ...string[]];
  /** Account to run as; only root may choose. */
  readonly account?: { uid: number; gid: number };
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** From the signal to the end, milliseconds. */
  readonly ms: number;
}

/** A product process, started as an operator starts it. */
export interface Product {
  readonly pid: number;
  /** Its address once it prints it; rejects with its output when it ends before. */
  readonly url: Promise<string>;
  /** Everything that it wrote to standard output and standard error. */
  output(): string;
  /** Resolves when the command has ended. */
  readonly ended: Promise<Ended>;
  /** Sends a signal to the command itself, or to it and everything that it started. */
  signal(name: NodeJS.Signals, to: 'command' | 'group'): void;
  /** Sends SIGTERM to the command, then waits for the end. */
  stop(): Promise<Ended>;
}

/** Starts the product in its own process group. */
export function runProduct(options: RunOptions = {}): Product {
  const [name, ...args] = options.command ?? ['npm', 'start'];
  const child = spawn(name, args, {
    cwd: options.folder ?? CHECKOUT,
    env: { ...cleanEnvironment(), PORT: '0', LOG_LEVEL: 'warn', ...options.settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...options.account,
  });
  let text = '';
  let signalledAt = 0;
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ms: Date.now() - signalledAt }));
  });
  const url = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const address = / is at (http\S+) \(started in /.exec(text)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    void ended.then(() => reject(new Error(`It ended before it was ready:\n${text}`)));
  });
  url.catch(() => {});
  const product: Product = {
    pid: child.pid ?? 0,
    url,
    output: () => text,
    ended,
    signal(signal, to) {
      signalledAt = Date.now();
      send(child, signal, to);
    },
    stop() {
      product.signal('SIGTERM', 'command');
      return ended;
    },
  };
  return product;
}

function send(child: ChildProcess, signal: NodeJS.Signals, to: 'command' | 'group'): void {
  if (child.pid === undefined) throw new Error('the command could not be started');
  process.kill(to === 'group' ? -child.pid : child.pid, signal);
}

/** The environment without the variables of this run's own npm and vitest. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VITEST|NODE_|NORTHLINE_|TEST|INIT_CWD$)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** A folder that `dispose` removes; its name says what it is for. */
export function temporaryFolder(
  name: string,
  account?: RunOptions['account'],
): { path: string; [Symbol.dispose](): void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), `northline-${name}-`));
  // When we are root, the database runs under another account, which has to enter the folder.
  chmodSync(folder, 0o711);
  if (account) chownSync(folder, account.uid, account.gid);
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
