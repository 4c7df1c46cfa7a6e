import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CREDIT_DESCRIPTION, UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import { SERVICES } from '../../src/kernel/contract/routes.ts';
import { payWithCard } from '../support/customers/card-payment.ts';
import { CHECKOUT, type Product, runProduct, temporaryFolder } from '../support/servers/product-process.ts';

const PATIENT = { timeout: 60_000 * Number(process.env.TEST_PATIENCE ?? 1), interval: 100 };
const PASSWORD = 'a-long-pass-phrase-51';
const ALLOWANCE = SPECIFIED_PLANS[0]?.limits.creditsPerMonth ?? 0;
const START = path.join(CHECKOUT, 'src', 'cli', 'start.ts');
const CLI = path.join(CHECKOUT, 'src', 'cli', 'northline.ts');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One real installation for all tests; each restores into its own folder. */
let root: ReturnType<typeof temporaryFolder>;
let product: Product;
let customer: SupabaseClient;
let userId = '';
let text: Buffer;
let plain = '';

const place = (name: string): string => path.join(root.path, name);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const keyOf = (dataDir: string, name: string): string =>
  (JSON.parse(readFileSync(path.join(dataDir, 'keys.json'), 'utf8')) as Record<string, string>)[name] ?? '';

function northline(words: readonly string[], settings: Record<string, string> = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH, DATA_DIR: place('data'), ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...words], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

const start = (dataDir: string): Product =>
  runProduct({ settings: { DATA_DIR: dataDir, RATE_LIMITS: 'off' }, command: [process.execPath, START] });

function open(url: string, dataDir: string): SupabaseClient {
  return createClient(url, keyOf(dataDir, 'anon_key'), {
    auth: { persistSession: false, autoRefreshToken: false },
  });
}

async function upload(client: SupabaseClient, owner: string, name: string, body: Buffer): Promise<void> {
  const used = await client.rpc('use_credits', {
    p_user_id: owner,
    p_amount: 1,
    p_description: CREDIT_DESCRIPTION,
  });
  expect(used).toMatchObject({ data: true, error: null });
  const file = `${owner}/${name}`;
  const stored = await client.storage.from(UPLOADS_BUCKET).upload(file, body, { contentType: 'text/plain' });
  expect(stored.error).toBeNull();
  const row = {
    ...{ user_id: owner, file_path: file, file_name: name, file_type: 'document' },
    ...{ file_size: body.length, mime_type: 'text/plain' },
  };
  expect((await client.from('user_files').insert(row)).error).toBeNull();
}

