import { randomInt } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Random, seeded } from '../histories/random.ts';
import { countLeaked, countListeners, type OutageWorld, WORLDS } from './outage-world.ts';
import {
  type Customer,
  createCustomer,
  openSubscriber,
  type Probes,
  type Subscriber,
  watchProbes,
} from './watch-product.ts';

const OUTAGES_MS = [3000, 30_000];
const KILLS = 50;
const LOADS = 6;
const PAGES = 3;
/** Description of the spendings by the load. */
const LOAD = 'load';
/** Successive changes that must reach every page; further ones are tried until that many have. */
const CHANGES = 5;
const MOST_CHANGES = 60;
/** A change that has not arrived after this time was made while a page was joining again, milliseconds. */
const ANNOUNCED_MS = 5000;
/** How long recovery may take on a busy machine, milliseconds. */
const PATIENCE_MS = 90_000;

/** The figures of a run on one database. */
interface Figures {
  readonly world: string;
  readonly rounds: number;
  readonly kills: number;
  /** Milliseconds of `/livez`. */
  readonly livezP99: number;
  readonly livezMax: number;
  readonly listeners: number;
  /** Frames that each page got for each change; should be 1. */
  readonly framesPerChange: number;
  readonly leaked: number;
  readonly violations: readonly string[];
}

/** One run: the world, the activity in it, and the faults found. */
interface Run {
  readonly world: OutageWorld;
  readonly random: Random;
  readonly customer: Customer;
  readonly pages: readonly Subscriber[];
  readonly probes: Probes;
  readonly violations: string[];
  /** Changes that reached the pages while everything was available, and the frames that arrived for them. */
  readonly told: { changes: number; frames: number };
}

/**
 * Stops the database for 3 and 30 s and ends 50 backends under load, again and again until `until` (epoch
 * ms).
 */
async function soak(name: string, open: () => Promise<OutageWorld>, random: Random, until: number) {
  const world = await open();
  try {
    const customer = await createCustomer(world, 'owner', 1_000_000);
    const pages: Subscriber[] = [];
    for (let page = 0; page < PAGES; page += 1) {
      pages.push(await openSubscriber(world, customer, `page ${page}`));
    }
    const probes = watchProbes(world.url);
    const told = { changes: 0, frames: 0 };
    const run: Run = { world, random, customer, pages, probes, violations: [], told };
    await check(run, 'before');
    const presence = JSON.stringify(pages.map((page) => page.presence()));
    let rounds = 0;
    do {
      for (const ms of OUTAGES_MS) await loseDatabase(run, ms);
      await endBackends(run);
      rounds += 1;
    } while (Date.now() < until && run.violations.length === 0);
    if (JSON.stringify(pages.map((page) => page.presence())) !== presence) {
      run.violations.push('presence is not as it was');
    }
    const listeners = await countListeners(world);
    const leaked = await countLeaked(world);
    await probes.stop();
    await Promise.all(pages.map((page) => page.close()));
    const { code } = await world.product.stop();
    if (code !== 0) run.violations.push(`it ended with ${code}`);
    const latencies = probes.latencies.toSorted((left, right) => left - right);
    return {
      world: name,
      rounds,
      kills: rounds * KILLS,
      livezP99: Math.round(latencies[Math.floor(latencies.length * 0.99)] ?? 0),
      livezMax: Math.round(latencies.at(-1) ?? 0),
      listeners,
      framesPerChange: told.frames / (told.changes * PAGES),
      leaked,
      violations: [...run.violations, ...probes.failures],
    } satisfies Figures;
  } finally {
    await world.close();
  }
}

async function loseDatabase(run: Run, ms: number): Promise<void> {
  const load = startLoad(run);
  const joined = run.pages.map((page) => page.joined());
  await run.world.stopDatabase();
  await reach(run, 'not ready while the database is away', () => run.probes.readiness() === 503);
  await pause(ms);
  await run.world.startDatabase();
  await reach(run, 'ready again', () => run.probes.readiness() === 200);
  await load();
  await reach(run, 'joined again', () => run.pages.every((page, at) => page.joined() > (joined[at] ?? 0)));
  await check(run, `after ${ms / 1000} s`);
}

