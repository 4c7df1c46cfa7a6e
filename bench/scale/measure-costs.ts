import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { giveCredits } from '../support/credit-grant.ts';
import { analyseText, storeDocument } from '../support/document-upload.ts';
import { residentBytes } from '../support/figure.ts';
import { connectAsOwner } from '../support/owner-connection.ts';
import { newPerson, type Person } from '../support/people.ts';
import { freePort, freshDataDir, type Product, removeDataDir, startProduct } from '../support/product.ts';
import { openSockets } from '../support/sockets.ts';
import type { Cost, Costs } from './scale-model.ts';

/** Clock ticks of /proc/PID/stat (USER_HZ is 100 on every Linux). */
const MS_PER_TICK = 10;
const MB = 1024 * 1024;
const SOCKETS = 500;
const CHANGES = 400;
const SUBSCRIBERS = 40;
const QUIET_MS = 1500;
const HEARING_MS = 120_000;

/** What a measurement needs. */
interface Bench {
  readonly product: Product;
  readonly person: Person;
  readonly owner: pg.Client;
  /** Processor time so far, milliseconds. */
  used(): Cost;
}

/**
 * The cost of each kind of work: processor time of the event loop's thread, the server and PostgreSQL, read
 * from /proc so that other load on the machine changes it little; memory of the server and of a socket. Linux
 * only.
 */
