import { flushCompileCache } from 'node:module';
import { parentPort, type Transferable } from 'node:worker_threads';

/** A reply as a worker sends it to its client. */
export type WorkerReply<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly failure: string };

/**
 * The worker's side of `worker-client.server.ts`, in a thread or in a process: handles requests one after
 * another, and answers each with its id.
 *
 * @param transfer the parts of a result that a thread transfers instead of copying
 */
export function serveWorkerRequests<Request, Result>(
  work: (request: Request) => Promise<Result>,
  transfer: (result: Result) => Transferable[] = () => [],
): void {
  let before = Promise.resolve();
  (parentPort ?? process).on('message', (request: Request & { readonly id: number }) => {
    before = before.then(async () => {
      try {
        const result = await work(request);
        send({ id: request.id, result }, transfer(result));
      } catch (error) {
        send({ id: request.id, failure: error instanceof Error ? error.message : String(error) }, []);
      }
    });
  });

  function send(reply: WorkerReply<Result>, handedOver: Transferable[]): void {
    if (parentPort) parentPort.postMessage(reply, handedOver);
    else {
      process.send?.(reply, () => {});
      // Our client ends us without a warning, and Node would keep compiled modules only at the end.
      flushCompileCache();
    }
  }
}
