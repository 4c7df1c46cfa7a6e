import { simulateP95 } from './queue-simulation.ts';

/** Processor time of one piece of work, milliseconds. */
export interface Cost {
  /** Of the thread of the event loop, of which a process has one. */
  readonly loop: number;
  /** Of the whole process, its threads and the readers that it starts: the loop included. */
  readonly server: number;
  readonly database: number;
}

/** What is asked for, as `measure-costs.ts` measures it. */
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

/** What a piece of work costs, measured (`measure-costs.ts`). */
export interface Costs {
  readonly machine: string;
  /** Day, YYYY-MM-DD. */
  readonly measuredOn: string;
  /** Load of the machine at the measurement. */
  readonly load: number;
  /** What a reader has to know of the measurement; empty for one on a quiet machine. */
  readonly note: string;
  readonly operations: Readonly<Record<Operation, Cost>>;
  /** A change in the database that one client hears, and each further client. */
  readonly change: Cost;
  readonly delivery: Cost;
  readonly socketKb: number;
  readonly serverMb: number;
}

/** A day of one customer, with the visitors that come for one: assumptions, not measurements. */
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
  /** Changes that somebody hears, and how many sockets hear each. */
  changes: 15,
  hearers: 1.5,
  /** Part of the customers whose page is open in the busiest hour. */
  open: 0.2,
  calls: 0.05,
  callMinutes: 3,
  /** Average size of a document, and what a day leaves in tables. */
  documentKb: 400,
  rows: 120,
  /** Bytes of one page with what it loads, compressed, as a first visit has it. */
  pageKb: 250,
} as const;

/** Part of a day's work that the busiest hour has. */
const PEAK_SHARE = 1 / 6;
const PEAK_SECONDS = 3600;
/** How busy an event loop, the cores of the database and those of readers may be at the peak. */
export const MOST_LOOP = 0.6;
const MOST_CORES = 0.7;
/** Part of an event loop that hearing the changes of all customers may take. */
export const MOST_FEED = 0.3;
/** Processor cores that a call takes: two cores carry four (`VOICE_MAX_CALLS`, `npm run bench:voice -- --soak 10`). */
const CORES_PER_CALL = 0.5;
/** Sockets that a process takes (`REALTIME_LIMITS.socketsPerProcess`). */
const SOCKETS_PER_PROCESS = 20_000;
const DAYS = 365;
const SIMULATION = { seed: 1, requests: 40_000 };

/** What so many customers ask of the machines in the busiest hour. */
interface Demand {
  readonly customers: number;
  /** Requests of every kind, changes and deliveries, a second. */
  readonly requests: number;
  readonly changes: number;
  readonly deliveries: number;
  /** Event loops' worth of work that any process may do. */
  readonly loops: number;
  /** Part of its event loop that every process needs for the feed, however many there are. */
  readonly feed: number;
  /** Cores that hashes and readers of documents keep busy beside the loops. */
  readonly helpers: number;
  /** Cores that PostgreSQL keeps busy, and the part of it that a read replica could take. */
  readonly database: number;
  readonly databaseReads: number;
  readonly sockets: number;
  /** Calls at once. */
  readonly calls: number;
  /** Of the site, megabits a second. */
  readonly siteMbit: number;
  /** What a year leaves. */
  readonly terabytes: number;
  readonly millionRows: number;
}

const READS: readonly Operation[] = ['page', 'check', 'list', 'download'];

/** The model: a day of a customer times its costs, in the busiest hour. */
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
  /** Infinity where the feed alone is more than every process may spend on it. */
  readonly processes: number;
  /** Cores of PostgreSQL. */
  readonly databaseCores: number;
  /** Cores beside the event loops: hashes, readers of documents, calls. */
  readonly helperCores: number;
}

/** The fewest machines that keep everything below its bar. */
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
 * The 95th percentile of the requests that people wait for (no analyses) on those machines, milliseconds, by
 * simulation; undefined where no number of processes is enough.
 */
export function waitOf(costs: Costs, { customers, feed, changes }: Demand, plan: Plan): number | undefined {
  if (!Number.isFinite(plan.processes)) return undefined;
  const perSecond = (perDay: number): number => (customers * perDay * PEAK_SHARE) / PEAK_SECONDS;
  const asked = OPERATIONS.filter((name) => name !== 'analysis').map((name) => ({
    perSecond: perSecond(DAY.operations[name]),
    // What the feed takes of every loop makes each request as much longer.
    loop: costs.operations[name].loop / (1 - feed),
    database: costs.operations[name].database,
  }));
  const background =
    perSecond(DAY.operations.analysis) * costs.operations.analysis.database + changes * costs.change.database;
  // The database's other work takes its part of the cores.
  const left = Math.max(1, Math.round(plan.databaseCores - background / 1000));
  return simulateP95(asked, { processes: plan.processes, databaseCores: left }, SIMULATION);
}

/** A point at which something hurts, and what comes in there. */
interface Point {
  readonly name: string;
  /** True from some number of customers on. */
  readonly hurts: (demand: Demand) => boolean;
  readonly next: string;
}

const GIGABIT = 1000;

/** Where each part ends, and which engine comes next. */
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
    next: 'machines for calls alone, with a higher `VOICE_MAX_CALLS`; above a few dozen calls a LiveKit room as `MediaTransport`, and providers for recognition and speech',
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

/** The number of customers from which a point hurts, to two figures; Infinity where it never does. */
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
