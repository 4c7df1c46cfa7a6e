import { Worker } from 'node:worker_threads';
import { startProgram } from './child-program.ts';
import type { WorkerReply } from './worker-server.server.ts';

/** A worker that answers each request, with a result or an error. */
export interface WorkerClient<Request extends object, Result> {
  /** @throws Error with the worker's reason, or when it ended before it had answered */
  ask(request: Request): Promise<Result>;
  /** Sends a request without waiting for an answer. Does nothing when no worker runs. */
  tell(request: Request): void;
  /** Ends the worker; open requests fail. A later request starts another. */
  close(): Promise<void>;
}

/** A running worker, however it runs. */
interface RunningWorker {
  post(message: object): void;
  end(): Promise<unknown>;
}

/** Who hears a worker's replies and its end. */
interface WorkerListener<Result> {
  readonly reply: (reply: WorkerReply<Result>) => void;
  readonly lost: (why: unknown) => void;
}

/**
 * A thread of our own process, for JavaScript and WebAssembly of ours. It starts with the first request and
 * stays until `close`. When it ends, its open requests fail, and the next request starts another.
 *
 * @param entry path of the module that the worker runs
 */
export function createThreadClient<Request extends object, Result>(
  entry: string,
): WorkerClient<Request, Result> {
  return createClient(({ reply, lost }) => {
    const thread = new Worker(entry, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    thread.on('message', reply);
    thread.on('error', lost);
    thread.on('exit', () => lost('The worker ended.'));
    thread.unref();
    return { post: (message) => thread.postMessage(message), end: () => thread.terminate() };
  });
}

/** How a process is started. */
interface ProcessOptions {
  /** The most memory of its heap, in MiB; by default Node's own limit. */
  readonly heapMb?: number | undefined;
  /** What the next process is told on its command line. */
  readonly words?: () => readonly string[];
  /** Hears how a process ended, before its open requests fail. */
  readonly exited?: (signal: string | null, hasAnswered: boolean) => void;
}

/**
 * The same as a process of its own. Native code and input of strangers need one: a native library that is
 * ended at work, and a `JSON.parse` beyond the limit of a thread's heap, end the whole process that they run in.
 *
 * @param entry path of the module that the worker runs
 */
export function createProcessClient<Request extends object, Result>(
  entry: string,
  { heapMb, words, exited }: ProcessOptions = {},
): WorkerClient<Request, Result> {
  return createClient(({ reply, lost }) => {
    const flags = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
    const child = startProgram(entry, { flags, words: words?.() ?? [], failed: lost });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let hasAnswered = false;
    child.on('message', (message: WorkerReply<Result>) => {
      hasAnswered = true;
      reply(message);
    });
    child.on('exit', (_code, signal) => {
      exited?.(signal, hasAnswered);
      lost('The worker ended.');
    });
    return {
      post: (message) => child.send(message, (error) => error && lost(error)),
      end: () => {
        // While somebody waits for its end, the server must not end first.
        child.ref();
        child.kill('SIGKILL');
        return child.pid === undefined ? Promise.resolve() : ended;
      },
    };
  });
}

function createClient<Request extends object, Result>(
  begin: (listener: WorkerListener<Result>) => RunningWorker,
): WorkerClient<Request, Result> {
  let worker: RunningWorker | null = null;
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<Result>>();

  function start(): RunningWorker {
    const begun = begin({
      reply(reply) {
        const asked = waiting.get(reply.id);
        waiting.delete(reply.id);
        if ('failure' in reply) asked?.reject(new Error(reply.failure));
        else asked?.resolve(reply.result);
      },
      lost(why) {
        // A closed worker may end after the next one has started.
        if (worker !== begun) return;
        worker = null;
        fail(why instanceof Error ? why : new Error(String(why)));
      },
    });
    return begun;
  }

  function fail(why: Error): void {
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
  }

  return {
    ask(request) {
      const asked = Promise.withResolvers<Result>();
      waiting.set(++lastId, asked);
      worker ??= start();
      worker.post({ ...request, id: lastId });
      return asked.promise;
    },
    tell: (request) => worker?.post(request),
    async close() {
      const ending = worker;
      worker = null;
      fail(new Error('The worker was closed.'));
      await ending?.end();
    },
  };
}

/**
 * Asks a process that lives as long as the question, so that what a hostile request does to it ends with it.
 *
 * @param patienceMs how long the worker may take before it is ended; as long as it needs when left out
 * @param heapMb the most memory of its heap, in MiB; a process that needs more ends
 * @throws Error when the worker failed, or was ended before it had answered
 */
export async function askOnce<Request extends object, Result>(
  entry: string,
  request: Request,
  { patienceMs, heapMb }: { readonly patienceMs?: number; readonly heapMb?: number } = {},
): Promise<Result> {
  const worker = createProcessClient<Request, Result>(entry, { heapMb });
  const timer = patienceMs === undefined ? undefined : setTimeout(() => void worker.close(), patienceMs);
  try {
    return await worker.ask(request);
  } finally {
    clearTimeout(timer);
    await worker.close();
  }
}
