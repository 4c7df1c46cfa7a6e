import { parentPort, type Transferable } from 'node:worker_threads';

/** A reply as a worker sends it to `createWorkerClient`. */
export type WorkerReply<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly failure: string };

/**
 * The worker's side of `createWorkerClient`: handles requests one after another, and answers each with its
 * id.
 *
 * @param transfer the parts of a result that are transferred instead of copied
 */
export function serveWorkerRequests<Request, Result>(
  work: (request: Request) => Promise<Result>,
  transfer: (result: Result) => Transferable[] = () => [],
): void {
  let before = Promise.resolve();
  parentPort?.on('message', (request: Request & { readonly id: number }) => {
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
    parentPort?.postMessage(reply, handedOver);
  }
}
