import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import {
  freePort,
  freshDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '../../bench/support/product.ts';
import { type SecondPostgres, startSecondPostgres } from '../../scripts/checks/second-postgres.ts';
import { startMailServer, type TestMailServer } from '../support/servers/mail-server.ts';
import { type S3Server, startS3Server } from '../support/servers/s3-server.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

const PROCESSES = 2;
const STRANGE_MACHINE = pathToFileURL(path.join(import.meta.dirname, 'strange-machine.ts')).href;
const HOST = 'automation.test';
/** Attempts until the last process of a killed database has ended. */
const RESUME_TRIES = 100;
const RESUME_PAUSE_MS = 300;

/**
 * Two processes of the product and everything that they depend on, each behind a proxy that can disturb it.
 */
export interface Surroundings {
  /** The processes; a killed one is replaced at the same index. */
  readonly processes: Product[];
  readonly database: FaultProxy;
  readonly store: FaultProxy;
  readonly mail: FaultProxy;
  readonly s3: S3Server;
  readonly mailServer: TestMailServer;
  /** The `webhook-id`s with which each enquiry was announced. */
  readonly told: ReadonlyMap<string, ReadonlySet<string>>;
  /** A connection as a superuser, not through the disturbed proxy; the caller ends it. */
  connect(): Promise<pg.Client>;
  stopDatabase(): Promise<void>;
  /** Sends SIGKILL to its first process, as a machine without memory does. */
  killDatabase(): void;
  startDatabase(): Promise<void>;
  /** Sets how wrong the clocks of the processes are, in milliseconds, and whether names are resolved. */
  setMachine(machine: { clockMs: number; knowsNames: boolean }): void;
  /** Kills a process and starts it again at its address. */
  killProcess(at: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything; `version` is one of the system's PostgreSQL (`installedPostgres`). */
export async function openSurroundings(version: string): Promise<Surroundings> {
  const postgres = await startSecondPostgres(version);
  const folder = String(postgres.superuser.host);
  const administrator = new pg.Client({ connectionString: postgres.address });
  await administrator.connect();
  await administrator.query('create database northline');
  await administrator.end();
  const [s3, mailServer] = [await startS3Server(), await startMailServer()];
  const database = await startFaultProxy({ path: path.join(folder, '.s.PGSQL.5432') });
  const store = await startFaultProxy(portOf(s3.storageUrl));
  const mail = await startFaultProxy(portOf(mailServer.url));
  const told = new Map<string, Set<string>>();
  const receiver = await startReceiver(told);
  const dataDir = freshDataDir();
  const machineFile = path.join(dataDir, 'machine.json');
  const setMachine: Surroundings['setMachine'] = (machine) => {
    writeFileSync(`${machineFile}.new`, JSON.stringify(machine));
    renameSync(`${machineFile}.new`, machineFile);
  };
  setMachine({ clockMs: 0, knowsNames: true });
  const settings = {
    DATABASE_URL: databaseUrl(postgres, database.port),
    DATABASE_POOL: '6',
    STORAGE_URL: s3.storageUrl.replace(`:${portOf(s3.storageUrl).port}/`, `:${store.port}/`),
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    AUTOMATION_URLS: `judge=http://${HOST}:${receiver.port}/#enquiry.created`,
    OUTBOUND_ALLOW_HOSTS: `${HOST}:${receiver.port}`,
    SIP_LISTEN: 'off',
    NODE_OPTIONS: `--import=${STRANGE_MACHINE}`,
    SURROUNDINGS_FILE: machineFile,
  };
  const processes: Product[] = [];
  const close = async (): Promise<void> => {
    for (const one of processes) await one.stop();
    for (const way of [database, store, mail]) await way.close();
    await Promise.all([s3.close(), mailServer.close(), receiver.close()]);
    postgres.stop();
    removeDataDir(dataDir);
  };
  try {
    for (let at = 0; at < PROCESSES; at += 1)
      processes.push(await startProduct(dataDir, await freePort(), settings));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ processes, database, store, mail, s3, mailServer, told, setMachine },
    async connect() {
      const client = new pg.Client({ ...postgres.superuser, database: 'northline' });
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    stopDatabase: () => postgres.interrupt(),
    killDatabase() {
      const lock = readFileSync(path.join(folder, 'data', 'postmaster.pid'), 'utf8');
      process.kill(Number(lock.split('\n')[0]), 'SIGKILL');
    },
    startDatabase: () => resume(postgres),
    async killProcess(at) {
      const killed = processes[at];
      if (killed === undefined) return;
      await killed.kill();
      processes[at] = await startProduct(dataDir, killed.port, settings);
    },
    close,
  };
}

/** The server at the port of an address. */
function portOf(address: string): { host: string; port: number } {
  return { host: '127.0.0.1', port: Number(/127\.0\.0\.1:(\d+)/.exec(address)?.[1]) };
}

/** The product's own address of the database, through the proxy. */
function databaseUrl({ address }: SecondPostgres, port: number): string {
  return `postgres://northline:${new URL(address).password}@127.0.0.1:${port}/northline`;
}

/** A killed server cannot start again until its processes have released their shared memory. */
async function resume(postgres: SecondPostgres): Promise<void> {
  for (let left = RESUME_TRIES; ; left -= 1) {
    try {
      return await postgres.resume();
    } catch (error) {
      if (left === 0) throw error;
      await pause(RESUME_PAUSE_MS);
    }
  }
}

/** Receives events, and records which ids announced which enquiry. */
async function startReceiver(told: Map<string, Set<string>>) {
  const server = http.createServer(async (request, reply) => {
    const body = await request.toArray().then(Buffer.concat, () => undefined);
    // Interrupted by the kill of its sender: nothing was received.
    if (body === undefined) return;
    const { data } = JSON.parse(body.toString('utf8')) as { data: { id: string } };
    const ids = told.get(data.id) ?? new Set();
    told.set(data.id, ids.add(String(request.headers['webhook-id'])));
    reply.end('noted');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
