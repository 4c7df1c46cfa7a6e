import { type ExecFileOptions, execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { waitAtMost } from '../bounded-wait.ts';
import { writeFileDurably } from '../crypto/durable-write.ts';
import {
  type Account,
  canReach,
  findPostgresBinaries,
  type PostgresBinaries,
  SHARED_FOLDER,
  serverAccount,
} from './postgres-binaries.ts';

const run = promisify(execFile);
/** A socket's path may have 107 bytes; PostgreSQL adds `/.s.PGSQL.5432`. */
const LONGEST_SOCKET_FOLDER = 107 - '/.s.PGSQL.5432'.length;
const LARGEST_SERVER_LOG = 10 * 1024 * 1024;
/** How often the size of the log is checked, milliseconds. */
const LOG_CHECK_MS = 60_000;
/**
 * How a server is asked to stop, and how long each way may take in milliseconds: first cleanly, then at once
 * (PostgreSQL, server shutdown). Under load the last checkpoint alone may take seconds; a server that is stopped
 * at once recovers at its next start, and its sequences skip numbers. The whole process has ten seconds.
 */
const STOPS = [
  { signal: 'SIGINT', patienceMs: 6000 },
  { signal: 'SIGQUIT', patienceMs: 1000 },
] as const;
const STOP_CHECK_MS = 20;
/** The SQLSTATE of a server that is starting, recovering or stopping (`cannot_connect_now`). */
const CANNOT_CONNECT_NOW = '57P03';
/** How long we wait for such a server, and how often we ask it, milliseconds. */
const RECOVERY_PATIENCE_MS = 60_000;
const RECOVERY_CHECK_MS = 100;
/**
 * When the process stops while a server is starting, that start may take this long in milliseconds before the
 * server is stopped.
 */
const START_PATIENCE_MS = 500;
/**
 * Set on the command line, so that a newer version of the product also changes them for an existing data
 * folder.
 */
const SERVER_SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '64MB',
  jit: 'off',
  // What an archive of the write-ahead log needs (decision 0685). Two senders: a base copy, and one whose
  // connection has not ended yet.
  wal_level: 'replica',
  max_wal_senders: '2',
  max_wal_size: '256MB',
  // Errors of statements quote values, and a failing statement may contain a token, so neither is logged.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
};

/** Another major version of PostgreSQL wrote the data folder; each version reads only its own files. */
export class WrongMajorVersion extends Error {
  constructor(written: number, brought: number) {
    super(
      `The database of this data folder is PostgreSQL ${written}, and this release brings ${brought}: run northline upgrade-database --from FOLDER, where FOLDER is the release that ran before.`,
    );
  }
}

/** How the superuser of an embedded server connects; its password is the owner's. */
export function superuserOf(owner: pg.ClientConfig): pg.ClientConfig {
  return { ...owner, user: 'postgres' };
}

/** Runs `work` on a connection of the superuser of an embedded server. */
export async function withSuperuser<T>(
  owner: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(superuserOf(owner));
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** How a server is started. */
interface StartOptions {
  /** Binaries of another version than npm's, to read what that version wrote. */
  readonly binaries?: PostgresBinaries | undefined;
  /** Longest time that a server may take to recover, milliseconds. */
  readonly recoveryMs?: number;
  /** Most megabytes of WAL that wait on the disk for an archive; beyond it the archive begins anew. */
  readonly walDiskMb?: number | undefined;
  /** True for a database that is removed after its use: nothing waits for the disk, and it stops at once. */
  readonly scratch?: boolean;
}

/** What a scratch database goes without: it need not survive a kill. */
const SCRATCH_SETTINGS: Record<string, string> = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
};

/** A running embedded server. */
export interface EmbeddedPostgres {
  /** How the owner of the product's database connects. */
  readonly owner: pg.ClientConfig;
  /** Starts the server again when it has gone. @throws Error with one sentence when that fails */
  revive(): Promise<void>;
  /**
   * Shuts the server down and does not start it again; everything committed is on disk. If a clean shutdown
   * takes too long, the server is stopped at once and recovers at its next start.
   */
  stop(): Promise<void>;
  /** Leaves the server running for another process; the end of this process does not stop it. */
  leaveRunning(): void;
}

