import { simulateP95 } from './queue-simulation.ts';

/** Processor time of one unit of work, milliseconds. */
export interface Cost {
  /** Time of the event loop's thread; each process has one. */
  readonly loop: number;
  /** Time of the whole process with its threads and the readers that it starts, including the loop. */
  readonly server: number;
  readonly database: number;
}

/** The kinds of requests, as `measure-costs.ts` measures them. */
export const OPERATIONS = [
  'page',
  'check',
  'list',
  'signIn',
  'refresh',
  'upload',
  'download',
  'analysis',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The measured cost of each kind of work (`measure-costs.ts`). */
export interface Costs {
  readonly machine: string;
  /** Day, YYYY-MM-DD. */
  readonly measuredOn: string;
  /** Load of the machine at the measurement. */
  readonly load: number;
  /** What a reader should know about the measurement; empty if the machine was quiet. */
  readonly note: string;
  readonly operations: Readonly<Record<Operation, Cost>>;
  /** A change in the database that one client receives, and the cost of each further client. */
  readonly change: Cost;
  readonly delivery: Cost;
  readonly socketKb: number;
  readonly serverMb: number;
}

/** One customer's day, with the visitors for each customer: assumptions, not measurements. */
export const DAY = {
  operations: {
    page: 20,
    check: 10,
    list: 30,
    signIn: 0.4,
    refresh: 8,
    upload: 3,
    download: 6,
    analysis: 3,
  } satisfies Record<Operation, number>,
  /** Changes that somebody receives, and how many sockets receive each. */
  changes: 15,
  hearers: 1.5,
  /** Share of the customers whose page is open in the busiest hour. */
  open: 0.2,
  calls: 0.05,
  callMinutes: 3,
  /** Average size of a document, and what a day adds to tables. */
  documentKb: 400,
  rows: 120,
  /** Compressed size of one page with everything that a first visit loads. */
  pageKb: 250,
} as const;

/** Share of a day's work in the busiest hour. */
const PEAK_SHARE = 1 / 6;
const PEAK_SECONDS = 3600;
/** Highest utilisation at the peak of an event loop, of the database's cores and of the readers' cores. */
export const MOST_LOOP = 0.6;
const MOST_CORES = 0.7;
/** Highest share of an event loop for processing the changes of all customers. */
export const MOST_FEED = 0.3;
/**
 * Processor cores for one call: two cores serve four calls (`VOICE_MAX_CALLS`, `npm run bench:voice -- --soak
 * 10`).
 */
const CORES_PER_CALL = 0.5;
/** Most sockets of one process (`REALTIME_LIMITS.socketsPerProcess`). */
const SOCKETS_PER_PROCESS = 20_000;
const DAYS = 365;
const SIMULATION = { seed: 1, requests: 40_000 };

/** The demand of a number of customers in the busiest hour. */
interface Demand {
  readonly customers: number;
  /** Requests of all kinds, changes and deliveries per second. */
  readonly requests: number;
  readonly changes: number;
  readonly deliveries: number;
  /** Work that any process may do, in event loops. */
  readonly loops: number;
  /**
   * Share of the event loop that every process needs for the change feed, however many processes there are.
   */
  readonly feed: number;
  /** Cores that hashes and document readers use besides the event loops. */
  readonly helpers: number;
  /** Cores that PostgreSQL uses, and the part of that which a read replica could take. */
  readonly database: number;
  readonly databaseReads: number;
  readonly sockets: number;
  /** Simultaneous calls. */
  readonly calls: number;
  /** Traffic of the site, megabits per second. */
  readonly siteMbit: number;
  /** Data added in a year. */
  readonly terabytes: number;
  readonly millionRows: number;
}

const READS: readonly Operation[] = ['page', 'check', 'list', 'download'];

/** The model: a customer's day times its costs, in the busiest hour. */
export function demandOf(costs: Costs, customers: number): Demand {
  const perSecond = (perDay: number): number => (customers * perDay * PEAK_SHARE) / PEAK_SECONDS;
  const changes = perSecond(DAY.changes);
  const deliveries = changes * DAY.hearers;
  const sum = (operations: readonly Operation[], cost: (of: Cost) => number): number =>
    operations.reduce(
      (all, name) => all + (perSecond(DAY.operations[name]) * cost(costs.operations[name])) / 1000,
      0,
    );
  const database = (of: Cost): number => of.database;
  return {
    customers,
    requests: OPERATIONS.reduce((all, name) => all + perSecond(DAY.operations[name]), 0),
    changes,
    deliveries,
    loops: sum(OPERATIONS, ({ loop }) => loop) + (deliveries * costs.delivery.loop) / 1000,
    feed: (changes * costs.change.loop) / 1000,
    helpers: sum(OPERATIONS, ({ loop, server }) => Math.max(0, server - loop)),
    database:
      sum(OPERATIONS, database) +
      (changes * costs.change.database + deliveries * costs.delivery.database) / 1000,
    databaseReads: sum(READS, database),
    sockets: customers * DAY.open,
    calls: perSecond(DAY.calls) * DAY.callMinutes * 60,
    siteMbit: (perSecond(DAY.operations.page) * DAY.pageKb * 8) / 1000,
    terabytes: (customers * DAY.operations.upload * DAY.documentKb * DAYS) / 1e9,
    millionRows: (customers * DAY.rows * DAYS) / 1e6,
  };
}

/** The machines that a demand needs. */
interface Plan {
  /** Infinity when the change feed alone exceeds its share of every process. */
  readonly processes: number;
  /** Cores of PostgreSQL. */
  readonly databaseCores: number;
  /** Cores besides the event loops: hashes, document readers, calls. */
  readonly helperCores: number;
}

/** The smallest machines that keep everything below its limit. */
export function planFor(demand: Demand): Plan {
  const free = MOST_LOOP - demand.feed;
  const byLoop = demand.feed > MOST_FEED ? Number.POSITIVE_INFINITY : Math.ceil(demand.loops / free);
  const bySockets = Math.ceil(demand.sockets / SOCKETS_PER_PROCESS);
  return {
    processes: Math.max(1, byLoop, bySockets),
    databaseCores: Math.max(1, Math.ceil(demand.database / MOST_CORES)),
    helperCores: Math.max(1, Math.ceil((demand.helpers + demand.calls * CORES_PER_CALL) / MOST_CORES)),
  };
}

/**
 * The 95th percentile in milliseconds of the requests that people wait for (no analyses), simulated on those
 * machines; undefined when no number of processes is enough.
 */
export function waitOf(costs: Costs, { customers, feed, changes }: Demand, plan: Plan): number | undefined {
  if (!Number.isFinite(plan.processes)) return undefined;
  const perSecond = (perDay: number): number => (customers * perDay * PEAK_SHARE) / PEAK_SECONDS;
  const asked = OPERATIONS.filter((name) => name !== 'analysis').map((name) => ({
    perSecond: perSecond(DAY.operations[name]),
    // The change feed's share of every loop makes each request longer by that factor.
    loop: costs.operations[name].loop / (1 - feed),
    database: costs.operations[name].database,
  }));
  const background =
    perSecond(DAY.operations.analysis) * costs.operations.analysis.database + changes * costs.change.database;
  // The database's other work takes its share of the cores.
  const left = Math.max(1, Math.round(plan.databaseCores - background / 1000));
  return simulateP95(asked, { processes: plan.processes, databaseCores: left }, SIMULATION);
}

/** A point at which a limit is reached, and what replaces the part. */
interface Point {
  readonly name: string;
  /** True from some number of customers on. */
  readonly hurts: (demand: Demand) => boolean;
  readonly next: string;
}

const GIGABIT = 1000;

/** Where each part reaches its limit, and which engine replaces it. */
export const POINTS: readonly Point[] = [
  {
    name: 'the event loop of one process',
    hurts: (demand) => planFor(demand).processes > 1,
    next: 'several processes on one `DATABASE_URL` behind a proxy',
  },
  {
    name: 'two cores of hashes, readers and calls',
    hurts: (demand) => planFor(demand).helperCores > 2,
    next: 'more cores, or processes on further machines: a job goes to any idle process, a call to the process that the proxy chooses',
  },
  {
    name: 'four calls at once',
    hurts: ({ calls }) => calls > 4,
    next: 'machines for calls alone, with a higher `VOICE_MAX_CALLS`, and a LiveKit server (`LIVEKIT_URL`) if browsers cannot reach each of them; above a few dozen calls providers for recognition and speech',
  },
  {
    name: 'eight processes',
    hurts: (demand) => planFor(demand).processes > 8,
    next: 'a pooler in session mode and `max_connections` above 300, as each process takes 30 connections; our tests run two processes',
  },
  {
    name: 'four cores of PostgreSQL',
    hurts: (demand) => planFor(demand).databaseCores > 4,
    next: 'a machine of its own for PostgreSQL',
  },
  {
    name: 'sixteen cores of PostgreSQL',
    hurts: (demand) => planFor(demand).databaseCores > 16,
    next: 'read replicas for lists and session checks; they are not built, so every statement goes to one database',
  },
  {
    name: 'the change feed',
    hurts: ({ feed }) => feed > MOST_FEED,
    next: 'a feed that is split by customer (logical decoding into a stream); today every process hears every change',
  },
  {
    name: 'a table of a billion rows',
    hurts: ({ millionRows }) => millionRows > 1000,
    next: 'partitions by month for the audit log, mails and passages',
  },
  {
    name: 'a terabyte of files a year',
    hurts: ({ terabytes }) => terabytes > 1,
    next: 'a bucket (`STORAGE_URL`) in place of the disk',
  },
  {
    name: 'half a gigabit of pages',
    hurts: ({ siteMbit }) => siteMbit > GIGABIT / 2,
    next: 'a CDN in front of the site; it may keep files with a hash in their name for a year',
  },
];

const MOST_CUSTOMERS = 1e9;

/** The number of customers from which a limit is reached, to two figures; Infinity when it never is. */
export function customersAt(costs: Costs, point: Point): number {
  const hurts = (customers: number): boolean => point.hurts(demandOf(costs, customers));
  if (!hurts(MOST_CUSTOMERS)) return Number.POSITIVE_INFINITY;
  let below = 0;
  let above = MOST_CUSTOMERS;
  while (above - below > Math.max(1, above / 1000)) {
    const middle = Math.floor((below + above) / 2);
    if (hurts(middle)) above = middle;
    else below = middle;
  }
  return Number(above.toPrecision(2));
}
