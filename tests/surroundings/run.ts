import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Product } from '../../bench/support/product.ts';
import { installedPostgres } from '../../scripts/checks/second-postgres.ts';
import { type Acknowledged, createCustomer } from '../crash/customer.ts';
import { settleBooks } from '../crash/settle-books.ts';
import { type Random, seeded } from '../histories/random.ts';
import { openSurroundings, type Surroundings } from './surroundings-world.ts';

/**
 * Customers of each process who act at once, and the number of actions after which another one replaces them.
 */
const CUSTOMERS = 2;
const ACTIONS_OF_A_LIFE = 40;
const ENQUIRY_EVERY_MS = 500;
/** Shortest and longest time of a fault, milliseconds. */
const SHORTEST_MS = 1000;
const LONGEST_MS = 5000;
/** Pause between two faults, milliseconds. */
const CALM_MS = 1000;
/** How long recovery may take on a busy machine, milliseconds. */
const PATIENCE_MS = 90_000;
/** How long pending books, events and mails may take after the last fault, milliseconds. */
const SETTLE_MS = 240_000;
/** The share of the given time with faults. */
const TROUBLED_PART = 0.6;
const HOUR_MS = 3_600_000;
/**
 * Memory is judged once there are this many measurements. The last third may exceed the first by this share
 * and 64 MB.
 */
const LEAST_MEASURED = 24;
const MOST_GROWTH = 1.25;
const GROWTH_BYTES = 64 * 1024 * 1024;
/** This many replies of a lying store are wrong; some requests are deceived at each attempt, some once. */
const LIES = 20;

/** The environment of the run, and the faults that it has found. */
interface Run {
  readonly world: Surroundings;
  /**
   * Chooses the faults; customers have another generator, so that the order of the faults depends on the seed
   * alone.
   */
  readonly random: Random;
  readonly dice: Random;
  readonly books: Acknowledged[];
  /** Enquiries to which the product replied with an id. */
  readonly enquiries: string[];
  readonly violations: string[];
  /**
   * True when clocks of the processes are or were wrong: sessions then begin and end at another time than
   * their customers'.
   */
  clockIsOff: boolean;
  clockWasOff: boolean;
  busy: boolean;
}

/** One kind of fault: starts it and returns a function that ends it. */
type Trouble = (run: Run) => Promise<() => Promise<void> | void>;

const meet =
  (way: 'database' | 'store' | 'mail', what: 'away' | 'slow' | 'silent'): Trouble =>
  async ({ world }) => {
    world[way].meet(what);
    return () => world[way].meet('none');
  };

const machine =
  (clockMs: number, knowsNames: boolean): Trouble =>
  async (run) => {
    run.clockIsOff ||= clockMs !== 0;
    run.world.setMachine({ clockMs, knowsNames });
    return async () => {
      run.world.setMachine({ clockMs: 0, knowsNames: true });
      // Work that began at the wrong time is over by then.
      await pause(CALM_MS);
      run.clockWasOff ||= run.clockIsOff;
      run.clockIsOff = false;
    };
  };

/** All faults by name. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  // Always the last process: the first one lives as long as the run, and its memory is judged.
  'a process is killed': async ({ world }) => {
    await world.killProcess(world.processes.length - 1);
    return () => {};
  },
  'the database stops': async ({ world }) => {
    await world.stopDatabase();
    return () => world.startDatabase();
  },
  'the database is killed': async ({ world }) => {
    world.killDatabase();
    return () => world.startDatabase();
  },
  'the database has no connection left': async ({ world }) => {
    const limit = async (most: number): Promise<void> => {
      const client = await world.connect();
      for (const role of ['northline', 'authenticator'])
        await client.query(`alter role ${role} connection limit ${most}`);
      if (most === 0)
        await client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'northline%'",
        );
      await client.end();
    };
    await limit(0);
    return () => limit(-1);
  },
  'a table is locked': async ({ world }) => {
    const client = await world.connect();
    await client.query('begin; lock table public.credit_transactions in access exclusive mode');
    return () => client.end();
  },
  'the database is cut off': meet('database', 'away'),
  'the database is slow': meet('database', 'slow'),
  'the database is silent': meet('database', 'silent'),
  'the store of files is away': meet('store', 'away'),
  'the store of files is slow': meet('store', 'slow'),
  'the store of files is silent': meet('store', 'silent'),
  'the store of files lies': async ({ world, random }) => {
    let lies = true;
    const page = { reply: '<html>Sign in to this network first</html>' };
    for (let count = 0; count < LIES; count += 1) {
      const chosen = random.chance(0.5) ? 'PUT' : 'GET';
      world.s3.mishap(
        (line) => lies && line.startsWith(`${chosen} `) && line.includes('/objects/'),
        chosen === 'PUT' ? random.pick([page, 'cut after', 500] as const) : random.pick([page, 503] as const),
      );
    }
    return () => {
      lies = false;
    };
  },
  'the mail server is away': meet('mail', 'away'),
  'the mail server hangs': meet('mail', 'silent'),
  'names are not resolved': machine(0, false),
  // Less than the life of documents' signed addresses.
  'the clock is half an hour ahead': machine(HOUR_MS / 2, true),
  'the clock is an hour behind': machine(-HOUR_MS, true),
};

/** Each fault once, the kill first: work of a killed process is taken over half a minute later. */
function oneRound(random: Random): string[] {
  const [first = '', ...others] = Object.keys(TROUBLES);
  const left = [...others];
  return [first, ...others.flatMap(() => left.splice(random.below(left.length), 1))];
}

