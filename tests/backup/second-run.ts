import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { connectAsOwner } from '../../bench/support/owner-connection.ts';
import { embeddedCluster } from '../../src/kernel/resources/database/embedded-postgres.ts';
import { readWalStatus } from '../../src/kernel/resources/database/wal-status.ts';
import { seeded } from '../histories/random.ts';
import { CHECKOUT, type Product, runProduct, temporaryFolder } from '../support/servers/product-process.ts';

const execute = promisify(execFile);
/** Milliseconds that a process lives before it is killed: at least, and at most so many more. */
const SHORTEST_LIFE_MS = 4000;
const LONGER_MS = 8000;
const BUCKET = 'seconds';
const PASSPHRASE = 'correct horse battery staple';

/** How many moments are restored, how often the process is killed before, and the seed for both. */
export interface SecondRunOptions {
  readonly seconds: number;
  readonly kills: number;
  readonly seed: number;
}

/** What the run found. */
export interface SecondRun {
  /** Files whose upload was acknowledged. */
  readonly files: number;
  readonly kills: number;
  readonly restored: number;
  /** The most seconds that the archive was behind while the product ran. */
  readonly mostBehind: number;
  readonly faults: readonly string[];
}

/** A file whose upload was acknowledged, and when, epoch ms. */
interface StoredFile {
  readonly name: string;
  readonly at: number;
}

/**
 * Uploads to the real product with an encrypted archive while its process is killed again and again, half of
 * the times with its database server; then restores random moments from the archive alone and compares each
 * with what was acknowledged before it.
 */
export async function restoreSeconds({ seconds, kills, seed }: SecondRunOptions): Promise<SecondRun> {
  using folder = temporaryFolder('seconds');
  const random = seeded(seed);
  const dataDir = path.join(folder.path, 'data');
  const passphrase = path.join(folder.path, 'passphrase');
  const archive = path.join(folder.path, 'archive');
  writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 });
  const settings = {
    ...{ DATA_DIR: dataDir, BACKUP_TO: archive, BACKUP_PASSPHRASE_FILE: passphrase },
    RATE_LIMITS: 'off',
  };
  const files: StoredFile[] = [];
  let mostBehind = 0;
  let running = await start(settings);
  await makeBucket(running.url, dataDir);
  await until(() => typeof readWalStatus(dataDir)?.usable_from === 'string');
  const from = Date.parse(readWalStatus(dataDir)?.usable_from ?? '');
  for (let killed = 0; killed < kills; killed += 1) {
    const end = Date.now() + SHORTEST_LIFE_MS + random.below(LONGER_MS);
    const reachedBefore = readWalStatus(dataDir)?.reached_at;
    await until(() => readWalStatus(dataDir)?.reached_at !== reachedBefore);
    while (Date.now() < end) {
      const name = `${killed}/${files.length}.txt`;
      await upload(running.url, dataDir, name);
      files.push({ name, at: Date.now() });
      mostBehind = Math.max(mostBehind, secondsBehind(dataDir));
    }
    running.product.signal('SIGKILL', 'command');
    await running.product.ended;
    if (random.chance(0.5)) killDatabase(dataDir);
    running = await start(settings);
  }
  const last = files.at(-1)?.at ?? 0;
  await until(() => Date.parse(readWalStatus(dataDir)?.reached_at ?? '') > last);
  await running.product.stop();
  const gap = readWalStatus(dataDir)?.gap;
  // A kill breaks nothing off: the archive has to be one from beginning to end.
  const faults = gap === null ? [] : [`the archive began anew: ${gap?.because}`];
  for (let restored = 0; restored < seconds; restored += 1) {
    const at = new Date(from + random.below(last - from));
    faults.push(...(await checkMoment(at, { archive, passphrase, files })));
  }
  return { files: files.length, kills, restored: seconds, mostBehind, faults };
}

interface Archive {
  readonly archive: string;
  readonly passphrase: string;
  readonly files: readonly StoredFile[];
}

/** Restores with the command, which fails when bytes of a file are missing, and starts the result. */
async function checkMoment(at: Date, { archive, passphrase, files }: Archive): Promise<string[]> {
  using folder = temporaryFolder('second');
  const dataDir = path.join(folder.path, 'data');
  const words = ['restore', '--at', at.toISOString(), '--from', archive, '--data-dir', dataDir];
  const script = path.join(CHECKOUT, 'src', 'cli', 'northline.ts');
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: path.join(folder.path, 'none') };
  await execute(process.execPath, [script, ...words, '--passphrase-file', passphrase], { env });
  const { product } = await start({ DATA_DIR: dataDir });
  try {
    const owner = await connectAsOwner(dataDir);
    const { rows } = await owner.query<{ name: string; late: boolean }>(
      'select name, created_at > $1 as late from storage.objects where bucket_id = $2',
      [at, BUCKET],
    );
    await owner.end();
    const there = new Set(rows.map(({ name }) => name));
    const lost = files.filter((file) => file.at < at.getTime() && !there.has(file.name));
    return [
      ...lost.map(({ name }) => `${at.toISOString()}: ${name} is lost`),
      ...rows.filter(({ late }) => late).map(({ name }) => `${at.toISOString()}: ${name} was stored later`),
    ];
  } finally {
    await product.stop();
  }
}

async function start(settings: Record<string, string>): Promise<{ product: Product; url: string }> {
  const product = runProduct({
    settings,
    command: [process.execPath, path.join(CHECKOUT, 'src', 'cli', 'start.ts')],
  });
  return { product, url: await product.url };
}

async function makeBucket(url: string, dataDir: string): Promise<void> {
  const { error } = await clientOf(url, dataDir).storage.createBucket(BUCKET);
  if (error !== null) throw error;
}

async function upload(url: string, dataDir: string, name: string): Promise<void> {
  const text = `The rent of ${name} is due.`;
  const { error } = await clientOf(url, dataDir)
    .storage.from(BUCKET)
    .upload(name, text, { contentType: 'text/plain' });
  if (error !== null) throw error;
}

function clientOf(url: string, dataDir: string): SupabaseClient {
  const keys = JSON.parse(readFileSync(path.join(dataDir, 'keys.json'), 'utf8')) as Record<string, string>;
  const auth = { persistSession: false, autoRefreshToken: false };
  return createClient(url, keys.service_role_key ?? '', { auth });
}

/** Seconds between now and the moment until which everything is archived. */
function secondsBehind(dataDir: string): number {
  const reached = readWalStatus(dataDir)?.reached_at;
  return reached ? (Date.now() - Date.parse(reached)) / 1000 : 0;
}

function killDatabase(dataDir: string): void {
  const file = path.join(embeddedCluster(dataDir).folder, 'postmaster.pid');
  process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL');
}

async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await pause(100);
}
