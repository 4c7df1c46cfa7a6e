import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type KeptPage,
  keptPageSchema,
  PROGRESS_PIPE,
  type ReaderProgress,
  type ReaderReply,
  type ReaderRequest,
  type ReadingReply,
  readerProgressSchema,
  readerReplySchema,
} from './reader-messages.ts';
import { programFolder, readerProgram } from './reader-program.ts';
import { findSandbox, SANDBOX_PATH, type Sandbox } from './reader-sandbox.ts';

/** Limits of one reader (docs/contracts/documents.md §8). */
export interface ReaderLimits {
  /** Most resident memory, bytes. */
  readonly memoryBytes: number;
  /** Most processor time, ms; unlike a limit of real time, it does not depend on how busy the machine is. */
  readonly cpuMs: number;
  /** Additional processor time for each page that is read from a picture, ms. */
  readonly cpuMsPerPicture: number;
  /** Most real time, ms, in which a process uses less than a second of processor time: it only waits. */
  readonly idleMs: number;
  /** Largest V8 heap, MB. */
  readonly heapMb: number;
  /** Longest reply, bytes. */
  readonly replyBytes: number;
}

export const READER_LIMITS: ReaderLimits = {
  memoryBytes: 800 * 1024 * 1024,
  cpuMs: 60_000,
  cpuMsPerPicture: 20_000,
  idleMs: 25 * 60_000,
  heapMb: 384,
  replyBytes: 64 * 1024 * 1024,
};

const POLL_MS = 25;
/** A process that uses more processor time than this is at work, ms. */
const WORKING_MS = 1000;
const PAGE_BYTES = 4096;
/** One of the libraries that the reader loads. */
const library = (): string => fileURLToPath(import.meta.resolve('pdfjs-dist/package.json'));
const entry = (): string => readerProgram('reader-process');

/** Options of a reading. */
export interface ReadingOptions {
  readonly limits?: ReaderLimits;
  /** Called before each page that is read from a picture. */
  readonly onProgress?: (progress: ReaderProgress) => void;
  /** Called after each page that is read from a picture; the page can be given to another reading. */
  readonly onPage?: (page: KeptPage) => void;
}

/** Why a reader ended without a reply. */
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
    sentence: 'Reading this document takes more time than one document may use, so it was stopped.',
  },
  reply: { code: 'too_large', sentence: 'This document holds more text than one report can show.' },
  crash: {
    code: 'corrupt',
    sentence:
      'This document is damaged in a way that stops the reader. Save it again and upload the new copy.',
  },
};

/**
 * Reads a document in a child process, and tries once more if it crashes. Any file leads to a reply: the report, or a
 * sentence with the reason why there is none.
 *
 * @throws Error if `signal` ends it; the job then runs again later
 */
export async function runReader(
  request: ReaderRequest,
  signal: AbortSignal,
  { limits = READER_LIMITS, onProgress = () => {}, onPage = () => {} }: ReadingOptions = {},
): Promise<ReadingReply> {
  const sandbox = await readerSandbox();
  const pages = [...(request.pages ?? [])];
  const keep = (page: KeptPage): void => {
    pages.push(page);
    onPage(page);
  };
  const attempt = (): Promise<ReaderReply | Death> =>
    readOnce({ ...request, pages }, sandbox, { signal, limits, onProgress, onPage: keep });
  const first = await attempt();
  const outcome = first === 'crash' ? await attempt() : first;
  if (outcome === 'stopped') throw new Error('the reader was stopped');
  if (typeof outcome !== 'string') return outcome;
  return { outcome: 'unreadable', ...DEATH_SENTENCES[outcome], readerEnded: true };
}

function readOnce(
  request: ReaderRequest,
  sandbox: Sandbox,
  { signal, limits, onProgress, onPage }: Required<ReadingOptions> & { readonly signal: AbortSignal },
): Promise<ReaderReply | Death> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve('stopped');
      return;
    }
    const child = startReader(request, sandbox, limits);
    // A reader that died before it read its input reports its own reason.
    child.stdin?.on('error', () => {});
    const { password, pages = [] } = request;
    child.stdin?.end(JSON.stringify({ password, pages }));
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
    let pictures = 0;
    const stopWatching = watchLimits(child, { limits, pictures: () => pictures, end });
    followProgress(child, {
      mostBytes: limits.replyBytes,
      onProgress: (progress) => {
        pictures = Math.min(pictures + 1, request.ocrPages);
        onProgress(progress);
      },
      onPage,
      onFlood: () => end('reply'),
    });
    const stop = (): void => end('stopped');
    signal.addEventListener('abort', stop, { once: true });
    const settle = (code: number | null, ended: NodeJS.Signals | null = null): void => {
      stopWatching();
      signal.removeEventListener('abort', stop);
      if (death === undefined && isHeapDeath(code, ended)) death = 'memory';
      resolve(death ?? (code === 0 ? parseReply(Buffer.concat(chunks)) : 'crash'));
    };
    child.once('error', () => settle(null));
    child.once('close', settle);
  });
}

