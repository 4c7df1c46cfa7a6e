import path from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { connectAsOwner } from '../../bench/connect-as-owner.ts';
import { freePort, freshDataDir, type Product, removeDataDir, startProduct } from '../../bench/product.ts';
import { checkBooks } from './check-books.ts';
import { type Acknowledged, createCustomer } from './customer.ts';

/** Once nobody kills any more, leftover work must shrink at least this often. */
const STANDSTILL_MS = 60_000;
const ACTIONS_OF_A_LIFE = 40;

/** What a crash run did and found. */
export interface CrashOutcome {
  readonly kills: number;
  readonly payments: number;
  readonly files: number;
  readonly analyses: number;
  readonly deleted: number;
  readonly faults: readonly string[];
}

/**
 * Kills the product (SIGKILL) `kills` times at random moments while customers pay, upload,
 * analyse and delete, then lets it settle and checks the books.
 */
export async function crashRun(kills: number, customers = 4): Promise<CrashOutcome> {
  const dataDir = freshDataDir();
  const port = await freePort();
  let product: Product = await startProduct(dataDir, port);
  const books: Acknowledged[] = [];
  let busy = true;
  const failures: unknown[] = [];
  // A person has one plan of a line, so new people keep coming: each stays for some actions.
  const lives = Array.from({ length: customers }, async () => {
    while (busy) {
      const person = await createCustomer(product.url, product.anonKey);
      books.push(person.acknowledged);
      for (let action = 0; busy && action < ACTIONS_OF_A_LIFE; action += 1) {
        await person.act(action === 0 ? 0 : Math.random()).catch((error) => failures.push(error));
      }
    }
  });
  for (let kill = 0; kill < kills; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 2000));
    await product.kill();
    product = await startProduct(dataDir, port);
  }
  busy = false;
  await Promise.all(lives);
  const owner = await connectAsOwner(dataDir);
  try {
    let faults = await checkBooks(owner, product.url, product.serviceKey, books);
    let left = await unfinished(owner);
    for (let deadline = Date.now() + STANDSTILL_MS; faults.length > 0 && Date.now() < deadline; ) {
      await passLeases(owner);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const now = await unfinished(owner);
      if (now < left) deadline = Date.now() + STANDSTILL_MS;
      left = now;
      if (left === 0) faults = await checkBooks(owner, product.url, product.serviceKey, books);
    }
    if (left > 0) faults = await checkBooks(owner, product.url, product.serviceKey, books);
    const sum = (count: (book: Acknowledged) => number) =>
      books.reduce((total, book) => total + count(book), 0);
    return {
      kills,
      payments: sum((book) => book.payments),
      files: sum((book) => book.files.size),
      analyses: sum((book) => book.analyses.size),
      deleted: sum((book) => book.deleted.size),
      faults: [...faults, ...failures.map(String)],
    };
  } finally {
    await owner.end();
    await product.stop();
    if (failures.length === 0) removeDataDir(dataDir);
  }
}

/** Documents that still wait to be read, and credits that are still on their way. */
async function unfinished(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query(
    `select (select count(*) from public.user_files where status in ('queued', 'analyzing'))
          + (select count(*) from public.credit_transactions where state in ('reserved', 'claimed', 'stored')) as left`,
  );
  return Number(rows[0]?.left);
}

/** As if the minutes of a lease had passed: the sweeper may then act on what was left behind. */
async function passLeases(owner: pg.Client): Promise<void> {
  await owner.query(
    `update public.credit_transactions set expires_at = now() - interval '1 second', updated_at = now() - interval '1 day'
     where kind = 'spend' and state in ('reserved', 'claimed', 'stored')`,
  );
  await owner.query("update private.uploads set expires_at = now() - interval '1 second'");
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === import.meta.filename) {
  const { values } = parseArgs({ options: { kills: { type: 'string', default: '200' } } });
  const outcome = await crashRun(Number(values.kills));
  const { faults, ...counts } = outcome;
  console.log(JSON.stringify(counts));
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(faults.length === 0 ? 'The books are right.' : `${faults.length} faults.`);
  process.exit(faults.length === 0 ? 0 : 1);
}
