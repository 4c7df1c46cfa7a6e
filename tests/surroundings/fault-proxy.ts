import net, { type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The fault that connections through a proxy meet: none, a refusal, a delay in each direction, or silence.
 */
export type Trouble = 'none' | 'away' | 'slow' | 'silent';

/** A connection to a server of this machine that can be disturbed while it is in use. */
export interface FaultProxy {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Sets the fault from now on, also for open connections; `away` ends them. */
  meet(trouble: Trouble): void;
  close(): Promise<void>;
}

/** Delay of each piece when it is slow, milliseconds. */
const SLOW_MS = 150;

/** Resolves when a socket accepts more data, or has closed. */
function drained(socket: net.Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off('drain', end).off('close', end);
      resolve();
    };
    socket.on('drain', end).on('close', end);
  });
}

/** Opens a proxy to `target`, as `net.connect` takes it: a port or a socket file. */
export async function startFaultProxy(target: net.NetConnectOpts): Promise<FaultProxy> {
  let trouble: Trouble = 'none';
  let changed = Promise.withResolvers<void>();
  const open = new Set<net.Socket>();

  const passage = async (): Promise<void> => {
    while (trouble === 'silent') await changed.promise;
    if (trouble === 'slow') await pause(SLOW_MS);
  };
  const carry = async (from: net.Socket, to: net.Socket): Promise<void> => {
    try {
      for await (const piece of from) {
        await passage();
        if (!to.write(piece) && !to.destroyed) await drained(to);
      }
      to.end();
    } catch {
      from.destroy();
      to.destroy();
    }
  };
  const server = net.createServer((near) => {
    if (trouble === 'away') return void near.destroy();
    const far = net.connect(target);
    for (const socket of [near, far]) {
      open.add(socket);
      // `carry` handles errors too; without a listener, an error would end the run.
      socket.on('error', () => {});
      // Its last piece may still be on its way to the other socket.
      socket.once('close', () => open.delete(socket));
    }
    void carry(near, far);
    void carry(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    meet(next) {
      trouble = next;
      if (next === 'away') for (const socket of open) socket.destroy();
      changed.resolve();
      changed = Promise.withResolvers();
    },
    async close() {
      trouble = 'away';
      changed.resolve();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
