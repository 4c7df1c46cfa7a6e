import { WebSocket } from 'ws';
import type { Product } from './product.ts';

/** Opens sockets with one joined channel each, which receives the changes of one of the caller's tables. */
export async function openSockets(
  product: Pick<Product, 'url' | 'anonKey'>,
  count: number,
  join: { readonly token: string; readonly table: string; readonly event: string },
  heard: (socket: number, frame: string) => void = () => {},
): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  // Some at a time, as browsers connect, and not all at once like a flood.
  for (let at = 0; at < count; at += 50) {
    const some = Array.from({ length: Math.min(50, count - at) }, (_, n) =>
      openSocket(product, join, (frame) => heard(at + n, frame)),
    );
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

function openSocket(
  { url, anonKey }: Pick<Product, 'url' | 'anonKey'>,
  { token, table, event }: { readonly token: string; readonly table: string; readonly event: string },
  heard: (frame: string) => void,
): Promise<WebSocket> {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0&apikey=${anonKey}`,
    { perMessageDeflate: false },
  );
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => {
      const config = { postgres_changes: [{ event, schema: 'public', table }] };
      socket.send(JSON.stringify(['1', '1', 'realtime:bench', 'phx_join', { config, access_token: token }]));
    });
    socket.on('message', (data) => {
      const frame = String(data);
      if (frame.includes('Subscribed to PostgreSQL')) resolve(socket);
      else if (frame.includes('"status":"error"')) reject(new Error(frame));
      else heard(frame);
    });
  });
}
