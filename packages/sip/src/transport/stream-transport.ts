import { once } from 'node:events';
import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { MessageFraming } from '../message/message-framing.ts';
import type { ProtocolSockets, SipListener, SipPlace, SipTls, TransportEvents } from './sip-transport.ts';

/** Most connections at one listener, in all and from one address. */
const MOST_CONNECTIONS = 200;
const MOST_OF_AN_ADDRESS = 20;
/** A connection without any message for this time is closed; calls send keep-alives more often. */
const IDLE_MS = 10 * 60_000;
/** With more unsent bytes the other side does not read, and the connection is closed. */
const MOST_UNSENT_BYTES = 1024 * 1024;
const CONNECT_MS = 8000;

/**
 * Opens a listener for TCP or TLS, and connects to others. One connection carries both directions (RFC 3261
 * §18).
 */
export async function openStreams(
  address: SipListener,
  tls: SipTls,
  events: TransportEvents,
): Promise<ProtocolSockets> {
  const secure = address.protocol === 'tls';
  const server: Server = secure ? createTlsServer({ ...tls.server, minVersion: 'TLSv1.2' }) : createServer();
  const streams = new Streams(address, tls, events);
  server.maxConnections = MOST_CONNECTIONS;
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => streams.accept(socket));
  // A failed handshake is the other side's fault; Node closes its connection.
  server.on('tlsClientError', () => {});
  const listening = once(server, 'listening');
  server.listen({ host: address.host, port: address.port, exclusive: true });
  await listening;
  server.on('error', (error) => events.log(`a listener failed: ${String(error)}`));
  streams.listener = { ...address, port: (server.address() as { port: number }).port };
  return {
    listener: streams.listener,
    send: (bytes, to) => streams.send(bytes, to),
    async close() {
      const gone = once(server, 'close');
      server.close();
      streams.close();
      await gone;
    },
  };
}

const keyOf = (host: string | undefined, port: number | undefined): string => `${host} ${port}`;

class Streams {
  listener: SipListener;
  readonly #tls: SipTls;
  readonly #events: TransportEvents;
  readonly #sockets = new Map<string, Socket>();
  readonly #connecting = new Map<string, Promise<Socket>>();

  constructor(listener: SipListener, tls: SipTls, events: TransportEvents) {
    this.listener = listener;
    this.#tls = tls;
    this.#events = events;
  }

  accept(socket: Socket): void {
    const same = [...this.#sockets.values()].filter((one) => one.remoteAddress === socket.remoteAddress);
    socket.on('error', () => socket.destroy());
    if (same.length >= MOST_OF_AN_ADDRESS) socket.destroy();
    else this.#keep(socket, keyOf(socket.remoteAddress, socket.remotePort));
  }

  async send(bytes: Buffer, to: SipPlace): Promise<void> {
    const key = keyOf(to.address, to.port);
    const socket = this.#sockets.get(key) ?? (await this.#connected(key, to));
    if (socket.writableLength > MOST_UNSENT_BYTES) {
      socket.destroy();
      throw new Error('the other side does not read');
    }
    await new Promise<void>((resolve, reject) => {
      socket.write(bytes, (error) => (error == null ? resolve() : reject(error)));
    });
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  #connected(key: string, to: SipPlace): Promise<Socket> {
    const under = this.#connecting.get(key) ?? this.#connect(key, to);
    this.#connecting.set(key, under);
    return under;
  }

  async #connect(key: string, to: SipPlace): Promise<Socket> {
    const place = { host: to.address, port: to.port };
    const socket: Socket =
      to.protocol === 'tls'
        ? connectTls({
            ...place,
            minVersion: 'TLSv1.2',
            ...(to.serverName === undefined ? {} : { servername: to.serverName }),
            ...(this.#tls.authorities === undefined ? {} : { ca: [...this.#tls.authorities] }),
          })
        : connectTcp(place);
    // Added right away: without a listener, a late error on an abandoned connection would end the
    // process.
    socket.on('error', () => socket.destroy());
    try {
      await once(socket, to.protocol === 'tls' ? 'secureConnect' : 'connect', {
        signal: AbortSignal.timeout(CONNECT_MS),
      });
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      this.#connecting.delete(key);
    }
    this.#keep(socket, key);
    return socket;
  }

  #keep(socket: Socket, key: string): void {
    const framing = new MessageFraming();
    const { remoteAddress: address = '', remotePort: port = 0 } = socket;
    const from = { protocol: this.listener.protocol, address, port, listener: this.listener };
    this.#sockets.set(key, socket);
    socket.setNoDelay(true);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('close', () => {
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key);
    });
    socket.on('data', (piece) => {
      // A double line end asks whether this side is still there (RFC 5626 §4.4.1).
      if (piece.length === 4 && piece.toString('latin1') === '\r\n\r\n') socket.write('\r\n');
      const messages = framing.push(piece);
      for (const bytes of messages ?? []) this.#events.message(bytes, from);
      if (messages === undefined) socket.destroy();
    });
  }
}