async function live(run: Run, at: number): Promise<void> {
  const { world, dice, books } = run;
  const url = world.processes[at]?.url ?? '';
  const anonKey = world.processes[at]?.anonKey ?? '';
  while (run.busy) {
    const person = await tried(run, () => createCustomer(url, anonKey, dice));
    if (person === undefined) continue;
    books.push(person.acknowledged);
    for (let action = 0; run.busy && action < ACTIONS_OF_A_LIFE; action += 1)
      await tried(run, () => person.act(action === 0 ? 0 : dice.part()));
  }
}

/** A failure that is no interruption is a finding, unless the wrong clock caused it. */
async function tried<T>(run: Run, act: () => Promise<T>): Promise<T | undefined> {
  const wasOff = run.clockIsOff;
  try {
    return await act();
  } catch (error) {
    const isOfTheHour = run.clockWasOff && /lost the session/.test(String(error));
    if (!wasOff && !run.clockIsOff && !isOfTheHour)
      run.violations.push(`a customer was told: ${String(error)}`);
    await pause(CALM_MS);
    return undefined;
  }
}

async function enquire(run: Run, at: number): Promise<void> {
  while (run.busy) {
    const { url, anonKey } = run.world.processes[at] as Product;
    await fetch(`${url}/functions/v1/enquiry`, {
      method: 'POST',
      headers: { apikey: anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', email: 'ada@customers.example', enquiry_type: 'App Builder' }),
    })
      .then(async (reply) => {
        const { id } = (await reply.json()) as { id?: string };
        if (reply.status === 200 && id !== undefined) run.enquiries.push(id);
        else if (reply.status < 500 && reply.status !== 401)
          run.violations.push(`an enquiry was answered ${reply.status}`);
      })
      .catch(() => {});
    await pause(ENQUIRY_EVERY_MS);
  }
}

/** Waits until every process is ready again by itself; none may have ended. */
async function recover({ world, violations }: Run, after: string): Promise<void> {
  for (const { url, process: child } of world.processes) {
    const ready = (): Promise<boolean> =>
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
        ({ status }) => status === 200,
        () => false,
      );
    for (const deadline = Date.now() + PATIENCE_MS; !(await ready()); await pause(100)) {
      if (Date.now() < deadline) continue;
      violations.push(`${after}: not ready again`);
      break;
    }
    if (child.exitCode !== null || child.signalCode !== null)
      violations.push(`${after}: a process ended by itself`);
  }
}

/** Resident memory of a process, bytes. */
function memoryOf({ process: child }: Product): number {
  const text = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) * 1024;
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

/** Mails and events that have not been delivered; should be empty in the end. */
async function undelivered({ world, enquiries }: Run): Promise<string[]> {
  const owner = await world.connect();
  try {
    // Pretends that the minutes between two attempts have passed.
    await owner.query(
      `update private.job set start_after = now()
        where state in ('created', 'retry') and (name like 'mailer%' or name like 'deliver-event%')`,
    );
    await owner.query(
      "update private.outbox_events set due_at = now() - interval '1 hour' where state = 'pending'",
    );
    const { rows } = await owner.query<{ id: string; state: string }>('select id, state from private.mails');
    const brought = world.mailServer.received.flatMap(
      ({ raw }) => /^Message-ID: <([^@]+)@/im.exec(raw)?.[1] ?? [],
    );
    const sent = new Set(rows.filter(({ state }) => state === 'sent').map(({ id }) => id));
    return [
      ...rows.filter(({ state }) => state !== 'sent').map(({ id, state }) => `the mail ${id} is ${state}`),
      ...[...sent].filter((id) => !brought.includes(id)).map((id) => `the mail ${id} never came`),
      ...[...new Set(brought)].filter((id) => !sent.has(id)).map((id) => `nobody sent the mail ${id}`),
      ...enquiries.filter((id) => !world.told.has(id)).map((id) => `no event told of ${id}`),
      ...[...world.told].filter(([, ids]) => ids.size > 1).map(([id]) => `several events told of ${id}`),
    ];
  } finally {
    await owner.end();
  }
}

