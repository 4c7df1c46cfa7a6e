import type { SecureContextOptions } from 'node:tls';
import { openStreams } from './stream-transport.ts';
import { openDatagrams } from './udp-transport.ts';

/** The transport protocol of messages. */
export type SipProtocol = 'udp' | 'tcp' | 'tls';

/** An address where we listen for calls. */
export interface SipListenAddress {
  readonly protocol: SipProtocol;
  /** IPv4 or IPv6, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A listening socket. */
export interface SipListener extends SipListenAddress {
  /** Whether only this machine can reach it. */
  readonly loopback: boolean;
}

/** Where a message came from, or is sent. */
export interface SipPlace {
  readonly protocol: SipProtocol;
  /** The IP address. */
  readonly address: string;
  readonly port: number;
  /** The name that a TLS server's certificate has to contain, if the server was called by name. */
  readonly serverName?: string | undefined;
}

/** Where a message came from. */
export interface SipSource extends SipPlace {
  /** The socket that received it. */
  readonly listener: SipListener;
}

/** What all sockets report. */
export interface TransportEvents {
  /** A complete message has arrived. */
  message(bytes: Buffer, from: SipSource): void;
  log(line: string): void;
}

/** The sockets of one protocol. */
export interface ProtocolSockets {
  readonly listener: SipListener;
  /** @throws Error when the message cannot be sent */
  send(bytes: Buffer, to: SipPlace): Promise<void>;
  close(): Promise<void>;
}

/** TLS: the certificate of a listener, and the authorities that our connections trust. */
export interface SipTls {
  readonly server?: SecureContextOptions | undefined;
  readonly authorities?: readonly string[] | undefined;
}

/** All SIP sockets. */
export interface SipTransport {
  readonly listeners: readonly SipListener[];
  /** The socket for a place: one of its protocol, and for the loopback one on the loopback. */
  listenerFor(place: Pick<SipPlace, 'protocol' | 'address'>): SipListener | undefined;
  /** @throws Error when the message cannot be sent */
  send(bytes: Buffer, to: SipPlace, from?: SipListener): Promise<void>;
  close(): Promise<void>;
}

/** Whether the address belongs to this machine's loopback. */
export const isLoopbackAddress = (address: string): boolean =>
  /^127\./.test(address) || address === '::1' || /^::ffff:127\./i.test(address);

/**
 * Opens sockets at all addresses. With `mayMove` a free port is used where another program has the usual one.
 *
 * @throws Error with a sentence for the operator
 */
export async function openTransport(
  addresses: readonly SipListenAddress[],
  { tls, mayMove = false }: { readonly tls: SipTls; readonly mayMove?: boolean },
  events: TransportEvents,
): Promise<SipTransport> {
  const open: ProtocolSockets[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(open.map((sockets) => sockets.close()));
  };
  try {
    for (const address of addresses) open.push(await openAt(address, { tls, mayMove }, events));
  } catch (error) {
    await close();
    throw error;
  }
  const reaching = ({
    protocol,
    address,
  }: Pick<SipPlace, 'protocol' | 'address'>): ProtocolSockets | undefined => {
    const fitting = open.filter(({ listener }) => listener.protocol === protocol);
    const near = isLoopbackAddress(address);
    return fitting.find(({ listener }) => listener.loopback === near) ?? (near ? fitting[0] : undefined);
  };
  return {
    listeners: open.map(({ listener }) => listener),
    listenerFor: (place) => reaching(place)?.listener,
    async send(bytes, to, from) {
      const sockets = open.find(({ listener }) => listener === from) ?? reaching(to);
      if (sockets === undefined)
        throw new Error(`nothing listens for ${to.protocol} that reaches ${to.address}`);
      await sockets.send(bytes, to);
    },
    close,
  };
}

async function openAt(
  address: SipListenAddress,
  { tls, mayMove }: { readonly tls: SipTls; readonly mayMove: boolean },
  events: TransportEvents,
): Promise<ProtocolSockets> {
  const at = (port: number): Promise<ProtocolSockets> => {
    const moved = { ...address, port, loopback: isLoopbackAddress(address.host) };
    return address.protocol === 'udp' ? openDatagrams(moved, events) : openStreams(moved, tls, events);
  };
  const { protocol, host, port } = address;
  try {
    return await at(port);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && mayMove) return at(0);
    const why =
      code === 'EADDRINUSE'
        ? 'is in use: stop the other program or set SIP_LISTEN'
        : `cannot be used (${message})`;
    throw new Error(`The telephone's address ${protocol}://${host}:${port} ${why}.`, { cause: error });
  }
}
