import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { ServiceError } from '@northline/service-error/service-error';

/** The two sockets of a call: sound on an even port, reports on the next one (RFC 3550 §11). */
export interface PortPair {
  readonly sound: Socket;
  readonly reports: Socket;
  readonly port: number;
}

/** How many ports are tried if any port will do: half of them are odd, few are in use. */
const TRIES = 40;

/**
 * Binds a pair.
 *
 * @param range first and last port that may be used; any port where it is missing
 * @throws ServiceError 503 `no_media_port` when every pair is taken
 */
export async function openPortPair(address: string, range?: readonly [number, number]): Promise<PortPair> {
  for (const wanted of candidates(range)) {
    const sound = await bound(address, wanted);
    if (sound === undefined) continue;
    const { port } = sound.address();
    let reports: Socket | undefined;
    try {
      reports = port % 2 === 0 ? await bound(address, port + 1) : undefined;
      if (reports !== undefined) return { sound, reports, port };
    } finally {
      if (reports === undefined) sound.close();
    }
  }
  throw new ServiceError(
    503,
    'no_media_port',
    'No pair of UDP ports is free for the sound of this call. Widen the range of ports or end other calls.',
  );
}

/** The even ports of the range, beginning at a place that nobody can guess. */
function candidates(range: readonly [number, number] | undefined): number[] {
  if (range === undefined) return new Array<number>(TRIES).fill(0);
  const first = range[0] + (range[0] % 2);
  const count = Math.max(0, Math.floor((range[1] - first + 1) / 2));
  const start = Math.floor(Math.random() * count);
  return Array.from({ length: count }, (_, n) => first + 2 * ((start + n) % count));
}

async function bound(address: string, port: number): Promise<Socket | undefined> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    socket.bind({ address, port, exclusive: true });
    await once(socket, 'listening');
    // Needed until a call uses the socket and adds its own listener: without one an error would end the
    // process.
    socket.on('error', () => {});
    return socket;
  } catch (error) {
    socket.close();
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
