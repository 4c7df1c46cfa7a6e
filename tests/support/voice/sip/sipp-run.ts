import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../voice-peer.ts';

/** One message that SIPp sent or received. */
export interface SippMessage {
  readonly sent: boolean;
  /** With line feeds as line ends. */
  readonly text: string;
}

/** Options of a run of SIPp. */
export interface SippOptions {
  /** The target of its calls: a port of 127.0.0.1, and the user. Without it SIPp waits for calls. */
  readonly calls?: { readonly port: number; readonly user: string };
  /** Keywords in square brackets in the scenario that are not SIPp's own. */
  readonly keys?: Readonly<Record<string, string | number>>;
  /** Number of calls; default 1. */
  readonly count?: number;
  /** Further arguments. */
  readonly more?: readonly string[];
}

/** A run of SIPp. */
export interface SippRun {
  /** The port at which it is called. */
  readonly port: number;
  /**
   * Resolves with every message when all its calls followed the scenario. @throws Error that says what
   * differed
   */
  over(): Promise<SippMessage[]>;
}

const SCENARIOS = path.join(import.meta.dirname, 'scenarios');
const SECONDS = 45;

/**
 * Whether a program of Debian's packages (`sip-tester`, `baresip`) is installed; without it, its tests are
 * skipped.
 */
export function hasProgram(program: string): boolean {
  try {
    execFileSync('which', [program]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a scenario in `tests/support/voice/sip/scenarios` (without `.xml`), or one of SIPp's own, such as `-sn
 * uac`.
 */
export async function startSipp(scenario: string, options: SippOptions = {}): Promise<SippRun> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sipp-'));
  const log = path.join(folder, 'messages.log');
  const port = await freePort();
  const { calls, keys = {}, count = 1, more = [] } = options;
  const named = scenario.startsWith('-')
    ? scenario.split(' ')
    : ['-sf', path.join(SCENARIOS, `${scenario}.xml`)];
  const child = spawn(
    'sipp',
    [
      ...named,
      ...(calls === undefined ? [] : [`127.0.0.1:${calls.port}`, '-s', calls.user]),
      ...Object.entries(keys).flatMap(([name, value]) => ['-key', name, String(value)]),
      ...['-i', '127.0.0.1', '-p', String(port), '-m', String(count), '-nostdin'],
      ...['-timeout', `${SECONDS}s`, '-timeout_error', '-trace_msg', '-message_file', log, ...more],
    ],
    { cwd: folder, env: { ...process.env, TERM: 'dumb' } },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += String(piece);
    });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
    rmSync(folder, { recursive: true, force: true });
  });
  if (calls === undefined) await until('SIPp listens', () => child.exitCode !== null || isBound(port, said));
  return {
    port,
    async over() {
      const [code] = await closed;
      const text = existsSync(log) ? readFileSync(log, 'latin1') : '';
      if (code !== 0)
        throw new Error(`${scenario} ended with ${code}: ${said.slice(-3000)}\n${text.slice(-6000)}`);
      return readLog(text);
    },
  };
}

/** A free UDP port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  const gone = once(socket, 'close');
  socket.close();
  await gone;
  return port;
}

/**
 * Whether a program listens at a UDP port; where the system does not tell, whether SIPp has printed anything.
 */
function isBound(port: number, said: string): boolean {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  try {
    return readFileSync('/proc/net/udp', 'utf8').includes(wanted);
  } catch {
    return said !== '';
  }
}

/** Cuts SIPp's log of messages into messages. */
function readLog(text: string): SippMessage[] {
  return text
    .replaceAll('\r', '')
    .split(/^-{10,}.*$/m)
    .flatMap((part) => {
      const [, how, message] = /^UDP message (sent|received)[^\n]*\n\n?([\s\S]*)$/m.exec(part) ?? [];
      return message === undefined ? [] : [{ sent: how === 'sent', text: message.trim() }];
    });
}
