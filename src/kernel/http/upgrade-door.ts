import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '../resources/log/log.ts';

/** A request for a WebSocket, at an address that a feature serves. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  /** The connection. The door already listens for its errors. */
  readonly stream: Duplex;
  /** The first bytes behind the request. */
  readonly head: Buffer;
  /** The address of the request; its host means nothing. */
  readonly target: URL;
}

/** The addresses of one feature's WebSockets. */
interface Route {
  readonly path: string | RegExp;
  readonly handle: (upgrade: UpgradeRequest) => void;
}

/** Where features say at which addresses they serve WebSockets. */
export interface UpgradeDoor {
  /**
   * Hands requests for a WebSocket at `path` to `handle`, which answers on the stream or passes it to `ws`.
   * An exception of `handle` is logged and ends that one connection.
   *
   * @param path a path, or a pattern that the whole path must match
   */
  serve(path: string | RegExp, handle: (upgrade: UpgradeRequest) => void): void;
  /** Connections of this process that were opened at paths with this beginning and are still open. */
  countOpen(beginning: string): number;
}

/**
 * The one place where an HTTP connection becomes a WebSocket. Everything else that offers another protocol, as HTTP/2
 * without TLS (`h2c`), and every address that no feature serves, is answered as an ordinary request, because a server
 * may ignore such an offer (RFC 9110 §7.8).
 */
export class UpgradeListener implements UpgradeDoor {
  readonly #log: Log;
  readonly #routes: Route[] = [];
  /** Each open connection and the path that it asked for. */
  readonly #open = new Map<Duplex, string>();
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  serve(path: string | RegExp, handle: (upgrade: UpgradeRequest) => void): void {
    this.#routes.push({ path, handle });
  }

  countOpen(beginning: string): number {
    return [...this.#open.values()].filter((path) => path.startsWith(beginning)).length;
  }

  /** Whether a request is for us; Node answers all others as ordinary requests (`shouldUpgradeCallback`). */
  accepts(request: IncomingMessage): boolean {
    const offered = (request.headers.upgrade ?? '').toLowerCase().split(/\s*,\s*/);
    return !this.#closed && offered.includes('websocket') && this.#find(request) !== undefined;
  }

  /** Takes over the connection of a request that {@link accepts} let pass. Throws nothing. */
  take(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    // First of all: Node has just removed its own listener, and a reset connection without one ends the process.
    stream.on('error', () => stream.destroy());
    const found = this.#find(request);
    if (found === undefined) {
      refuseUpgrade(stream, 404, 'Not Found');
      return;
    }
    const { target, handle } = found;
    this.#open.set(stream, target.pathname);
    stream.once('close', () => this.#open.delete(stream));
    try {
      handle({ request, stream, head, target });
    } catch (error) {
      this.#log.error({ err: error }, 'a request for a WebSocket failed');
      refuseUpgrade(stream, 500, 'Internal Server Error');
    }
  }

  /** From now on every request is an ordinary one. */
  close(): void {
    this.#closed = true;
  }

  /** Undefined for an address that no feature serves, and for a target that is no address, as `//`. */
  #find(request: IncomingMessage): (Pick<Route, 'handle'> & { readonly target: URL }) | undefined {
    const target = URL.parse(request.url ?? '/', 'http://localhost');
    if (target === null) return undefined;
    const { pathname } = target;
    const route = this.#routes.find(({ path }) =>
      typeof path === 'string' ? path === pathname : path.test(pathname),
    );
    return route && { target, handle: route.handle };
  }
}

/** Answers a request for a WebSocket with an HTTP error and ends the connection. */
export function refuseUpgrade(stream: Duplex, status: number, reason: string): void {
  // A reason phrase has no line ends and no characters beyond ASCII (RFC 9112 §4).
  const phrase = reason.replace(/[^ -~]/g, '');
  stream.end(`HTTP/1.1 ${status} ${phrase}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