export async function measureCosts(): Promise<Costs> {
  const load = Number((os.loadavg()[0] ?? 0).toFixed(1));
  const dataDir = freshDataDir();
  const product = await startProduct(dataDir, await freePort());
  const owner = await connectAsOwner(dataDir);
  try {
    const person = await newPerson(product);
    await giveCredits(dataDir, person.id, 10_000, 1_000_000);
    const pid = product.process.pid ?? 0;
    const postmaster = Number(
      readFileSync(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    const used = (): Cost => ({
      loop: ticksOf(`/proc/${pid}/task/${pid}/stat`, THREAD),
      server: processorMs(pid),
      database: familyMs(postmaster),
    });
    const bench: Bench = { product, person, owner, used };
    // Code that runs for the first time costs more than later.
    await eachOperation(bench, 0.2);
    const operations = await eachOperation(bench, 1);
    return {
      machine: `${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`,
      measuredOn: new Date().toISOString().slice(0, 10),
      load,
      note: '',
      operations,
      ...(await changesOf(bench)),
      socketKb: await socketMemory(bench),
      serverMb: (await residentBytes(pid)) / MB,
    };
  } finally {
    await owner.end();
    await product.stop();
    removeDataDir(dataDir);
  }
}

async function eachOperation(bench: Bench, part: number): Promise<Costs['operations']> {
  const { product, person } = bench;
  const headers = { apikey: product.anonKey, authorization: `Bearer ${person.accessToken}` };
  const get = (at: string) => async () => {
    const reply = await fetch(product.url + at, { headers });
    await reply.arrayBuffer();
    if (!reply.ok) throw new Error(`${at} answered ${reply.status}`);
  };
  const times = (count: number): number => Math.max(2, Math.round(count * part));
  let file = '';
  const upload = async (): Promise<void> => {
    file = await storeDocument(
      person,
      `${crypto.randomUUID()}.txt`,
      Buffer.alloc(100_000, 'harbour lantern '),
    );
  };
  const cost = async (count: number, work: () => Promise<unknown>): Promise<Cost> =>
    costOf(bench, times(count), work);
  const pages = await cost(2000, get('/'));
  const check = await cost(600, get('/auth/v1/user'));
  const list = await cost(600, get('/rest/v1/user_files?select=id,file_name,file_size,created_at&limit=20'));
  const signIn = await cost(20, async () => {
    const { error } = await person.client.auth.signInWithPassword(person);
    if (error !== null) throw error;
  });
  const refresh = await cost(200, async () => {
    const { error } = await person.client.auth.refreshSession();
    if (error !== null) throw error;
  });
  const stored = await cost(60, upload);
  const download = await cost(200, get(`/storage/v1/object/authenticated/${UPLOADS_BUCKET}/${file}`));
  const analysis = await cost(6, () => analyseText(person, `${crypto.randomUUID()}.txt`, AGREEMENT));
  return { page: pages, check, list, signIn, refresh, upload: stored, download, analysis };
}

/** Milliseconds of processor time of one run of `work`, including work that continues after its reply. */
async function costOf(bench: Bench, count: number, work: () => Promise<unknown>): Promise<Cost> {
  await pause(QUIET_MS);
  const idle = await idleCost(bench);
  const before = bench.used();
  const started = performance.now();
  for (let at = 0; at < count; at += 1) await work();
  await pause(QUIET_MS);
  const seconds = (performance.now() - started) / 1000;
  const after = bench.used();
  const each = (kind: keyof Cost): number =>
    Math.max(0, (after[kind] - before[kind] - idle[kind] * seconds) / count);
  return ofEach(each);
}

/** The cost of a second without any requests. */
async function idleCost({ used }: Bench): Promise<Cost> {
  const before = used();
  await pause(QUIET_MS);
  const after = used();
  const perSecond = 1000 / QUIET_MS;
  return ofEach((kind) => (after[kind] - before[kind]) * perSecond);
}

/** The cost of one change that nobody else receives, and of each further delivery of it. */
async function changesOf(bench: Bench): Promise<Pick<Costs, 'change' | 'delivery'>> {
  const { product, person, owner } = bench;
  const run = async (subscribers: number): Promise<Cost> => {
    let heard = 0;
    const join = {
      token: (await person.client.auth.getSession()).data.session?.access_token ?? '',
      table: 'customers',
      event: 'UPDATE',
    };
    const sockets = await openSockets(product, subscribers, join, (_socket, frame) => {
      if (frame.includes('"postgres_changes"')) heard += 1;
    });
    try {
      return await costOf(bench, 1, async () => {
        for (let change = 0; change < CHANGES; change += 1)
          await owner.query('update public.customers set updated_at = now() where user_id = $1', [person.id]);
        const until = Date.now() + HEARING_MS;
        while (heard < CHANGES * subscribers && Date.now() < until) await pause(20);
        if (heard < CHANGES * subscribers)
          throw new Error(`${heard} of ${CHANGES * subscribers} changes were heard`);
      });
    } finally {
      for (const socket of sockets) socket.terminate();
    }
  };
  const one = await run(1);
  const many = await run(SUBSCRIBERS);
  const delivery = (kind: keyof Cost): number =>
    Math.max(0, (many[kind] - one[kind]) / (CHANGES * (SUBSCRIBERS - 1)));
  const change = (kind: keyof Cost): number => Math.max(0, one[kind] / CHANGES - delivery(kind));
  return { change: ofEach(change), delivery: ofEach(delivery) };
}

async function socketMemory({ product, person }: Bench): Promise<number> {
  const pid = product.process.pid ?? 0;
  const { data } = await person.client.auth.getSession();
  const join = { token: data.session?.access_token ?? '', table: 'customers', event: '*' };
  const first = await openSockets(product, 50, join);
  const before = await residentBytes(pid);
  const sockets = await openSockets(product, SOCKETS, join);
  await pause(QUIET_MS);
  const each = ((await residentBytes(pid)) - before) / SOCKETS / 1024;
  for (const socket of [...first, ...sockets]) socket.terminate();
  return Math.max(0, each);
}

/** The text of a two-page document. */
const AGREEMENT = `Service agreement\n\n${'The sum of EUR 100.00 is due on 1 March 2027, with a notice of three months.\n'.repeat(60)}`;

const ofEach = (value: (kind: keyof Cost) => number): Cost => ({
  loop: value('loop'),
  server: value('server'),
  database: value('database'),
});

/** Fields of /proc/PID/stat after the name: user and system time, and those of children that have ended. */
const THREAD = [11, 12];
const WITH_CHILDREN = [11, 12, 13, 14];

/** Processor time of a process and of its children that have ended, milliseconds. */
const processorMs = (pid: number): number => ticksOf(`/proc/${pid}/stat`, WITH_CHILDREN);

function ticksOf(file: string, which: readonly number[]): number {
  const fields = fieldsOf(file);
  return which.reduce((sum, at) => sum + Number(fields[at]), 0) * MS_PER_TICK;
}

/** The program's name may contain spaces, so fields are counted after it. */
function fieldsOf(file: string): string[] {
  const stat = readFileSync(file, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** The same for the database: the postmaster, its ended children, and its running children. */
function familyMs(postmaster: number): number {
  let sum = processorMs(postmaster);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (Number(fieldsOf(`/proc/${name}/stat`)[1]) === postmaster) sum += processorMs(Number(name));
    } catch {
      // It ended during the measurement: its time is now included in the postmaster's.
    }
  }
  return sum;
}
