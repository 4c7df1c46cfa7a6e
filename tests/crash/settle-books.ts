import type pg from 'pg';
import type { Product } from '../../bench/support/product.ts';
import { checkBooks } from './check-books.ts';
import type { Acknowledged } from './customer.ts';

/** Once the product is left alone, remaining work must shrink at least this often. */
const STANDSTILL_MS = 60_000;

/** Waits until no work is under way any more; returns every sentence about the books that is untrue then. */
export async function settleBooks(
  owner: pg.Client,
  { url, serviceKey }: Pick<Product, 'url' | 'serviceKey'>,
  books: readonly Acknowledged[],
): Promise<string[]> {
  const check = (): Promise<string[]> => checkBooks(owner, url, serviceKey, books);
  let faults = await check();
  let left = await unfinished(owner);
  for (let deadline = Date.now() + STANDSTILL_MS; faults.length > 0 && Date.now() < deadline; ) {
    await passLeases(owner);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const now = await unfinished(owner);
    if (now < left) deadline = Date.now() + STANDSTILL_MS;
    left = now;
    if (left === 0) faults = await check();
  }
  return left > 0 ? check() : faults;
}

/** Documents that still wait to be read, and credits that are still reserved. */
async function unfinished(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query(
    `select (select count(*) from public.user_files where status in ('queued', 'analyzing'))
          + (select count(*) from public.credit_transactions where state in ('reserved', 'claimed', 'stored')) as left`,
  );
  return Number(rows[0]?.left);
}

/** Makes leases expire, so that the sweep may handle what was left behind. */
async function passLeases(owner: pg.Client): Promise<void> {
  await owner.query(
    `update public.credit_transactions set expires_at = now() - interval '1 second', updated_at = now() - interval '1 day'
     where kind = 'spend' and state in ('reserved', 'claimed', 'stored')`,
  );
  await owner.query("update private.uploads set expires_at = now() - interval '1 second'");
}