/** Ends a process that needs too much memory or time, until the returned function is called. */
export function watchLimits(
  { pid }: ChildProcess,
  {
    limits,
    pictures,
    end,
  }: {
    readonly limits: ReaderLimits;
    /** How many pages it has read from pictures so far. */
    readonly pictures: () => number;
    readonly end: (reason: 'memory' | 'time') => void;
  },
): () => void {
  const started = performance.now();
  let worked = { used: 0, at: started };
  const poll = setInterval(() => {
    if (residentBytes(pid) > limits.memoryBytes) end('memory');
    const now = performance.now();
    const used = processorMs(pid) ?? now - started;
    if (used > limits.cpuMs + pictures() * limits.cpuMsPerPicture) end('time');
    if (used - worked.used > WORKING_MS) worked = { used, at: now };
    else if (now - worked.at > limits.idleMs) end('time');
  }, POLL_MS);
  return () => clearInterval(poll);
}

/** Whether V8 aborted because its heap was full. A shell between us and it returns 128 plus the signal's number. */
function isHeapDeath(code: number | null, ended: NodeJS.Signals | null): boolean {
  return ended === 'SIGABRT' || code === 134;
}

/** The result is kept, as the abilities of this machine do not change while we run. */
let found: Promise<Sandbox> | undefined;

/** The sandbox of every reader of this process. */
export function readerSandbox(): Promise<Sandbox> {
  found ??= findSandbox([entry(), library()]);
  return found;
}

function startReader(
  { password: _, pages: __, path: document, ...request }: ReaderRequest,
  sandbox: Sandbox,
  limits: ReaderLimits,
): ChildProcess {
  return startProgram({ program: entry(), document, words: [JSON.stringify(request)] }, sandbox, limits);
}

/** Starts a program of this package in the sandbox: it may read only our code and the document, which is open for it. */
export function startProgram(
  { program, document, words = [] }: { program: string; document: string; words?: readonly string[] },
  sandbox: Sandbox,
  limits: ReaderLimits,
): ChildProcess {
  const { file, args, ...account } = sandbox.command(process.execPath, [
    `--max-old-space-size=${limits.heapMb}`,
    '--disable-warning=ExperimentalWarning',
    '--permission',
    ...codeFolders().map((place) => `--allow-fs-read=${place}`),
    program,
    ...words,
  ]);
  // We open the file, as the reader's account may read neither this document nor any other.
  const opened = openSync(document, 'r');
  try {
    return spawn(file, args, {
      ...account,
      // The environment holds no secrets.
      env: { PATH: SANDBOX_PATH },
      stdio: ['pipe', 'pipe', 'ignore', 'pipe', opened],
      cwd: path.dirname(program),
    });
  } finally {
    closeSync(opened);
  }
}

/** Who hears of a reader's progress, and the most bytes that it may say. */
interface ProgressListener {
  readonly mostBytes: number;
  readonly onProgress: (progress: ReaderProgress) => void;
  readonly onPage: (page: KeptPage) => void;
  readonly onFlood: () => void;
}

/** Passes on the lines of the progress pipe. They come from an untrusted process, so we drop invalid ones. */
function followProgress(
  child: ChildProcess,
  { mostBytes, onProgress, onPage, onFlood }: ProgressListener,
): void {
  const pipe = child.stdio[PROGRESS_PIPE];
  if (!(pipe instanceof Readable)) return;
  let bytes = 0;
  pipe.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) onFlood();
  });
  createInterface({ input: pipe }).on('line', (line) => {
    const said = parsed(line);
    const progress = readerProgressSchema.safeParse(said);
    if (progress.success) onProgress(progress.data);
    const page = keptPageSchema.safeParse(said);
    if (page.success) onPage(page.data);
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The code that the reader loads: our packages and their libraries. */
function codeFolders(): string[] {
  let libraries = path.dirname(library());
  while (path.basename(libraries) !== 'node_modules') libraries = path.dirname(libraries);
  return [programFolder(), realpathSync(libraries), libraries];
}

/** Resident memory in bytes; 0 if the system does not report it (the limits of heap and time still apply). */
function residentBytes(pid: number | undefined): number {
  const file = `/proc/${pid}/statm`;
  if (pid === undefined || !existsSync(file)) return 0;
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/** Clock ticks of `/proc` in a second (USER_HZ, 100 on every Linux that we run on). */
const TICKS = 100;

/** Processor time that a process has used, ms; undefined if the system does not report it. */
function processorMs(pid: number | undefined): number | undefined {
  const file = `/proc/${pid}/stat`;
  if (pid === undefined || !existsSync(file)) return undefined;
  try {
    // The fields after the name, which may contain spaces: utime is the 14th field, stime the 15th.
    const fields = readFileSync(file, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return undefined;
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
