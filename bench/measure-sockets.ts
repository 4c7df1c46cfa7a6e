import { type Figure, residentBytes, shown } from './support/figure.ts';
import { connectAsOwner } from './support/owner-connection.ts';
import { newPerson } from './support/people.ts';
import type { Product } from './support/product.ts';
import { openSockets } from './support/sockets.ts';

const IDLE = 2000;
const SUBSCRIBERS = 100;
const PER_SECOND = 1000;
const SECONDS = 5;
/** Changes in one commit; there are twenty commits a second. */
const PER_COMMIT = 50;
/** When nothing arrives for this long, the rest counts as lost. */
const PATIENCE_MS = 10_000;
const MB = 1024 * 1024;

/**
 * The cost of idle sockets with a joined channel, and whether a stream of changes reaches many subscribers
 * completely.
 */
export async function measureSockets(product: Product): Promise<Figure[]> {
  return [await measureIdle(product), await measureStream(product)];
}

async function measureIdle(product: Product): Promise<Figure> {
  const person = await newPerson(product);
  const pid = product.process.pid ?? 0;
  const join = { token: person.accessToken, table: 'customers', event: '*' };
  // What the first sockets load (code, caches) is not a cost of each socket.
  const first = await openSockets(product, 50, join);
  const before = await residentBytes(pid);
  const sockets = await openSockets(product, IDLE, join);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const cost = ((await residentBytes(pid)) - before) / MB;
  for (const socket of [...first, ...sockets]) socket.terminate();
  return {
    name: 'Memory of idle sockets',
    measured: shown(cost, 'MB'),
    against: `${IDLE.toLocaleString('en-GB')} sockets with a channel each`,
    aim: 'under 100 MB',
    met: cost < 100,
  };
}

async function measureStream(product: Product): Promise<Figure> {
  const person = await newPerson(product);
  const counts = new Array<number>(SUBSCRIBERS).fill(0);
  const join = { token: person.accessToken, table: 'credit_transactions', event: 'INSERT' };
  let last = performance.now();
  const sockets = await openSockets(product, SUBSCRIBERS, join, (socket, frame) => {
    if (!frame.includes('"postgres_changes"') || !frame.includes('"ids"')) return;
    counts[socket] = (counts[socket] ?? 0) + 1;
    last = performance.now();
  });
  const owner = await connectAsOwner(product.dataDir);
  const started = performance.now();
  const total = PER_SECOND * SECONDS;
  for (let sent = 0; sent < total; sent += PER_COMMIT) {
    const due = started + (sent / PER_SECOND) * 1000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    await owner.query(
      `insert into public.credit_transactions (user_id, amount, kind, description)
       select $1, 1, 'correction', 'bench' from generate_series(1, $2::int)`,
      [person.id, PER_COMMIT],
    );
  }
  const written = performance.now() - started;
  await owner.end();
  while (counts.some((count) => count < total) && performance.now() - last < PATIENCE_MS) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const socket of sockets) socket.terminate();
  const missing = counts.reduce((sum, count) => sum + Math.max(0, total - count), 0);
  const behind = (last - started - written) / 1000;
  return {
    name: 'Changes to 100 subscribers',
    measured: `${missing} of ${(total * SUBSCRIBERS).toLocaleString('en-GB')} lost`,
    against: `${shown(total / (written / 1000), '/s')} written, last one ${shown(Math.max(behind, 0), 's')} later`,
    aim: '1,000 changes a second, none lost',
    met: missing === 0 && written < SECONDS * 1100,
  };
}
