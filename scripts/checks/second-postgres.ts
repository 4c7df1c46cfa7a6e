import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { serverAccount } from '../../src/kernel/resources/database/postgres-binaries.ts';

const PACKAGES = '/usr/lib/postgresql';

/** A PostgreSQL from the system's packages, on its own folder. */
export interface SecondPostgres {
  /** Major version. */
  readonly version: string;
  /** For TEST_DATABASE_URL: a role that may create databases and roles, but is no superuser. */
  readonly address: string;
  /** Its superuser, for what a test must see or do beyond the product's rights. */
  readonly superuser: pg.ClientConfig;
  /** Shuts it down cleanly, which disconnects everybody; the data stays for `resume`. */
  interrupt(): Promise<void>;
  /** Starts it again; resolves when it answers. */
  resume(): Promise<void>;
  stop(): void;
}

/** The newest version whose `initdb` is in the system's packages, or undefined. */
export function installedPostgres(): string | undefined {
  if (!existsSync(PACKAGES)) return undefined;
  return readdirSync(PACKAGES)
    .filter((version) => Number(version) >= 15 && existsSync(path.join(PACKAGES, version, 'bin', 'initdb')))
    .sort((left, right) => Number(right) - Number(left))[0];
}

/** Initialises and starts it on a temporary folder, reachable by a socket only. */
export async function startSecondPostgres(version: string): Promise<SecondPostgres> {
  const account = serverAccount();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-second-'));
  const data = path.join(folder, 'data');
  const secret = path.join(folder, 'password');
  const password = randomBytes(12).toString('hex');
  const options = { ...(account ?? {}), cwd: '/', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } };
  const tool = (name: string, ...args: string[]) =>
    execFileSync(path.join(PACKAGES, version, 'bin', name), args, {
      ...options,
      stdio: ['ignore', 'ignore', 2],
    });

  /** Runs the tool without blocking this process. */
  const toolAside = async (name: string, ...args: string[]): Promise<void> => {
    await promisify(execFile)(path.join(PACKAGES, version, 'bin', name), args, options);
  };

  writeFileSync(secret, password, { mode: 0o600 });
  mkdirSync(data, { mode: 0o700 });
  if (account) for (const owned of [folder, data, secret]) chownSync(owned, account.uid, account.gid);
  tool(
    'initdb',
    ...['-D', data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${secret}`],
    ...['--encoding=UTF8', '--locale=C.UTF-8'],
  );
  const flags = `-c listen_addresses= -c unix_socket_directories=${folder} -c fsync=off -c max_connections=100`;
  const start = ['-D', data, '-l', path.join(folder, 'log'), '-o', flags, '-w', 'start'];
  tool('pg_ctl', ...start);
  const superuser = { host: folder, user: 'postgres', password, database: 'postgres' };
  const client = new pg.Client(superuser);
  await client.connect();
  await client.query(`create role northline login createrole createdb bypassrls password '${password}'`);
  // Before 16 only a superuser can grant bypassrls, so the operator's guide has this role created beforehand.
  if (Number(version) < 16) await client.query('create role service_role nologin noinherit bypassrls');
  await client.end();
  return {
    version,
    address: `postgres://northline:${password}@localhost/postgres?host=${encodeURIComponent(folder)}`,
    superuser,
    interrupt: () => toolAside('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop'),
    resume: () => toolAside('pg_ctl', ...start),
    stop() {
      tool('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