/**
 * Starts PostgreSQL from the npm binaries on `dataDir`, or adopts the server that a killed process left
 * behind, and creates the product's database on the first run.
 *
 * @param password password of the server's superuser and of the database's owner
 * @throws Error with one sentence that the operator can act on
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  password: string,
  { binaries, recoveryMs = RECOVERY_PATIENCE_MS, walDiskMb, scratch = false }: StartOptions = {},
): Promise<EmbeddedPostgres> {
  const account = serverAccount();
  const { native, major } = binaries ?? findPostgresBinaries(account);
  const data = dataFolder(dataDir, account);
  const sockets = socketFolder(data, account);
  const options = { ...(account ?? {}), cwd: '/', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } };
  const tool = (name: string) => path.join(native, 'bin', name);

  const written = majorOf(data);
  if (written === undefined)
    await initialise(data, password, { initdb: tool('initdb'), account, options, scratch });
  else if (written !== major) throw new WrongMajorVersion(written, major);
  const superuser: pg.ClientConfig = { host: sockets, user: 'postgres', password, database: 'postgres' };
  let stopping = false;
  let starting: Promise<void> = Promise.resolve();
  const revive = (): Promise<void> => {
    starting = (async () => {
      if (!(await answersSoon(superuser, () => stopping, recoveryMs)) && !stopping) await start();
    })();
    return starting;
  };
  // Only after a stop that took too long does the process exit with 0 while the server runs; after a crash
  // the next start adopts the server.
  const leave = (code: number): boolean => code === 0 && signalServer(data, 'SIGQUIT');
  process.on('exit', leave);
  await revive();
  await createOwnDatabase(superuser, password);
  const rotation = rotateRegularly(path.join(data, 'server.log'));
  return {
    owner: { host: sockets, user: 'northline', password, database: 'northline' },
    revive,
    async stop() {
      stopping = true;
      clearInterval(rotation);
      await waitAtMost(START_PATIENCE_MS, starting).catch(() => {});
      await stopServer(data, scratch ? STOPS.slice(1) : STOPS);
      process.off('exit', leave);
    },
    leaveRunning() {
      clearInterval(rotation);
      process.off('exit', leave);
    },
  };

  async function start(): Promise<void> {
    const serverLog = path.join(data, 'server.log');
    rotateLog(serverLog, LARGEST_SERVER_LOG);
    const recovers = existsSync(path.join(data, 'recovery.signal'));
    const flags = flagsOf(major, { sockets, walDiskMb, scratch });
    try {
      await run(
        tool('pg_ctl'),
        ['-D', data, '-l', serverLog, '-o', flags, '-w', '-t', '60', 'start'],
        options,
      );
      // pg_ctl does not wait for the end of a recovery from an archive.
      if (recovers && !(await answersSoon(superuser, () => stopping, recoveryMs)))
        throw new Error('the recovery ended early');
    } catch (error) {
      // The server of a killed predecessor may still be stopping or starting: wait for it before giving up.
      if (await answersSoon(superuser, () => stopping, recoveryMs)) return;
      throw new Error(`The embedded database could not start: ${reasonOf(serverLog, error)}`, {
        cause: error,
      });
    }
  }
}

/** Creates the files of a new cluster with `initdb`. */
async function initialise(
  data: string,
  password: string,
  {
    initdb,
    account,
    options,
    scratch,
  }: { initdb: string; account: Account | undefined; options: ExecFileOptions; scratch: boolean },
): Promise<void> {
  // Created under another name and renamed, so that a kill never leaves half a database. Each start uses
  // its own name, because the initdb of a killed start may still be writing to its folder.
  const own = randomBytes(6).toString('hex');
  const unfinished = `${data}.${own}.new`;
  const secret = `${data}.${own}`;
  writeFileSync(secret, password, { mode: 0o600 });
  if (account) chownSync(secret, account.uid, account.gid);
  try {
    mkdirSync(unfinished, { mode: 0o700 });
    if (account) chownSync(unfinished, account.uid, account.gid);
    await run(initdb, [...initdbFlags(unfinished, secret), ...(scratch ? ['--no-sync'] : [])], options);
  } catch (error) {
    throw new Error(`The embedded database could not be initialised: ${lastLine(error)}`, { cause: error });
  } finally {
    rmSync(secret, { force: true });
  }
  rmSync(data, { recursive: true, force: true });
  renameSync(unfinished, data);
  removeUnfinished(data);
}

/** What a server says to those who ask it before it is ready, ourselves included: not why it did not start. */
const REFUSED_CLIENT = /the database system is (?:not accepting|not yet|starting|shutting|in recovery)/;

/** Why a server did not start: the last line of its log, or the error of the program that started it. */
export function reasonOf(serverLog: string, error: unknown): string {
  return lastLine(existsSync(serverLog) ? { stderr: readFileSync(serverLog, 'utf8') } : error);
}

/**
 * Keeps the size of a log that another process appends to below a limit: copies the content to `FILE.1`,
 * replacing the former copy, and empties the file, to which the other process keeps appending.
 */
