import { giveCredits } from './support/credit-grant.ts';
import { type Figure, median, shown } from './support/figure.ts';
import { connectAsOwner } from './support/owner-connection.ts';
import { newPerson, secondBrowser } from './support/people.ts';
import type { Product } from './support/product.ts';

const CHANGES = 60;

/** Milliseconds from a commit in the database to the event in a second browser's socket. */
export async function measureDelivery(product: Product): Promise<Figure> {
  const person = await newPerson(product);
  await giveCredits(product.dataDir, person.id, 1, 0);
  const client = await secondBrowser(product, person);
  const owner = await connectAsOwner(product.dataDir);
  let arrived: (() => void) | undefined;
  const channel = client
    .channel('bench')
    .on('postgres_changes', { event: 'UPDATE', schema: 'public', table: 'customers' }, () => arrived?.());
  await new Promise<void>((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve();
      else if (status !== 'CLOSED') reject(error ?? new Error(status));
    });
  });
  const times: number[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const heard = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await owner.query('update public.customers set updated_at = now() where user_id = $1', [person.id]);
    const committed = performance.now();
    await heard;
    times.push(performance.now() - committed);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await client.removeAllChannels();
  await owner.end();
  const middle = median(times);
  return {
    name: 'Commit to second browser',
    measured: shown(Math.max(middle, 0), 'ms median'),
    against: `${shown(Math.max(...times), 'ms')} worst of ${CHANGES}`,
    aim: 'at most 10 ms at the median, idle machine',
    met: middle <= 10,
  };
}
