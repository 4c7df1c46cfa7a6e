import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { connectAsOwner } from '../../bench/support/owner-connection.ts';
import { type Acknowledged, createCustomer } from '../crash/customer.ts';
import { settleBooks } from '../crash/settle-books.ts';
import { seeded } from '../histories/random.ts';
import { CHECKOUT, runProduct, temporaryFolder } from '../support/servers/product-process.ts';

const ACTIONS_OF_A_LIFE = 40;
const CUSTOMERS = 3;
/** Files that exist before the first backup. */
const FILES_BEFORE = 4;
const execute = promisify(execFile);

/** The maximum number of backups, and the seed for what customers do. */
export interface BackupRunOptions {
  readonly backups: number;
  /** Epoch ms after which no further backup is made. */
  readonly until?: number;
  readonly seed: number;
}

/** A backup, and what had been acknowledged before it began and so must be in it. */
export interface TakenBackup {
  readonly folder: string;
  readonly expected: readonly Acknowledged[];
}

/**
 * Makes backups of the real product in `folder`, while customers sign up, pay, upload, analyse and delete;
 * passes each on as soon as it is complete.
 */
export async function takeBackups(
  folder: string,
  { backups, until = Number.POSITIVE_INFINITY, seed }: BackupRunOptions,
  take: (backup: TakenBackup) => Promise<void>,
): Promise<void> {
  const [dataDir, archive] = [path.join(folder, 'data'), path.join(folder, 'archive')];
  const world: World = { product: await startInstallation(dataDir), books: [], failures: [] };
  const crowd = startCrowd(world, CUSTOMERS, seed);
  try {
    await crowd.until(() => world.books.reduce((sum, book) => sum + book.files.size, 0) >= FILES_BEFORE);
    for (let made = 0; made < backups && (made === 0 || Date.now() < until); made += 1) {
      const before = structuredClone(world.books);
      const said = await northline(['backup', '--to', archive], { DATA_DIR: dataDir });
      await crowd.pauseBetweenActions();
      const expected = whatMustBeThere(before, structuredClone(world.books));
      await take({ folder: said.split(':')[0] ?? '', expected });
    }
  } finally {
    await crowd.end();
    await world.product.stop();
  }
  if (world.failures.length > 0) throw new AggregateError(world.failures, String(world.failures[0]));
}

/** Restores a backup elsewhere, starts it, and returns what is wrong with it. */
export async function checkRestored({ folder: backup, expected }: TakenBackup): Promise<string[]> {
  using folder = temporaryFolder('restored');
  const dataDir = path.join(folder.path, 'data');
  await northline(['restore', '--from', backup, '--data-dir', dataDir], {});
  const restored = await startInstallation(dataDir);
  try {
    const owner = await connectAsOwner(dataDir);
    try {
      const { rows } = await owner.query<{ id: string }>('select id from auth.users');
      const known = new Set(rows.map(({ id }) => id));
      const lost = expected
        .filter(({ userId }) => !known.has(userId))
        .map(({ userId }) => `the account ${userId} is lost`);
      return [...lost, ...(await settleBooks(owner, restored, expected))];
    } finally {
      await owner.end();
    }
  } finally {
    await restored.stop();
  }
}

/**
 * What was acknowledged before a backup and not undone until it was made: a deletion in between may or may
 * not be in it.
 */
function whatMustBeThere(before: readonly Acknowledged[], after: readonly Acknowledged[]): Acknowledged[] {
  const later = new Map(after.map((book) => [book.userId, book]));
  return before.map((book) => {
    const files = new Map([...book.files].filter(([file]) => later.get(book.userId)?.files.has(file)));
    const analyses = new Set([...book.analyses].filter((file) => files.has(file)));
    return { ...book, files, analyses };
  });
}

/** The product in its own process, with its API keys. */
interface Installation {
  readonly url: string;
  readonly anonKey: string;
  readonly serviceKey: string;
  stop(): Promise<unknown>;
}

async function startInstallation(dataDir: string): Promise<Installation> {
  const product = runProduct({
    settings: { DATA_DIR: dataDir, RATE_LIMITS: 'off' },
    command: [process.execPath, path.join(CHECKOUT, 'src', 'cli', 'start.ts')],
  });
  const url = await product.url;
  const keys = JSON.parse(readFileSync(path.join(dataDir, 'keys.json'), 'utf8')) as Record<string, string>;
  return { url, anonKey: keys.anon_key ?? '', serviceKey: keys.service_role_key ?? '', stop: product.stop };
}

interface World {
  readonly product: Installation;
  readonly books: Acknowledged[];
  readonly failures: unknown[];
}

/** Customers who keep arriving, each for some actions, which the seed decides. */
function startCrowd(world: World, customers: number, seed: number) {
  const random = seeded(seed);
  const current = new Set<Promise<void>>();
  let busy = true;
  const lives = Array.from({ length: customers }, async () => {
    while (busy) {
      const person = await createCustomer(world.product.url, world.product.anonKey, random);
      world.books.push(person.acknowledged);
      for (let action = 0; busy && action < ACTIONS_OF_A_LIFE; action += 1) {
        const done = person
          .act(action === 0 ? 0 : random.part())
          .catch((error) => void world.failures.push(error));
        current.add(done);
        await done;
        current.delete(done);
      }
    }
  });
  return {
    /** Resolves when all current actions have ended. */
    pauseBetweenActions: () => Promise.all(current),
    async until(reached: () => boolean): Promise<void> {
      while (!reached()) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    async end(): Promise<void> {
      busy = false;
      await Promise.all(lives);
    },
  };
}

/** The output of `northline WORDS…` in its own process. @throws Error with what it wrote */
async function northline(words: readonly string[], settings: Record<string, string>): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', ...settings };
  const script = path.join(CHECKOUT, 'src', 'cli', 'northline.ts');
  return (await execute(process.execPath, [script, ...words], { env })).stdout;
}
