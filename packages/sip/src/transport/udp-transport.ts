import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { ProtocolSockets, SipListener, TransportEvents } from './sip-transport.ts';

/** Opens one UDP socket; requests and responses are sent from the port that receives them (RFC 3581). */
export async function openDatagrams(address: SipListener, events: TransportEvents): Promise<ProtocolSockets> {
  const socket = createSocket(isIPv6(address.host) ? 'udp6' : 'udp4');
  socket.bind({ address: address.host, port: address.port, exclusive: true });
  await once(socket, 'listening').catch((error: unknown) => {
    socket.close();
    throw error;
  });
  const listener: SipListener = { ...address, port: socket.address().port };
  let closed = false;
  socket.on('error', (error) => events.log(`a datagram socket failed: ${String(error)}`));
  socket.on('message', (bytes, from) => {
    events.message(bytes, { protocol: 'udp', address: from.address, port: from.port, listener });
  });
  return {
    listener,
    send: (bytes, to) =>
      new Promise<void>((resolve, reject) => {
        if (closed) return reject(new Error('the socket is closed'));
        socket.send(bytes, to.port, to.address, (error) => (error === null ? resolve() : reject(error)));
      }),
    async close() {
      if (closed) return;
      closed = true;
      const gone = once(socket, 'close');
      socket.close();
      await gone;
    },
  };
}
