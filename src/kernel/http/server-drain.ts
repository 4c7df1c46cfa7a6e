import type { FastifyInstance } from 'fastify';
import { waitAtMost } from '../resources/bounded-wait.ts';

/** Milliseconds that calls, jobs and requests under way may take together to finish when the process stops. */
const DRAIN_MS = 5500;
/** Milliseconds for what ends by itself once its connections have been cut off. */
const CUT_OFF_MS = 300;
/** How often connections are closed that have become idle, milliseconds. */
const IDLE_CHECK_MS = 100;

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
