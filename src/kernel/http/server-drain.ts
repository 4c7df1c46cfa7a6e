import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { waitAtMost } from '../resources/bounded-wait.ts';

/** Milliseconds that calls, jobs and requests under way may take together to finish when the process stops. */
const DRAIN_MS = 5500;
/** Milliseconds for what ends by itself once its connections have been cut off. */
const CUT_OFF_MS = 300;
/** How often connections are closed that have become idle, milliseconds. */
const IDLE_CHECK_MS = 100;

/** How often calls that are waited for are counted, milliseconds. */
const CALLS_CHECK_MS = 200;

/** How long a stop is announced before it begins. */
export interface StopNotice {
  /** Seconds in which a proxy notices that `/readyz` says 503. */
  readonly seconds: number;
  /** Seconds more, for as long as `isBusy` says so. */
  readonly callSeconds: number;
  readonly isBusy: () => boolean;
}

/**
 * Answers everything as before, but ends each connection with its reply, so that a proxy comes to use another process.
 * Idle connections stay, as the proxy may be writing to them at this moment.
 */
export async function announceStop(server: FastifyInstance, notice: StopNotice): Promise<void> {
  if (notice.seconds + notice.callSeconds === 0) return;
  server.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  await pause(notice.seconds * 1000);
  const until = Date.now() + notice.callSeconds * 1000;
  while (notice.isBusy() && Date.now() < until) await pause(CALLS_CHECK_MS);
}

/**
 * Lets requests in progress finish, accepts no further ones on keep-alive connections, and cuts off those that
 * are still sending or reading at the deadline. Nothing that was answered is lost.
 *
 * @param finish finishes the other work and closes the server
 * @throws what `finish` throws before the deadline, with the connections cut off
 */
export async function drainServer(server: FastifyInstance, finish: () => Promise<void>): Promise<void> {
  const raw = server.server;
  raw.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  raw.closeIdleConnections();
  // A reply that started earlier announces that its connection stays open.
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
