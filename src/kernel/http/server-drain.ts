import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { waitAtMost } from '../resources/bounded-wait.ts';

/** Milliseconds in which calls, jobs and requests may together finish when the process stops. */
const DRAIN_MS = 5500;
/** Milliseconds for work that ends by itself once its connections have been cut off. */
const CUT_OFF_MS = 300;
/** How often connections that have become idle are closed, milliseconds. */
const IDLE_CHECK_MS = 100;

/** How often remaining calls are counted during the notice, milliseconds. */
const CALLS_CHECK_MS = 200;

/** How long before the stop begins it is announced. */
export interface StopNotice {
  /** Seconds in which a proxy can notice that `/readyz` returns 503. */
  readonly seconds: number;
  /** Additional seconds at most, while `isBusy` returns true. */
  readonly callSeconds: number;
  readonly isBusy: () => boolean;
}

/**
 * Answers requests as before, but closes each connection after its reply, so that a proxy moves to another
 * process. Idle connections stay open, because the proxy may be writing to them at this moment.
 */
export async function announceStop(server: FastifyInstance, notice: StopNotice): Promise<void> {
  if (notice.seconds + notice.callSeconds === 0) return;
  server.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  await pause(notice.seconds * 1000);
  const until = Date.now() + notice.callSeconds * 1000;
  while (notice.isBusy() && Date.now() < until) await pause(CALLS_CHECK_MS);
}

/**
 * Lets requests in progress finish, accepts no new ones on keep-alive connections, and at the deadline cuts
 * off those that are still sending or reading. Nothing that was answered is lost.
 *
 * @param finish finishes the other work and closes the server
 * @throws what `finish` throws before the deadline, with the connections cut off
 */
export async function drainServer(server: FastifyInstance, finish: () => Promise<void>): Promise<void> {
  const raw = server.server;
  raw.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  raw.closeIdleConnections();
  // The head of a reply that started earlier said that its connection stays open.
  const idle = setInterval(() => raw.closeIdleConnections(), IDLE_CHECK_MS);
  const finished = finish();
  try {
    await waitAtMost(DRAIN_MS, finished);
  } finally {
    clearInterval(idle);
    raw.close();
    raw.closeAllConnections();
  }
  await waitAtMost(CUT_OFF_MS, finished);
}