export function rotateLog(file: string, largest: number): void {
  if (!existsSync(file) || statSync(file).size <= largest) return;
  copyFileSync(file, `${file}.1`);
  chmodSync(`${file}.1`, 0o600);
  truncateSync(file);
}

function rotateRegularly(file: string): NodeJS.Timeout {
  const look = (): void => {
    try {
      rotateLog(file, LARGEST_SERVER_LOG);
    } catch {
      // The disk is full or the folder is being removed: the next check tries again.
    }
  };
  return setInterval(look, LOG_CHECK_MS).unref();
}

/** The server's settings as command-line arguments; only those that this major version knows. */
function flagsOf(
  major: number,
  { sockets, walDiskMb, scratch }: Pick<StartOptions, 'walDiskMb' | 'scratch'> & { sockets: string },
): string {
  const settings: Record<string, string> = {
    ...SERVER_SETTINGS,
    ...(scratch === true ? SCRATCH_SETTINGS : {}),
    unix_socket_directories: sockets,
  };
  if (walDiskMb !== undefined) settings.max_slot_wal_keep_size = `${walDiskMb}MB`;
  if (major >= 18) settings.io_method = 'sync';
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${shellQuote(value)}`)
    .join(' ');
}

function majorOf(data: string): number | undefined {
  const file = path.join(data, 'PG_VERSION');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
}

/**
 * The folder of an embedded database's files, and the major version that wrote them; undefined when there is
 * no database yet.
 */
export function embeddedCluster(dataDir: string): { folder: string; major: number | undefined } {
  const pointer = path.join(dataDir, 'postgres.location');
  const folder = existsSync(pointer)
    ? readFileSync(pointer, 'utf8').trim()
    : path.join(dataDir, 'postgres', 'data');
  return { folder, major: majorOf(folder) };
}

/**
 * Removes what killed starts left behind. Folders that an orphaned initdb still writes to are removed at a
 * later first start.
 */
function removeUnfinished(data: string): void {
  const folder = path.dirname(data);
  const left = readdirSync(folder).filter((name) => /^data(?:\.[0-9a-f]{12})?\.new$/.test(name));
  for (const name of left) {
    try {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // An orphaned initdb still writes to it: it costs disk space, but nothing reads it.
    }
  }
}

function initdbFlags(folder: string, passwordFile: string): string[] {
  return [
    '--pgdata',
    folder,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
  ];
}

/** Creates the folders above those of a new database's files; returns the folder that is to have the files. */
export function prepareClusterFolder(dataDir: string): string {
  const data = dataFolder(dataDir, serverAccount());
  mkdirSync(path.dirname(data), { recursive: true, mode: 0o700 });
  return data;
}

/** The database's folder: inside `dataDir`, or where `dataDir` says it had to go (see SHARED_FOLDER). */
function dataFolder(dataDir: string, account: Account | undefined): string {
  const pointer = path.join(dataDir, 'postgres.location');
  if (existsSync(pointer)) return readFileSync(pointer, 'utf8').trim();
  const inside = path.join(dataDir, 'postgres');
  if (canReach(account, dataDir)) {
    if (account === undefined) return path.join(inside, 'data');
    mkdirSync(inside, { recursive: true, mode: 0o700 });
    chownSync(inside, account.uid, account.gid);
    return path.join(inside, 'data');
  }
  const outside = path.join(SHARED_FOLDER, randomBytes(8).toString('hex'));
  mkdirSync(outside, { recursive: true, mode: 0o700 });
  chmodSync(SHARED_FOLDER, 0o755);
  if (account) chownSync(outside, account.uid, account.gid);
  const data = path.join(outside, 'data');
  writeFileDurably(pointer, `${data}\n`);
  return data;
}

function socketFolder(data: string, account: Account | undefined): string {
  mkdirSync(path.dirname(data), { recursive: true, mode: 0o700 });
  let folder = path.join(path.dirname(data), 'socket');
  if (Buffer.byteLength(folder) > LONGEST_SOCKET_FOLDER || folder.includes(',')) {
    const name = createHash('sha256').update(data).digest('hex').slice(0, 16);
    folder = path.join(os.tmpdir(), `northline-${name}`);
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const owner = lstatSync(folder).uid;
  if (account && owner === 0) chownSync(folder, account.uid, account.gid);
  else if (owner !== (account?.uid ?? process.geteuid?.())) {
    throw new Error(
      `The folder ${folder} belongs to another user, so the database's socket cannot be there: remove it.`,
    );
  }
  return folder;
}

