import { Worker } from 'node:worker_threads';
import type { WorkerReply } from './worker-server.server.ts';

/** A worker thread that answers each request, with a result or an error. */
export interface WorkerClient<Request extends object, Result> {
  /** @throws Error with the worker's reason, or when it ended before it had answered */
  ask(request: Request): Promise<Result>;
  /** Sends a request without waiting for an answer. Does nothing when no worker runs. */
  tell(request: Request): void;
  /** Ends the worker; open requests fail. A later request starts another. */
  close(): Promise<void>;
}

/**
 * Starts the worker with the first request; it stays until `close`. When it ends, its open
 * requests fail, and the next request starts another.
 *
 * @param entry path of the module that the worker runs
 * @param heapMb the most memory of the worker's heap, in MiB; by default Node's own limit
 */
export function createWorkerClient<Request extends object, Result>(
  entry: string,
  heapMb?: number,
): WorkerClient<Request, Result> {
  let worker: Worker | null = null;
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<Result>>();

  function start(): Worker {
    const begun = new Worker(entry, {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      ...(heapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
    });
    begun.on('message', (reply: WorkerReply<Result>) => {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('failure' in reply) asked?.reject(new Error(reply.failure));
      else asked?.resolve(reply.result);
    });
    const lost = (why: unknown) => {
      // A closed worker may end after the next one has started.
      if (worker !== begun) return;
      worker = null;
      fail(why instanceof Error ? why : new Error(String(why)));
    };
    begun.on('error', lost);
    begun.on('exit', () => lost('The worker ended.'));
    begun.unref();
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
      worker.postMessage({ ...request, id: lastId });
      return asked.promise;
    },
    tell: (request) => worker?.postMessage(request),
    async close() {
      const ending = worker;
      worker = null;
      fail(new Error('The worker was closed.'));
      await ending?.terminate();
    },
  };
}

/**
 * Asks a worker that lives as long as the question, so that what a hostile request does to it ends with it.
 *
 * @param patienceMs how long the worker may take before it is ended; as long as it needs when left out
 * @param heapMb the most memory of its heap, in MiB; a worker that needs more is ended
 * @throws Error when the worker failed, or was ended before it had answered
 */
export async function askOnce<Request extends object, Result>(
  entry: string,
  request: Request,
  { patienceMs, heapMb }: { readonly patienceMs?: number; readonly heapMb?: number } = {},
): Promise<Result> {
  const worker = createWorkerClient<Request, Result>(entry, heapMb);
  const timer = patienceMs === undefined ? undefined : setTimeout(() => void worker.close(), patienceMs);
  try {
    return await worker.ask(request);
  } finally {
    clearTimeout(timer);
    await worker.close();
  }
}