/** Ends the connections of 50 backends, one at a time, whatever they are doing. */
async function endBackends(run: Run): Promise<void> {
  const load = startLoad(run);
  const client = await run.world.connect();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name like 'northline%' and pid <> pg_backend_pid() order by pid",
    );
    if (rows.length > 0) await client.query('select pg_terminate_backend($1)', [run.random.pick(rows).pid]);
    await pause(run.random.below(200));
  }
  await client.end();
  await load();
  await reach(run, 'ready after the kills', () => run.probes.readiness() === 200);
  await reach(run, 'listening again', async () => (await countListeners(run.world)) === 1);
  await check(run, 'after the kills');
}

/**
 * Starts customers who keep sending requests; returns a function that stops them. Only 200 and 503 are
 * allowed replies.
 */
function startLoad({ world, customer, violations }: Run): () => Promise<void> {
  let busy = true;
  const headers = {
    apikey: world.anonKey,
    authorization: `Bearer ${customer.token}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ p_user_id: customer.id, p_amount: 1, p_description: LOAD });
  const ask = async (writes: boolean): Promise<void> => {
    const url = `${world.url}/rest/v1/${writes ? 'rpc/use_credits' : 'user_files?select=id'}`;
    try {
      const reply = await fetch(url, writes ? { method: 'POST', headers, body } : { headers });
      await reply.arrayBuffer();
      if (reply.status !== 200 && reply.status !== 503) violations.push(`${url} said ${reply.status}`);
      if (reply.status === 503) await pause(50);
    } catch (error) {
      violations.push(`${url}: ${String(error)}`);
      await pause(1000);
    }
  };
  const asking = Array.from({ length: LOADS }, async (_, at) => {
    while (busy) await ask(at % 2 === 0);
  });
  return async () => {
    busy = false;
    await Promise.all(asking);
  };
}

/**
 * Every page gets each change exactly once, one connection listens, and none is left over. A page that was
 * just asked to join again misses changes in the meantime (and reads them then), so the five changes that
 * count are successive.
 */
async function check(run: Run, when: string): Promise<void> {
  const { world, pages, violations, told } = run;
  const names: string[] = [];
  for (let at = 0; names.length < CHANGES && at < MOST_CHANGES; at += 1) {
    const name = `${when} ${Date.now()} ${at}`;
    if (await isTold(run, name)) names.push(name);
    else names.length = 0;
  }
  if (names.length < CHANGES) violations.push(`changes are not told ${when}`);
  const frames = pages.map((page) => page.told.filter((one) => names.includes(one)).length);
  told.changes += names.length;
  told.frames += frames.reduce((sum, count) => sum + count, 0);
  for (const page of pages) {
    const named = page.told.filter((one) => one !== LOAD);
    if (new Set(named).size < named.length) violations.push(`a change was told twice ${when}`);
  }
  const [listeners, leaked] = [await countListeners(world), await countLeaked(world)];
  if (listeners !== 1) violations.push(`${listeners} listeners ${when}`);
  if (leaked !== 0) violations.push(`${leaked} connections left over ${when}`);
}

/** Makes one change; returns whether every page received it. */
async function isTold({ customer, pages }: Run, name: string): Promise<boolean> {
  const spent = await customer.spend(name).then(
    () => true,
    () => false,
  );
  const everywhere = () => pages.every((page) => page.told.includes(name));
  for (const deadline = Date.now() + ANNOUNCED_MS; spent && !everywhere() && Date.now() < deadline; ) {
    await pause(20);
  }
  return spent && everywhere();
}

async function reach(run: Run, what: string, test: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await test()); await pause(50)) {
    if (Date.now() < deadline) continue;
    run.violations.push(`not reached: ${what}`);
    return;
  }
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === import.meta.filename) {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, minutes: { type: 'string' } } });
  const seed = Number(values.seed ?? process.env.SOAK_SEED ?? randomInt(2 ** 31));
  const minutes = Number(values.minutes ?? process.env.SOAK_MINUTES ?? 4);
  const worlds = WORLDS.filter(({ open }) => open !== undefined);
  console.log(`seed ${seed}, ${minutes} minutes, on ${worlds.map(({ name }) => name).join(' and ')}`);
  const random = seeded(seed);
  const startedAt = Date.now();
  let violations = 0;
  for (const [at, { name, open }] of worlds.entries()) {
    const until = startedAt + ((at + 1) * minutes * 60_000) / worlds.length;
    const { violations: found, ...figures } = await soak(
      name,
      open as () => Promise<OutageWorld>,
      random,
      until,
    );
    for (const violation of found) console.log(`VIOLATION ${name}: ${violation}`);
    console.log(JSON.stringify(figures));
    violations += found.length;
  }
  process.exit(violations === 0 ? 0 : 1);
}
