import dgram from 'node:dgram';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorInput } from './door-input.ts';

/** Where the doors of a product are, on the loopback. */
export interface DoorPorts {
  readonly http: number;
  readonly sip: number;
  readonly media: number | undefined;
}

/** How long a server may leave a request without a byte before the fuzzer hangs up: not a fault of the server. */
const PATIENCE_MS = 4000;
const MOST_ANSWER = 4000;

/**
 * Sends an input as it says, and returns the first 4,000 characters of the answer; empty for datagrams, and where the
 * connection ended without one.
 */
export async function deliverInput(input: DoorInput, ports: DoorPorts): Promise<string> {
  if (input.door === 'sip-udp') return sendDatagram(input.bytes, ports.sip);
  if (input.door === 'media') return ports.media === undefined ? '' : sendDatagram(input.bytes, ports.media);
  return overConnection(input, input.door === 'sip-tcp' ? ports.sip : ports.http);
}

async function sendDatagram(bytes: Buffer, port: number): Promise<string> {
  const socket = dgram.createSocket('udp4');
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.send(bytes.subarray(0, 60_000), port, '127.0.0.1', () => resolve());
  });
  socket.close();
  return '';
}

async function overConnection(input: DoorInput, port: number): Promise<string> {
  const socket = net.connect({ host: '127.0.0.1', port });
  let answer = '';
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.on('error', () => {});
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  let upgraded: (() => void) | undefined;
  socket.on('data', (chunk: Buffer) => {
    if (answer.length < MOST_ANSWER) answer += chunk.toString('latin1').slice(0, MOST_ANSWER);
    upgraded?.();
  });
  const connected = new Promise<void>((resolve) => {
    socket.once('connect', () => resolve());
  });
  await Promise.race([connected, closed]);
  await write(socket, input.bytes, input.after === undefined ? input.delivery : 'whole');
  if (input.after !== undefined) {
    await Promise.race([new Promise<void>((resolve) => (upgraded = resolve)), closed, sleep(500)]);
    await write(socket, input.after, input.delivery);
    await Promise.race([closed, sleep(30)]);
    socket.destroy();
  }
  if (input.door === 'sip-tcp') await Promise.race([closed, sleep(20)]).then(() => socket.destroy());
  await closed;
  return answer;
}

async function write(socket: net.Socket, bytes: Buffer, delivery: DoorInput['delivery']): Promise<void> {
  const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
  switch (delivery) {
    case 'whole':
      socket.write(bytes);
      return;
    case 'pieces':
      for (let at = 0; at < bytes.length; at += 700) {
        socket.write(bytes.subarray(at, at + 700));
        await sleep(1);
      }
      return;
    case 'slow':
      // A byte every two milliseconds, for the head's first bytes; then the rest.
      for (const byte of bytes.subarray(0, 40)) {
        socket.write(Buffer.from([byte]));
        await sleep(2);
      }
      socket.write(bytes.subarray(40));
      return;
    case 'half then end':
      socket.end(half);
      return;
    case 'half then reset':
      socket.write(half);
      await sleep(1);
      socket.resetAndDestroy();
      return;
    case 'reset at once':
      socket.write(bytes);
      socket.resetAndDestroy();
  }
}