/** Waits until all acknowledged work is done; returns what is wrong then. */
async function settle(run: Run): Promise<string[]> {
  const [first] = run.world.processes;
  if (first === undefined) return ['there is no process'];
  const owner = await run.world.connect();
  try {
    let faults: string[] = [];
    for (const deadline = Date.now() + SETTLE_MS; ; await pause(2000)) {
      faults = [...(await settleBooks(owner, first, run.books)), ...(await undelivered(run))];
      if (faults.length === 0 || Date.now() > deadline) return faults;
    }
  } finally {
    await owner.end();
  }
}

/** Disturbs the environment until `until` (epoch ms); each fault of a round is started at least once. */
async function chaos(run: Run, until: number) {
  const { world, random, violations } = run;
  const memory: number[] = [];
  const lives = world.processes.flatMap((_, at) => [
    enquire(run, at),
    ...Array.from({ length: CUSTOMERS }, () => live(run, at)),
  ]);
  const met: string[] = [];
  let round: string[] = [];
  while (met.length === 0 || Date.now() < until) {
    if (round.length === 0) round = oneRound(random);
    const name = round.shift() ?? '';
    const end = await (TROUBLES[name] as Trouble)(run);
    await pause(SHORTEST_MS + random.below(LONGEST_MS - SHORTEST_MS));
    await end();
    await recover(run, name);
    met.push(name);
    process.stderr.write(`${met.length}: ${name}\n`);
    memory.push(memoryOf(world.processes[0] as Product));
    await pause(CALM_MS);
  }
  run.busy = false;
  await Promise.all(lives);
  const faults = await settle(run);
  const third = Math.ceil(memory.length / 3);
  const [before, after] = [median(memory.slice(0, third)), median(memory.slice(-third))];
  if (memory.length >= LEAST_MEASURED && after > before * MOST_GROWTH + GROWTH_BYTES)
    violations.push(`memory grew from ${before} to ${after} bytes`);
  const sum = (count: (book: Acknowledged) => number): number =>
    run.books.reduce((total, book) => total + count(book), 0);
  return {
    troubles: met.length,
    kinds: new Set(met).size,
    customers: run.books.length,
    payments: sum((book) => book.payments),
    files: sum((book) => book.files.size),
    analyses: sum((book) => book.analyses.size),
    deleted: sum((book) => book.deleted.size),
    enquiries: run.enquiries.length,
    mails: world.mailServer.received.length,
    memoryMb: [before, after].map((bytes) => Math.round(bytes / 1024 / 1024)),
    faults,
  };
}

const { values } = parseArgs({ options: { seed: { type: 'string' }, minutes: { type: 'string' } } });
const version = installedPostgres();
if (version === undefined) {
  console.log('There is no PostgreSQL of the system (apt-get install postgresql): nothing was tried.');
  process.exit(0);
}
const seed = Number(values.seed ?? process.env.SOAK_SEED ?? randomInt(2 ** 31));
const until = Date.now() + Number(values.minutes ?? process.env.SOAK_MINUTES ?? 5) * 60_000 * TROUBLED_PART;
const world = await openSurroundings(version);
const run: Run = {
  ...{ world, random: seeded(seed), dice: seeded(seed + 1), books: [], enquiries: [], violations: [] },
  ...{ clockIsOff: false, clockWasOff: false, busy: true },
};
const { faults, ...figures } = await chaos(run, until).finally(() => world.close());
console.log(JSON.stringify({ seed, ...figures }));
for (const fault of [...run.violations, ...faults]) console.log(`FAULT ${fault}`);
const idle = figures.payments === 0 || figures.files + figures.deleted === 0 || figures.enquiries === 0;
if (idle) console.log('Nobody paid, uploaded or enquired, so nothing was shown.');
process.exit(run.violations.length + faults.length === 0 && !idle ? 0 : 1);
