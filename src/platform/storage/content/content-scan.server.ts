import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import net from 'node:net';
import type { Settings } from '../../../kernel/config/settings.ts';
import type { Log } from '../../../kernel/resources/log/log.ts';
import { storageErrors } from '../storage-errors.server.ts';

/** Scans a completely received file for malware before it is stored. */
export type Scan = (file: string) => Promise<void>;

type ScanSettings = Pick<Settings, 'SCAN_COMMAND' | 'CLAMD_URL' | 'SCAN_FAILURE'>;

/** One scan of a file: the name of what was found, or undefined for a clean file. */
type Look = (file: string) => Promise<string | undefined>;

/** A scanner that is silent for this long has failed. */
const TIMEOUT_MS = 120_000;
const CHUNK_BYTES = 256 * 1024;
const MAX_REPLY_BYTES = 4096;

/**
 * The scanner in the settings; without one, files are not scanned.
 *
 * The returned function throws ServiceError InfectedFile 422 for malware, and ScanFailed 503 when the scanner
 * fails, unless SCAN_FAILURE is `accept`.
 */
export function createScan(settings: ScanSettings, log: Log): Scan {
  const look = lookBy(settings);
  if (look === undefined) return async () => {};
  return async (file) => {
    let found: string | undefined;
    try {
      found = await look(file);
    } catch (error) {
      if (settings.SCAN_FAILURE === 'refuse') {
        log.error({ err: error }, 'a file could not be scanned and was refused');
        throw storageErrors.scanFailed();
      }
      log.warn({ err: error }, 'a file was stored although it could not be scanned');
      return;
    }
    if (found === undefined) return;
    log.warn({ found }, 'malware was refused');
    throw storageErrors.infected();
  };
}

function lookBy({ SCAN_COMMAND, CLAMD_URL }: ScanSettings): Look | undefined {
  if (CLAMD_URL !== '') return (file) => askClamd(clamdAddress(CLAMD_URL), file);
  const [program, ...words] = SCAN_COMMAND.split(/\s+/).filter((word) => word !== '');
  return program === undefined ? undefined : (file) => runScanner(program, [...words, file]);
}

function clamdAddress(address: string): net.NetConnectOpts {
  const url = new URL(address);
  return url.protocol === 'unix:'
    ? { path: decodeURIComponent(url.pathname) }
    : { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 3310) };
}

/** INSTREAM of clamd(8): pieces preceded by their length, an empty piece at the end, one line in reply. */
function askClamd(address: net.NetConnectOpts, file: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(address);
    let reply = '';
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the scanner is silent')));
    socket.on('error', reject);
    socket.on('data', (piece) => {
      reply += piece;
      if (reply.length > MAX_REPLY_BYTES) socket.destroy(new Error('the scanner talks too much'));
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      const line = reply.replace(/\0.*$/s, '').trim();
      const found = /^stream: (.+) FOUND$/.exec(line)?.[1];
      if (found === undefined && line !== 'stream: OK') reject(new Error(`the scanner answered: ${line}`));
      else resolve(found);
    });
    void sendFile(socket, file).catch((error) => socket.destroy(error));
  });
}

async function sendFile(socket: net.Socket, file: string): Promise<void> {
  const send = async (bytes: Buffer): Promise<void> => {
    if (socket.destroyed || socket.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.once('drain', done).once('close', done);
    });
  };
  await send(Buffer.from('zINSTREAM\0'));
  for await (const piece of createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    // The scanner answers early when it refuses the size.
    if (socket.destroyed || !socket.writable) return;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(piece.length);
    await send(Buffer.concat([length, piece]));
  }
  await send(Buffer.alloc(4));
}

/**
 * Runs a program like clamscan(1): the file is its last argument. It exits with 0 for clean, 1 for malware,
 * and otherwise has failed.
 */
function runScanner(program: string, words: string[]): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: 'ignore',
      env: { PATH: process.env.PATH },
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(undefined);
      else if (code === 1) resolve('what the command looks for');
      else reject(new Error(`the scanner ended with ${code ?? 'a signal'}`));
    });
  });
}
