import { parseArgs } from 'node:util';
import { connectAsOwner } from '../../bench/support/owner-connection.ts';
import { freshDataDir, type Product, removeDataDir, startProduct } from '../../bench/support/product.ts';
import { type Random, seeded } from '../histories/random.ts';
import { type Acknowledged, createCustomer } from './customer.ts';
import { settleBooks } from './settle-books.ts';

const ACTIONS_OF_A_LIFE = 40;
/** The share of the given time in which the product is killed. */
const KILLING_PART = 0.8;

/** What a crash run did and found. */
interface CrashOutcome {
  readonly kills: number;
  readonly payments: number;
  readonly files: number;
  readonly analyses: number;
  readonly deleted: number;
  readonly faults: readonly string[];
}

/**
 * Kills the product (SIGKILL) at random moments while customers pay, upload, analyse and delete, until
 * `until` (epoch ms) has passed and it has been killed at least once. Then lets it finish its work and checks
 * the books.
 */
async function crashRun(until: number, random: Random, customers = 4): Promise<CrashOutcome> {
  const dataDir = freshDataDir();
  let product: Product = await startProduct(dataDir, 0);
  const { port } = product;
  const books: Acknowledged[] = [];
  let busy = true;
  const failures: unknown[] = [];
  // A person can have one plan of a line, so new people keep arriving; each stays for some actions.
  const lives = Array.from({ length: customers }, async () => {
    while (busy) {
      const person = await createCustomer(product.url, product.anonKey, random);
      books.push(person.acknowledged);
      for (let action = 0; busy && action < ACTIONS_OF_A_LIFE; action += 1) {
        await person.act(action === 0 ? 0 : random.part()).catch((error) => failures.push(error));
      }
    }
  });
  let kills = 0;
  while (kills === 0 || Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 200 + random.part() * 2000));
    await product.kill();
    kills += 1;
    product = await startProduct(dataDir, port);
  }
  busy = false;
  await Promise.all(lives);
  const owner = await connectAsOwner(dataDir);
  try {
    const faults = await settleBooks(owner, product, books);
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

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' } },
});
// Checking the books takes time too.
const until = Date.now() + Number(values.minutes) * 60_000 * KILLING_PART;
const { faults, ...counts } = await crashRun(until, seeded(Number(values.seed)));
console.log(JSON.stringify(counts));
for (const fault of faults) console.log(`FAULT ${fault}`);
const idle = counts.payments === 0 || counts.files + counts.deleted === 0;
if (idle) console.log('Nobody paid or uploaded anything, so nothing was shown.');
console.log(faults.length === 0 ? 'The books are right.' : `${faults.length} faults.`);
process.exit(faults.length === 0 && !idle ? 0 : 1);
