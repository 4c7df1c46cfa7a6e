import type { SecureContextOptions } from 'node:tls';
import { openStreams } from './stream-transport.ts';
import { openDatagrams } from './udp-transport.ts';

/** How messages travel. */
export type SipProtocol = 'udp' | 'tcp' | 'tls';

/** An address at which calls are listened for. */
export interface SipListenAddress {
  readonly protocol: SipProtocol;
  /** IPv4 or IPv6, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A socket that listens. */
export interface SipListener extends SipListenAddress {
  /** Only this machine reaches it. */
  readonly loopback: boolean;
}

/** Where a message came from, or is to go. */
export interface SipPlace {
  readonly protocol: SipProtocol;
  /** IP address; of a server over TLS also its name. */
  readonly address: string;
  readonly port: number;
  /** The name that a TLS server's certificate has to bear, where it was called by one. */
  readonly serverName?: string | undefined;
}

/** Where a message came from. */
export interface SipSource extends SipPlace {
  /** The socket that received it. */
  readonly listener: SipListener;
}

/** What all sockets have in common. */
export interface TransportEvents {
  /** A whole message. */
  message(bytes: Buffer, from: SipSource): void;
  log(line: string): void;
}

/** Sockets of one protocol. */
export interface ProtocolSockets {
  readonly listener: SipListener;
  /** @throws Error when it cannot leave */
  send(bytes: Buffer, to: SipPlace): Promise<void>;
  close(): Promise<void>;
}

/** TLS: what a listener shows, and whom connections of ours believe. */
export interface SipTls {
  readonly server?: SecureContextOptions | undefined;
  readonly authorities?: readonly string[] | undefined;
}

/** All sockets of SIP. */
export interface SipTransport {
  readonly listeners: readonly SipListener[];
  /** The socket from which a place is reached: the one of its protocol, on the loopback for the loopback. */
  listenerFor(place: Pick<SipPlace, 'protocol' | 'address'>): SipListener | undefined;
  /** @throws Error when it cannot leave */
  send(bytes: Buffer, to: SipPlace, from?: SipListener): Promise<void>;
  close(): Promise<void>;
}

/** Whether only this machine has the address. */
export const isLoopbackAddress = (address: string): boolean =>
  /^127\./.test(address) || address === '::1' || /^::ffff:127\./i.test(address);

/**
 * Opens sockets at every address. Where `mayMove` the usual port may be taken by somebody else: then a free
 * one is listened on.
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
