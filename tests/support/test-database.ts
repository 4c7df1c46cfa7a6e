import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startApp } from '../../src/app.ts';
import { readSettings } from '../../src/kernel/config/settings.ts';
import { startEmbeddedPostgres } from '../../src/kernel/resources/database/embedded-postgres.ts';
import { createLog } from '../../src/kernel/resources/log/log.ts';

/** Where the tests of this run create their databases. */
export interface TestDatabase {
  /** Address of the server's maintenance database, as a role that may create databases. */
  readonly admin: string;
  /** Address of the product's databases, as their owner, with `DATABASE` in place of the name. */
  readonly owner: string;
  /** Name of the owner role. */
  readonly ownerRole: string;
  /** The migrated database from which each test's own is copied. */
  readonly template: string;
  /** How the server copies a database at the least cost (CREATE DATABASE … STRATEGY). */
  readonly strategy: 'wal_log' | 'file_copy';
}

declare module 'vitest' {
  export interface ProvidedContext {
    testDatabase: TestDatabase;
  }
}

const FOLDER_PREFIX = 'northline-test-';
const MEMORY = '/dev/shm';
/** A run needs at most 2 GB. */
const LEAST_MEMORY = 4 * 1024 ** 3;

/** A running server, before it has a template. */
export interface TestServer extends Omit<TestDatabase, 'template'> {
  stop(): Promise<void>;
}

interface Shared {
  readonly database: Promise<TestDatabase & { close(): Promise<void> }>;
  users: number;
}

/** Vitest loads this file once for each project, so shared state cannot be in a module. */
const SHARED = Symbol.for('northline.test-databases');
const shared = globalThis as { [SHARED]?: Map<string, Shared> };

/** Runs once per run for all projects that ask for it: an embedded server with the template. */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideDatabase(project, 'embedded', embeddedServer);
}

/**
 * Gives a project the database with this name. The first project to ask starts it, and the last to leave
 * stops it.
 */
export async function provideDatabase(
  project: TestProject,
  name: string,
  start: () => Promise<TestServer>,
): Promise<() => Promise<void>> {
  shared[SHARED] ??= new Map();
  const all = shared[SHARED];
  const own = all.get(name) ?? { database: openTemplate(start), users: 0 };
  all.set(name, own);
  own.users += 1;
  const { close, ...database } = await own.database;
  project.provide('testDatabase', database);
  return async () => {
    own.users -= 1;
    if (own.users > 0) return;
    all.delete(name);
    await close();
  };
}

async function openTemplate(start: () => Promise<TestServer>) {
  const { stop, ...server } = await start();
  const template = `northline_template_${randomBytes(5).toString('hex')}`;
  await ask(server.admin, `create database ${template} owner ${server.ownerRole}`);
  await fillTemplate(server.owner.replace('DATABASE', template));
  return { ...server, template, close: stop };
}

/** A server that is already running, given by the address of a role that may create databases and roles. */
export function givenServer(address: string, stop: () => Promise<void>): TestServer {
  const owner = new URL(address);
  owner.pathname = '/DATABASE';
  return {
    admin: address,
    owner: owner.href,
    ownerRole: pg.escapeIdentifier(decodeURIComponent(owner.username)),
    strategy: 'wal_log',
    stop,
  };
}

async function embeddedServer(): Promise<TestServer> {
  stopAbandonedServers();
  const folder = mkdtempSync(path.join(dataPlace(), `${FOLDER_PREFIX}${process.pid}-`));
  // When we are root, PostgreSQL runs under another account, which has to enter the folder.
  chmodSync(folder, 0o711);
  const password = randomBytes(12).toString('hex');
  const embedded = await startEmbeddedPostgres(folder, password);
  const socket = encodeURIComponent(String(embedded.owner.host));
  const admin = `postgres://postgres:${password}@localhost/postgres?host=${socket}`;
  // The data lives as long as the run, so nothing has to survive a power cut.
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    await ask(admin, `alter system set ${name} = off`);
  }
  await ask(admin, 'select pg_reload_conf()');
  return {
    admin,
    owner: `postgres://northline:${password}@localhost/DATABASE?host=${socket}`,
    ownerRole: 'northline',
    strategy: 'file_copy',
    async stop() {
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Memory, where the system lends enough: each database has some 1,300 files, and a disk takes several times the work to
 * create and remove them.
 */
function dataPlace(): string {
  if (!existsSync(MEMORY)) return os.tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < LEAST_MEMORY ? os.tmpdir() : MEMORY;
}

/** A killed run leaves its server behind; the name of its folder says which run it was. */
function stopAbandonedServers(): void {
  for (const name of readdirSync(dataPlace())) {
    const owner = name.startsWith(FOLDER_PREFIX) ? Number(name.slice(FOLDER_PREFIX.length).split('-')[0]) : 0;
    if (owner === 0 || isAlive(owner)) continue;
    const folder = path.join(dataPlace(), name);
    const pidFile = path.join(folder, 'postgres', 'data', 'postmaster.pid');
    try {
      if (existsSync(pidFile)) {
        const [pid, data] = readFileSync(pidFile, 'utf8').split('\n');
        if (data === path.dirname(pidFile) && isAlive(Number(pid))) process.kill(Number(pid), 'SIGQUIT');
      }
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or is stopping: the next run tries again.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Starts the real product on the template once, which creates the schema, the job queue's tables and the
 * API's login.
 */
async function fillTemplate(address: string): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-template-'));
  try {
    const environment = { PORT: '0', DATA_DIR: folder, DATABASE_URL: address, LOG_LEVEL: 'error' };
    const settings = readSettings(environment, folder);
    const app = await startApp(settings, createLog(settings.LOG_LEVEL));
    await app.close();
    // Each test is an installation of its own, with its own keys.
    await ask(address, 'delete from private.installation');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs one statement on a separate connection. */
export async function ask(address: string, sql: string): Promise<void> {
  await askRows(address, sql);
}

/** Runs one statement on a connection of its own and returns its rows. */
export async function askRows(address: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: address });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
