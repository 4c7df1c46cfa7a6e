import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { diskSpace } from '../../kernel/http/health.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { countRequests } from './request-metrics.server.ts';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
/**
 * Percentiles of the event loop's delay that are reported. The label `quantile` is reserved for the type
 * summary, and these are gauges.
 */
const PERCENTILES = [50, 99, 99.9];
/** How often the event loop's delay is sampled, milliseconds. */
const SAMPLE_MS = 10;
/**
 * Counts what this process does: requests of every kind, sockets, memory, processor, event loop, connections,
 * disk.
 */
export function measureProcess(
  { server, upgrades }: HttpContext,
  resources: Resources,
  register: Registry,
): void {
  const registers = [register];
  countRequests(server.server, register);
  gauge(registers, {
    name: 'northline_realtime_sockets',
    help: 'Open sockets of the realtime service in this process.',
    collect() {
      this.set(upgrades.countOpen(`${SERVICES.realtime}/`));
    },
  });
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delay.enable();
  server.addHook('preClose', async () => {
    delay.disable();
  });
  gauge(registers, {
    name: 'nodejs_eventloop_delay_seconds',
    help: 'Delay of the event loop since the last scrape, by percentile.',
    labelNames: ['percentile'],
    collect() {
      for (const percentile of PERCENTILES)
        this.set({ percentile }, delay.percentile(percentile) / NANOSECONDS);
      delay.reset();
    },
  });
  gauge(registers, {
    name: 'process_resident_memory_bytes',
    help: 'Memory of the server process.',
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  gauge(registers, {
    name: 'process_start_time_seconds',
    help: 'When the process started, seconds since 1970.',
    collect() {
      this.set(Math.round(Date.now() / 1000 - process.uptime()));
    },
  });
  countProcessor(registers);
  measureConnections(resources, registers);
  measureDisk(resources.settings.DATA_DIR, registers);
}

type GaugeOptions = ConstructorParameters<typeof Gauge<string>>[0];
const gauge = (registers: Registry[], options: GaugeOptions): Gauge<string> =>
  new Gauge({ ...options, registers });

function countProcessor(registers: Registry[]): void {
  const seconds = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the server process.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / MICROSECONDS);
    },
  });
  seconds.inc(0);
}

function measureConnections({ database }: Resources, registers: Registry[]): void {
  gauge(registers, {
    name: 'northline_database_connections',
    help: 'Connections to the database, by pool (own work, callers, realtime rights) and state.',
    labelNames: ['pool', 'state'],
    collect() {
      for (const [pool, { size, busy }] of Object.entries(database.poolState())) {
        this.set({ pool, state: 'busy' }, busy);
        this.set({ pool, state: 'idle' }, size - busy);
      }
    },
  });
  gauge(registers, {
    name: 'northline_database_waiting',
    help: 'Tasks that wait for a connection, by pool.',
    labelNames: ['pool'],
    collect() {
      for (const [pool, { waiting }] of Object.entries(database.poolState())) this.set({ pool }, waiting);
    },
  });
}

function measureDisk(folder: string, registers: Registry[]): void {
  gauge(registers, {
    name: 'northline_disk_bytes',
    help: 'The file system under DATA_DIR: bytes that the product may still use, and total bytes.',
    labelNames: ['kind'],
    async collect() {
      const space = await diskSpace(folder);
      if (space === undefined) return;
      this.set({ kind: 'free' }, space.free);
      this.set({ kind: 'size' }, space.size);
    },
  });
}
