import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { Random } from '../../../histories/random.ts';

/** The counts of a relay. */
export interface LossyRelay {
  /** The port to which the client sends. */
  readonly port: number;
  readonly dropped: () => number;
  readonly doubled: () => number;
}

const LOST = 0.3;
const DOUBLED = 0.2;

/**
 * A UDP path between a client and a server on the loopback that loses datagrams, and delivers some twice to
 * the server. A repeated datagram always arrives: the loss is random, but the eventual delivery is certain.
 */
export async function openLossyRelay(server: number, random: Random): Promise<LossyRelay> {
  const [near, far] = await Promise.all([bound(), bound()]);
  const seen = new Set<string>();
  let client: { readonly port: number; readonly address: string } | undefined;
  let dropped = 0;
  let doubled = 0;
  /** Whether this datagram is forwarded. */
  const passes = (way: string, bytes: Buffer): boolean => {
    const key = `${way} ${bytes.toString('latin1')}`;
    const lost = !seen.has(key) && random.chance(LOST);
    seen.add(key);
    if (lost) dropped += 1;
    return !lost;
  };
  near.on('message', (bytes, from) => {
    client = from;
    if (!passes('there', bytes)) return;
    far.send(bytes, server, '127.0.0.1');
    if (!random.chance(DOUBLED)) return;
    doubled += 1;
    far.send(bytes, server, '127.0.0.1');
  });
  far.on('message', (bytes) => {
    if (client !== undefined && passes('back', bytes)) near.send(bytes, client.port, client.address);
  });
  return { port: near.address().port, dropped: () => dropped, doubled: () => doubled };
}

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return socket;
}
