import { createServer, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';

/** A port that this process holds, so that no other program can take it before the product listens. */
export interface ReservedPort {
  readonly port: number;
  /** Lets `server` answer on the held port as soon as it is told to listen. */
  handTo(server: Server): void;
  /** Gives the port up, when the start fails. */
  release(): Promise<void>;
}

/**
 * Reserves a free port of `host`. Features write the site's address into what they mount, so with `PORT=0`
 * the port must be known before they are mounted. Until `handTo`, every request gets a 503.
 */
export async function reserveFreePort(host: string): Promise<ReservedPort> {
  const holder = createServer((_request, reply) => {
    reply.writeHead(503, { 'retry-after': '1', connection: 'close', 'content-type': 'application/json' });
    reply.end('{"status":"starting"}');
  });
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.listen(0, host, resolve);
  });
  holder.unref();
  return {
    port: (holder.address() as AddressInfo).port,
    handTo(server) {
      // Fastify would bind the address a second time; we use the socket that already listens.
      server.listen = (...args: unknown[]) => {
        const listening = args.find((arg) => typeof arg === 'function');
        NetServer.prototype.listen.call(server, holder, listening as (() => void) | undefined);
        return server.ref();
      };
    },
    release: () => new Promise((resolve) => holder.close(() => resolve())),
  };
}

/** The first descriptor that systemd hands over (sd_listen_fds(3)). */
const FIRST_HANDED_OVER = 3;

/**
 * The listening socket that was passed to this process when it was started, as systemd does. It stays open
 * while the product restarts, and clients wait in its queue. Undefined when this process was given none.
 *
 * @throws Error when there are several
 */
export function inheritedSocket(
  environment: NodeJS.ProcessEnv,
  pid: number = process.pid,
): number | undefined {
  const { LISTEN_FDS: count = '0', LISTEN_PID: whose } = environment;
  if (count === '0' || whose !== String(pid)) return undefined;
  if (count !== '1')
    throw new Error(`systemd handed over ${count} sockets: northline.socket may name one address only.`);
  return FIRST_HANDED_OVER;
}

/**
 * Makes `server` listen on a descriptor and ignore the address that it is told, because the socket already
 * has one.
 */
export function listenOnInherited(server: Server, descriptor: number): void {
  server.listen = (...args: unknown[]) => {
    const listening = args.find((arg) => typeof arg === 'function');
    NetServer.prototype.listen.call(server, { fd: descriptor }, listening as (() => void) | undefined);
    return server;
  };
}