/** Signals the server of a data folder. False when none runs there. */
function signalServer(data: string, signal: NodeJS.Signals | 0): boolean {
  try {
    const pid = Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 && process.kill(pid, signal);
  } catch (error) {
    // EPERM: the process id now belongs to another user's process.
    if (/^(ENOENT|ESRCH|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function stopServer(data: string, stops: readonly (typeof STOPS)[number][] = STOPS): Promise<void> {
  for (const { signal, patienceMs } of stops) {
    if (!signalServer(data, signal)) return;
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await pause(STOP_CHECK_MS)) {
      if (!signalServer(data, 0)) return;
    }
  }
  throw new Error('The embedded database did not stop in time; it ends by itself.');
}

/**
 * Ends the server that a killed process left in a data folder, if one runs there. The process of its pid file counts only
 * while it works in that folder, because the number may belong to another program now; where the system does not say
 * where a process works, the server ends by itself within a minute after its files are gone.
 */
export async function endLeftServer(dataDir: string): Promise<void> {
  const { folder } = embeddedCluster(dataDir);
  const file = path.join(folder, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = readFileSync(file, 'utf8').split('\n')[0] ?? '';
  const place = `/proc/${pid}/cwd`;
  if (existsSync(place) && readlinkSync(place) === realpathSync(folder)) await stopServer(folder);
}

/** Whether the server accepts connections; waits for one that is recovering after a kill. */
async function answersSoon(
  config: pg.ClientConfig,
  isStopping: () => boolean,
  patienceMs: number,
): Promise<boolean> {
  for (const deadline = Date.now() + patienceMs; ; await pause(RECOVERY_CHECK_MS)) {
    const answer = await answerOfServer(config);
    if (answer !== 'recovers' || isStopping() || Date.now() > deadline) return answer === 'yes';
  }
}

async function answerOfServer(config: pg.ClientConfig): Promise<'yes' | 'recovers' | 'no'> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return 'yes';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === '28P01') {
      throw new Error(
        'The data folder and its keys.json do not belong together: restore both from one backup.',
      );
    }
    return code === CANNOT_CONNECT_NOW ? 'recovers' : 'no';
  } finally {
    await client.end().catch(() => {});
  }
}

/** Creates the owner (who may create roles, but is no superuser) and the product's database. */
/**
 * Settings of the reference that migrations of hosted projects give the role `authenticator`. Only a superuser, or
 * who may set the parameter, stores a setting that PostgreSQL does not know.
 */
const FOREIGN_SETTINGS = [
  ...['db_aggregates_enabled', 'db_anon_role', 'db_channel', 'db_config', 'db_extra_search_path'],
  ...['db_hoisted_tx_settings', 'db_max_rows', 'db_plan_enabled', 'db_pool', 'db_pre_request'],
  ...['db_prepared_statements', 'db_root_spec', 'db_schemas', 'db_timezone_enabled', 'db_tx_end', 'jwt_aud'],
  ...[
    'jwt_role_claim_key',
    'jwt_secret',
    'openapi_mode',
    'openapi_security_active',
    'openapi_server_proxy_uri',
  ],
  ...['raw_media_types', 'server_cors_allowed_origins', 'server_timing_enabled', 'server_trace_header'],
].map((name) => `pgrst.${name}`);

/** Creates the product's role and database at the first start, and gives the owner the rights that came later. */
async function createOwnDatabase(superuser: pg.ClientConfig, password: string): Promise<void> {
  const client = new pg.Client(superuser);
  client.on('error', () => {});
  await client.connect();
  try {
    await createMissing(client, password);
    const granted = await client.query<{ count: number }>(
      'select count(*)::int from pg_parameter_acl where parname = any ($1)',
      [FOREIGN_SETTINGS],
    );
    if (granted.rows[0]?.count === FOREIGN_SETTINGS.length) return;
    await client.query(`grant set on parameter ${FOREIGN_SETTINGS.join(', ')} to northline`);
  } finally {
    await client.end();
  }
}

async function createMissing(client: pg.Client, password: string): Promise<void> {
  const { rows } = await client.query("select 1 from pg_database where datname = 'northline'");
  if (rows.length > 0) return;
  const role = await client.query("select 1 from pg_roles where rolname = 'northline'");
  if (role.rows.length === 0) {
    await client.query(
      `create role northline login createrole bypassrls password ${client.escapeLiteral(password)}`,
    );
  }
  await client.query('create database northline owner northline');
}

function shellQuote(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const lines = (stderr || message || String(error)).trim().split('\n');
  const said = lines.filter((line) => !REFUSED_CLIENT.test(line));
  return said.findLast((line) => /FATAL|error/i.test(line)) ?? lines.at(-1) ?? '';
}
