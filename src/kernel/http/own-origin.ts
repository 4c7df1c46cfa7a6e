import type { HttpContext } from './http-context.ts';

/**
 * The address on which this process listens, as seen from this machine, e.g. `http://127.0.0.1:8080`; waits
 * until it listens.
 */
export async function ownOrigin({ server }: Pick<HttpContext, 'server'>): Promise<string> {
  const { server: socket } = server;
  if (!socket.listening) await new Promise((resolve) => socket.once('listening', resolve));
  const address = socket.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the server does not listen on a port');
  }
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address];
  const host = loopback ?? address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
