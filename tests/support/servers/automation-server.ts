import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the automation received. */
export interface AutomationCall {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A stand-in for an operator's automation. */
export interface TestAutomation {
  readonly url: string;
  /** host:port, for OUTBOUND_ALLOW_HOSTS. */
  readonly host: string;
  /** The reply to the next request. */
  answer: () => { status: number; body: string };
  /** The oldest request that no call of `next` has returned, or the next one to arrive. */
  next(): Promise<AutomationCall>;
  close(): Promise<void>;
}

/** Starts it on a free port of this machine. */
export async function startAutomation(): Promise<TestAutomation> {
  const waiting: ((call: AutomationCall) => void)[] = [];
  const received: AutomationCall[] = [];
  const server = http.createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, body } = automation.answer();
    reply.writeHead(status, { 'content-type': 'application/json' }).end(body);
    const call = {
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    const first = waiting.shift();
    if (first === undefined) received.push(call);
    else first(call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const automation: TestAutomation = {
    url: `http://${host}`,
    host,
    answer: () => ({ status: 202, body: '' }),
    next() {
      const oldest = received.shift();
      return oldest === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(oldest);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return automation;
}
