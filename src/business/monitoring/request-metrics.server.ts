import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Counter, type Histogram, type Registry } from 'prom-client';
import { SERVICES } from '../../kernel/contract/routes.ts';

/** Seconds; typical times of pages and API calls are between the first and the sixth. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
const LATENCY = 'northline_http_request_seconds';
/** Methods with their own label; all others share one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The label of an address: a service of the API, the webhooks, or the site. */
const PREFIXES: readonly (readonly [service: string, prefix: string])[] = [
  ['webhooks', '/webhooks/'],
  ...Object.entries(SERVICES)
    .filter(([name]) => name !== 'config')
    .flatMap(([name, path]) => [[name, `${path}/`] as const, [name, `${path}?`] as const]),
];

/** The replies of one service. */
interface ServiceTally {
  /** By method and status, in Prometheus' order of labels. */
  readonly replies: Map<string, { method: string; status: string; count: number }>;
  /** Replies by the first bucket that contains them; the last entry counts those above all buckets. */
  readonly within: number[];
  seconds: number;
}

const STARTED: unique symbol = Symbol('started');
interface MeasuredResponse extends ServerResponse {
  [STARTED]?: { readonly tally: ServiceTally; readonly at: number };
}

/**
 * Counts every reply of `server` and its duration. The numbers are kept here and given to the registry when
 * it is read: through the registry's own counters they took a third of the time for serving a static file.
 */
export function countRequests(server: Server, register: Registry): void {
  const tallies = new Map<string, ServiceTally>();
  server.on('request', (request: IncomingMessage, response: MeasuredResponse) => {
    response[STARTED] = { tally: tallyOf(tallies, serviceOf(request.url ?? '/')), at: performance.now() };
    response.on('close', countReply);
  });
  new Counter({
    name: 'northline_http_requests_total',
    help: 'Answered requests, by service, method and status.',
    labelNames: ['service', 'method', 'status'],
    registers: [register],
    collect() {
      this.reset();
      for (const [service, { replies }] of tallies)
        for (const { method, status, count } of replies.values())
          this.inc({ service, method, status }, count);
    },
  });
  register.registerMetric(latencyMetric(tallies));
}

function serviceOf(url: string): string {
  for (const [service, prefix] of PREFIXES) if (url.startsWith(prefix)) return service;
  return 'site';
}

function tallyOf(tallies: Map<string, ServiceTally>, service: string): ServiceTally {
  const known = tallies.get(service);
  if (known !== undefined) return known;
  const tally = { replies: new Map(), within: LATENCY_BUCKETS.map(() => 0).concat(0), seconds: 0 };
  tallies.set(service, tally);
  return tally;
}

/** One function for all replies, because a closure for each reply costs noticeable time here. */
function countReply(this: MeasuredResponse): void {
  const started = this[STARTED];
  if (started === undefined) return;
  const { tally } = started;
  const given = this.req.method ?? '';
  const method = METHODS.has(given) ? given : 'other';
  // If the client left before the reply was complete, there is no status.
  const status = this.writableFinished ? String(this.statusCode) : 'aborted';
  const key = `${method} ${status}`;
  const replies = tally.replies.get(key);
  if (replies === undefined) tally.replies.set(key, { method, status, count: 1 });
  else replies.count += 1;
  const seconds = (performance.now() - started.at) / 1000;
  let bucket = 0;
  while (bucket < LATENCY_BUCKETS.length && seconds > (LATENCY_BUCKETS[bucket] ?? 0)) bucket += 1;
  tally.within[bucket] = (tally.within[bucket] ?? 0) + 1;
  tally.seconds += seconds;
}

/** The histogram of the tallies. A registry needs only a metric's name and `get`. */
function latencyMetric(tallies: ReadonlyMap<string, ServiceTally>): Histogram {
  const help = 'Time from the headers of a request to the end of its reply, by service.';
  const get = async () => ({
    name: LATENCY,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...tallies].flatMap(([service, tally]) => latencyLines(service, tally)),
  });
  return { name: LATENCY, get } as unknown as Histogram;
}

/** The series of one service; buckets are cumulative (Prometheus text format). */
function latencyLines(service: string, { within, seconds }: ServiceTally) {
  let sum = 0;
  const buckets = within.map((count, place) => {
    sum += count;
    const le = LATENCY_BUCKETS[place] ?? '+Inf';
    return { metricName: `${LATENCY}_bucket`, labels: { service, le }, value: sum };
  });
  return [
    ...buckets,
    { metricName: `${LATENCY}_sum`, labels: { service }, value: seconds },
    { metricName: `${LATENCY}_count`, labels: { service }, value: sum },
  ];
}
