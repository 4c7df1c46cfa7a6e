import {
  type Costs,
  customersAt,
  DAY,
  demandOf,
  MOST_FEED,
  MOST_LOOP,
  OPERATIONS,
  type Operation,
  POINTS,
  planFor,
  waitOf,
} from './scale-model.ts';

const BEGIN = '<!-- scale:begin -->';
const END = '<!-- scale:end -->';
const CUSTOMERS = [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const NAMES: Readonly<Record<Operation, string>> = {
  page: 'page of the site',
  check: 'session check',
  list: 'list of 20 files',
  signIn: 'sign-in with a password',
  refresh: 'refresh of a session',
  upload: 'upload of 100 KB with its row',
  download: 'download of 100 KB',
  analysis: 'document of two pages, from upload to report',
};

/** The page with its tables rewritten from the costs. @throws Error if the marks around the tables are missing */
export function withTables(page: string, costs: Costs): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from) throw new Error(`docs/scale.md has no ${BEGIN} … ${END}.`);
  return `${page.slice(0, from)}${BEGIN}\n${tables(costs)}\n${page.slice(to)}`;
}

function tables(costs: Costs): string {
  const { machine, measuredOn, load, note } = costs;
  return [
    `Measured on ${measuredOn}: ${machine}, load ${load}.${note === '' ? '' : ` **${note}**`}`,
    '### What each kind of work costs',
    costTable(costs),
    `A process took ${shown(costs.serverMb)} MB after this work, which included no call, and ${shown(costs.socketKb)} KB for each socket. Each change costs every process ${milliseconds(costs.change.loop)} ms of its loop, so ${shown((MOST_FEED * 1000) / costs.change.loop)} changes a second take ${MOST_FEED * 100} % of each loop.`,
    '### What customers need in their busiest hour',
    demandTable(costs),
    '### What is full first, and what to add then',
    pointTable(costs),
  ].join('\n\n');
}

function costTable({ operations, change, delivery }: Costs): string {
  const rows = [
    ...OPERATIONS.map((name) => ({
      name: NAMES[name],
      cost: operations[name],
      perDay: DAY.operations[name],
    })),
    { name: 'a change with a listener', cost: change, perDay: DAY.changes },
    { name: 'its delivery to one socket', cost: delivery, perDay: DAY.changes * DAY.hearers },
  ];
  return table(
    [
      'Work',
      'event loop, ms',
      'whole process, ms',
      'PostgreSQL, ms',
      'one process, a second',
      'a customer, a day',
    ],
    rows.map(({ name, cost, perDay }) => [
      name,
      milliseconds(cost.loop),
      milliseconds(cost.server),
      milliseconds(cost.database),
      cost.loop === 0 ? '–' : shown((MOST_LOOP * 1000) / cost.loop),
      String(perDay),
    ]),
  );
}

function demandTable(costs: Costs): string {
  return table(
    [
      'Customers',
      'requests a second',
      'changes a second',
      'sockets',
      'processes',
      'PostgreSQL cores',
      'further cores',
      'calls at once',
      'p95 of requests',
      'TB and million rows a year',
    ],
    CUSTOMERS.map((customers) => {
      const demand = demandOf(costs, customers);
      const plan = planFor(demand);
      const wait = waitOf(costs, demand, plan);
      return [
        shown(customers),
        shown(demand.requests),
        shown(demand.changes),
        shown(demand.sockets),
        Number.isFinite(plan.processes) ? shown(plan.processes) : 'not possible',
        shown(plan.databaseCores),
        shown(plan.helperCores),
        shown(demand.calls),
        wait === undefined ? '–' : `${shown(wait)} ms`,
        `${shown(demand.terabytes)}, ${shown(demand.millionRows)}`,
      ];
    }),
  );
}

function pointTable(costs: Costs): string {
  const rows = POINTS.map((point) => ({ point, customers: customersAt(costs, point) }));
  rows.sort((one, two) => one.customers - two.customers);
  return table(
    ['Customers', 'What is full', 'What to add'],
    rows.map(({ point: { name, next }, customers }) => [
      Number.isFinite(customers) ? shown(customers) : 'never',
      name,
      next,
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const milliseconds = (value: number): string => value.toFixed(value < 1 ? 2 : 1);

/** A model is only accurate to two figures. */
function shown(value: number): string {
  const rounded = value === 0 ? 0 : Number(value.toPrecision(value < 100 ? 2 : 3));
  return rounded.toLocaleString('en-GB', { maximumFractionDigits: 2 });
}
