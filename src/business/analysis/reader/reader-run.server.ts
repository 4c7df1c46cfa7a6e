import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT_ROOT } from '../../config/project-root.ts';
import { type ReaderReply, type ReaderRequest, readerReplySchema } from './reader-messages.server.ts';

/** Bounds of one reader (contract §8). */
export interface ReaderLimits {
  /** Resident memory, bytes, before it is ended. */
  readonly memoryBytes: number;
  /** Wall clock, ms. */
  readonly wallMs: number;
  /** V8's heap, MB. */
  readonly heapMb: number;
  /** Longest reply, bytes. */
  readonly replyBytes: number;
}

export const READER_LIMITS: ReaderLimits = {
  memoryBytes: 800 * 1024 * 1024,
  wallMs: 60_000,
  heapMb: 384,
  replyBytes: 64 * 1024 * 1024,
};

const POLL_MS = 25;
const PAGE_BYTES = 4096;
const ENTRY = path.join(PROJECT_ROOT, 'src', 'features', 'analysis', 'reader-process.server.ts');

/** How a reader ended without a reply. */
type Death = 'memory' | 'time' | 'reply' | 'crash' | 'stopped';

const DEATH_SENTENCES: Record<
  Exclude<Death, 'stopped'>,
  { code: 'too_large' | 'corrupt'; sentence: string }
> = {
  memory: {
    code: 'too_large',
    sentence: 'Reading this document needs more memory than one document may use, so it was stopped.',
  },
  time: {
    code: 'too_large',
    sentence: 'Reading this document took longer than a minute, so it was stopped.',
  },
  reply: { code: 'too_large', sentence: 'This document holds more text than one report can show.' },
  crash: {
    code: 'corrupt',
    sentence:
      'This document is damaged in a way that stops the reader. Save it again and upload the new copy.',
  },
};

/**
 * Reads a document in a process of its own, twice when the first one crashed. Whatever
 * the file holds, it ends in a reply: the report, or the sentence that says why not.
 *
 * @throws Error when `signal` ends it (the job is done again later)
 */
export async function runReader(
  request: ReaderRequest,
  signal: AbortSignal,
  limits: ReaderLimits = READER_LIMITS,
): Promise<ReaderReply> {
  const first = await readOnce(request, signal, limits);
  const outcome = first === 'crash' ? await readOnce(request, signal, limits) : first;
  if (outcome === 'stopped') throw new Error('the reader was stopped');
  return typeof outcome === 'string' ? { outcome: 'unreadable', ...DEATH_SENTENCES[outcome] } : outcome;
}

function readOnce(
  request: ReaderRequest,
  signal: AbortSignal,
  limits: ReaderLimits,
): Promise<ReaderReply | Death> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve('stopped');
      return;
    }
    const child = startReader(request, limits);
    let death: Death | undefined;
    const end = (reason: Death): void => {
      death ??= reason;
      child.kill('SIGKILL');
    };
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.replyBytes) end('reply');
      else chunks.push(chunk);
    });
    const wall = setTimeout(end, limits.wallMs, 'time');
    const poll = setInterval(() => {
      if (residentBytes(child.pid) > limits.memoryBytes) end('memory');
    }, POLL_MS);
    const stop = (): void => end('stopped');
    signal.addEventListener('abort', stop, { once: true });
    const settle = (code: number | null): void => {
      clearTimeout(wall);
      clearInterval(poll);
      signal.removeEventListener('abort', stop);
      resolve(death ?? (code === 0 ? parseReply(Buffer.concat(chunks)) : 'crash'));
    };
    child.once('error', () => settle(null));
    child.once('close', settle);
  });
}

function startReader(request: ReaderRequest, limits: ReaderLimits): ChildProcess {
  const file = realpathSync(request.path);
  const readable = [...codeFolders(), file].map((place) => `--allow-fs-read=${place}`);
  return spawn(
    process.execPath,
    [
      `--max-old-space-size=${limits.heapMb}`,
      '--disable-warning=ExperimentalWarning',
      '--permission',
      ...readable,
      ENTRY,
      JSON.stringify({ ...request, path: file }),
    ],
    // No environment: there is no secret to find in it.
    { env: {}, stdio: ['ignore', 'pipe', 'ignore'], cwd: path.dirname(ENTRY) },
  );
}

/** The code that the reader loads: this package's sources and its libraries. */
function codeFolders(): string[] {
  let libraries = path.dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')));
  while (path.basename(libraries) !== 'node_modules') libraries = path.dirname(libraries);
  return [
    path.join(PROJECT_ROOT, 'src'),
    path.join(PROJECT_ROOT, 'package.json'),
    realpathSync(libraries),
    libraries,
  ];
}

/** Resident memory; 0 where the system does not tell (then heap and time still bound it). */
function residentBytes(pid: number | undefined): number {
  const file = `/proc/${pid}/statm`;
  if (pid === undefined || !existsSync(file)) return 0;
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

function parseReply(bytes: Buffer): ReaderReply | Death {
  try {
    const reply = readerReplySchema.safeParse(JSON.parse(bytes.toString('utf8')));
    return reply.success ? reply.data : 'crash';
  } catch {
    return 'crash';
  }
}