async function buy(url: string, client: SupabaseClient): Promise<void> {
  const { data } = await client.auth.getSession();
  const reply = await fetch(`${url}${SERVICES.checkout}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${data.session?.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ price_id: SPECIFIED_PLANS[0]?.priceId, mode: 'subscription' },
      ...{ success_url: `${url}/success`, cancel_url: `${url}/cancel` },
    }),
  });
  const { url: page } = (await reply.json()) as { url: string };
  expect((await payWithCard(page, '4242424242424242', 'ada@example.com')).redirectedTo).toContain('/success');
}

const credits = async (client: SupabaseClient): Promise<number | undefined> =>
  (await client.from('customers').select('credits').maybeSingle()).data?.credits;

beforeAll(async () => {
  root = temporaryFolder('backup');
  product = start(place('data'));
  const url = await product.url;
  customer = open(url, place('data'));
  const made = await customer.auth.signUp({ email: 'ada@example.com', password: PASSWORD });
  userId = made.data.user?.id ?? '';
  await buy(url, customer);
  await vi.waitFor(async () => expect(await credits(customer)).toBe(ALLOWANCE), PATIENT);
  text = Buffer.from(`Letter ${randomBytes(40_000).toString('hex')}\n`);
  await upload(customer, userId, 'letter.txt', text);
  const outcome = await northline(['backup', '--to', place('plain')]);
  expect(outcome).toMatchObject({ code: 0, err: '' });
  plain = outcome.out.split(':')[0] ?? '';
});
afterAll(async () => {
  await product?.stop();
  root?.[Symbol.dispose]();
});

describe('a backup of the running product', () => {
  test('restores elsewhere: sign-in, file, credits and ledger are as they were, and nothing later is there', async () => {
    await upload(customer, userId, 'after.txt', Buffer.from('written after the backup\n'));
    const late = open(await product.url, place('data'));
    expect((await late.auth.signUp({ email: 'late@example.com', password: PASSWORD })).error).toBeNull();
    await product.stop();

    const restored = place('restored');
    expect(await northline(['restore', '--from', place('plain'), '--data-dir', restored])).toMatchObject({
      code: 0,
      err: '',
    });
    const second = start(restored);
    try {
      const url = await second.url;
      const ada = open(url, restored);
      expect(
        (await ada.auth.signInWithPassword({ email: 'ada@example.com', password: PASSWORD })).data.user?.id,
      ).toBe(userId);
      const { data } = await ada.storage.from(UPLOADS_BUCKET).download(`${userId}/letter.txt`);
      expect(sha256(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer()))).toBe(sha256(text));
      expect(await credits(ada)).toBe(ALLOWANCE - 1);
      const explained = await northline(['billing', 'explain', 'ada@example.com'], {
        DATA_DIR: restored,
        PORT: new URL(url).port,
      });
      expect(explained).toMatchObject({ code: 0, err: '' });
      expect(explained.out).toContain(`${ALLOWANCE - 1} credits, explained`);
      expect((await ada.from('user_files').select('file_name')).data).toEqual([{ file_name: 'letter.txt' }]);
      const refused = await ada.auth.signInWithPassword({ email: 'late@example.com', password: PASSWORD });
      expect(refused.error?.code).toBe('invalid_credentials');
      // It continues from there: new rows get new numbers.
      expect(
        (await ada.auth.signInWithPassword({ email: 'ada@example.com', password: PASSWORD })).error,
      ).toBeNull();
      await upload(ada, userId, 'next.txt', Buffer.from('written after the restore\n'));
    } finally {
      await second.stop();
      product = start(place('data'));
      await product.url;
    }
  });

  test('has a data folder whose files no other account can list or read', () => {
    const open = readdirSync(place('data'), { recursive: true, withFileTypes: true })
      .filter(
        (entry) => entry.isFile() && (statSync(path.join(entry.parentPath, entry.name)).mode & 0o077) !== 0,
      )
      .map(({ parentPath, name }) => path.join(parentPath, name));
    expect(open).toEqual([]);
    expect(statSync(place('data')).mode & 0o066).toBe(0);
    expect(product.output()).not.toMatch(/token=\w/);
  });

  test('leaves the product and its database running, and so does an operator’s command', async () => {
    // Its start ends with a line on each of two streams, and either may come last.
    for (const last of ['Mails stay on this machine', 'can sign in as anybody'])
      await expect.poll(() => product.output()).toContain(last);
    const before = product.output();
    expect(await northline(['operators', 'list'])).toMatchObject({ code: 0 });
    expect(await northline(['backup', '--to', place('again')])).toMatchObject({ code: 0 });
    expect((await fetch(`${await product.url}/readyz`)).status).toBe(200);
    expect(product.output().slice(before.length)).toBe('');
  });

  test('is verified without touching anything: rows, books, keys and files', async () => {
    const outcome = await northline(['verify', '--from', plain]);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(outcome.out).toMatch(/: \d+ rows, 1 files, 0 faults\.\n$/);
  });

  test('is never restored over existing data', async () => {
    const folder = place('taken');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'note.txt'), 'mine');
    const outcome = await northline(['restore', '--from', plain, '--data-dir', folder]);
    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.err).toContain('is not empty, and nothing is ever restored over something');
    expect(readdirSync(folder)).toEqual(['note.txt']);
  });

  test('with a changed byte in a file restores nothing, and leaves nothing', async () => {
    const copy = place('changed-file');
    cpSync(plain, copy, { recursive: true });
    const file =
      readdirSync(path.join(copy, 'objects'), { recursive: true, encoding: 'utf8' }).find(
        (name) => name.length > 30,
      ) ?? '';
    const bytes = readFileSync(path.join(copy, 'objects', file));
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    rmSync(path.join(copy, 'objects', file));
    writeFileSync(path.join(copy, 'objects', file), bytes);
    const target = place('never');
    const outcome = await northline(['restore', '--from', copy, '--data-dir', target]);
    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.err).toContain('letter.txt: its bytes are damaged');
    expect(readdirSync(target)).toEqual([]);
    const verdict = await northline(['verify', '--from', copy]);
    expect(verdict.code).toBe(1);
    expect(verdict.out).toContain('letter.txt: its bytes are damaged.');
  });

  test('that is killed leaves nothing that looks like a backup, and the next one cleans up', async () => {
    const to = place('killed');
    const child = execFile(process.execPath, [CLI, 'backup', '--to', to], {
      env: { PATH: process.env.PATH, DATA_DIR: place('data') },
    });
    const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    await expect.poll(() => listed(to).length, { interval: 2 }).toBeGreaterThan(0);
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    expect(listed(to).filter((name) => !name.startsWith('.'))).toEqual([]);
    expect(await northline(['backup', '--to', to])).toMatchObject({ code: 0 });
    expect(listed(to)).toHaveLength(1);
    expect(listed(to)[0]).toMatch(/^northline-\d{8}T\d{6}Z$/);
  });
});

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
