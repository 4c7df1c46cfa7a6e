import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv, promisify } from 'node:util';
import { readSettings, type Settings } from '../../kernel/config/settings.ts';
import { embeddedCluster } from '../../kernel/resources/database/embedded-postgres.ts';
import { findPostgresBinariesIn } from '../../kernel/resources/database/postgres-binaries.ts';
import { CURRENT, copyRelease, DATA, pointTo, RELEASES, SETTINGS } from './install-service-command.ts';

const run = promisify(execFile);
/** Longest time for a command of a release, milliseconds: a backup of a large installation takes long. */
const COMMAND_MS = 6 * 3600 * 1000;

/** One process of the service; it runs the release to which the link `current` points when it starts. */
export interface ServiceProcess {
  /** The name that its supervisor uses. */
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Restarts the process while its supervisor holds the address, so that clients wait; undefined when nobody
   * holds it.
   */
  readonly restart?: () => Promise<void>;
  /** Waits until the product is ready; false when it is not ready in time. */
  ready(settings: Settings): Promise<boolean>;
}

/** What to upgrade, and to which release. */
export interface ReleaseUpgrade {
  /** Folder that stands for `/`. */
  readonly root: string;
  /** The new release, unpacked, and its version. */
  readonly release: string;
  readonly version: string;
  /** One process, or several on one `DATABASE_URL` behind a proxy. */
  readonly processes: readonly ServiceProcess[];
  /** The account that runs the commands; undefined: our own. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
  /** Called with a sentence for each step. */
  say(step: string): void;
}

/** The installation as the upgrade found it. */
interface Installation extends ReleaseUpgrade {
  readonly service: ServiceProcess;
  readonly old: string;
  readonly fresh: string;
  readonly settings: Settings;
  at(place: string): string;
}

/**
 * Replaces the running release: copies the new one beside it, checks the settings with it, and makes a backup
 * while the old one still runs. Several processes are then replaced one after another, or all together if the
 * new release replaces migrations of the old one. A process whose address is held restarts at once if the
 * database needs no change; otherwise it is stopped, switched and started, and the upgrade waits until it is
 * ready. When the new release does not become ready, the old one runs again, on the database as it was when it
 * stopped.
 *
 * @throws Error with one sentence that says which release is running
 */
export async function upgradeRelease(order: ReleaseUpgrade): Promise<string> {
  const at = (place: string): string => path.join(order.root, place);
  const old = currentRelease(at(CURRENT));
  const fresh = path.join(RELEASES, order.version);
  const [first] = order.processes;
  if (first === undefined) throw new Error('There is no service here: run install-service first.');
  if (old === fresh) throw new Error(`${fresh} is the release that runs already.`);
  copyRelease(order.release, at(fresh));
  const settings = readSettings(parseEnv(readFileSync(at(SETTINGS), 'utf8')), at(fresh));
  const found: Installation = { ...order, service: first, at, old, fresh, settings };
  if (order.processes.length > 1 && settings.DATABASE_URL === '')
    throw new Error('Several processes need one DATABASE_URL: the embedded database serves one of them.');
  order.say(`${fresh} is beside ${old}: its settings are checked`);
  await northline(found, fresh, ['settings', 'check']);
  order.say('a backup is made');
  const backups = at(path.join(DATA, 'before-upgrade'));
  order.say(await northline(found, old, ['backup', '--to', backups, '--keep', '3']));
  await goOver(found, backups);
  return `${fresh} runs. ${old} stays beside it, and the backup of before is in ${backups}.`;
}

function currentRelease(link: string): string {
  if (!existsSync(path.dirname(link)))
    throw new Error('There is no release here: run install-service first.');
  try {
    return readlinkSync(link);
  } catch (error) {
    throw new Error(`${link} is no link to a release: run install-service first.`, { cause: error });
  }
}

async function goOver(found: Installation, backups: string): Promise<void> {
  if (found.processes.length > 1)
    return replacesMigrations(found) ? startTogether(found, backups) : rollOver(found, backups);
  if (found.service.restart !== undefined && keepsDatabase(found)) {
    found.say('the database stays as it is: requests wait while the service restarts');
    return rollOver(found, backups);
  }
  await found.service.stop();
  const back = await keepDatabase(found);
  try {
    await switchTo(found);
  } catch (error) {
    await goBack(found, back, (error as Error).message, backups);
  }
  back.forget();
}

/**
 * Restarts the processes on the new release one by one, each after the previous one is ready. The others go
 * on answering, so new migrations may only add to the schema, as ours do.
 *
 * @throws Error when a process did not become ready; it says which release is running
 */
async function rollOver({ processes, settings, ...found }: Installation, backups: string): Promise<void> {
  const { at, old, fresh, say } = found;
  pointTo(at(CURRENT), fresh);
  const over: ServiceProcess[] = [];
  for (const one of processes) {
    say(`${one.name} goes to ${fresh}`);
    over.push(one);
    if (await restarted(one, settings)) {
      // A proxy takes as long to use this process again as it took to leave it.
      if (over.length < processes.length) await pause(settings.DRAIN_SECONDS * 1000);
      continue;
    }
    pointTo(at(CURRENT), old);
    const reason = `${one.name} did not become ready with ${fresh}`;
    say(`${reason}: back to ${old}`);
    for (const back of over.reverse()) {
      if (await restarted(back, settings)) continue;
      throw new Error(
        `${reason}, and does not start with ${old} either${hasNewMigrations(at(old), at(fresh)) ? `, which refuses the new migrations: restore the backup in ${backups} into a new database, and set DATABASE_URL to it` : ': look at its log'}. ${processes.length - over.length} of ${processes.length} processes still run ${old}.`,
      );
    }
    throw new Error(`${reason}: ${old} runs everywhere again. Look at the log of ${fresh}.`);
  }
}

/**
 * Stops every process before the first one starts with the new release: that one changes the database in a way that the
 * old release cannot work with.
 *
 * @throws Error when one did not become ready, with the way back
 */
async function startTogether(
  { processes, settings, at, old, fresh, say }: Installation,
  backups: string,
): Promise<void> {
  say(`${fresh} changes tables that ${old} reads: every process stops, and then starts with ${fresh}`);
  for (const one of processes) await one.stop();
  pointTo(at(CURRENT), fresh);
  for (const one of processes) {
    await one.start();
    if (await one.ready(settings)) continue;
    throw new Error(
      `${one.name} did not become ready with ${fresh}: look at its log. To go back to ${old}, restore the backup in ${backups} into a new database, set DATABASE_URL to it, and let ${CURRENT} point to ${old}.`,
    );
  }
}

/** Restarts a process; returns whether it became ready. */
async function restarted(one: ServiceProcess, settings: Settings): Promise<boolean> {
  if (one.restart === undefined) {
    await one.stop();
    await one.start();
  } else await one.restart();
  return one.ready(settings);
}

/** Whether the new release uses the old one's database without changing it. */
function keepsDatabase({ at, old, fresh, settings }: Installation): boolean {
  const written = settings.DATABASE_URL === '' ? embeddedCluster(settings.DATA_DIR).major : undefined;
  const sameMajor = written === undefined || written === findPostgresBinariesIn(at(fresh), undefined).major;
  return sameMajor && !hasNewMigrations(at(old), at(fresh));
}

async function switchTo({ at, fresh, old, service, settings, ...found }: Installation): Promise<void> {
  const here = { at, fresh, old, service, settings, ...found };
  const written = settings.DATABASE_URL === '' ? embeddedCluster(settings.DATA_DIR).major : undefined;
  if (written !== undefined && written !== findPostgresBinariesIn(at(fresh), undefined).major) {
    found.say('the embedded database goes to its next major version');
    found.say(await northline(here, fresh, ['upgrade-database', '--from', at(old)]));
  }
  pointTo(at(CURRENT), fresh);
  await service.start();
  if (!(await service.ready(settings))) throw new Error(`${fresh} did not become ready`);
}

/** How to return to the database as it was when the old release stopped. */
interface WayBack {
  /** False when the old release cannot read what the new one made of the database. */
  readonly whole: boolean;
  restore(): void;
  forget(): void;
}

/**
 * Copies an embedded database that the new release will change; file systems that can share blocks copy it
 * without using space.
 */
async function keepDatabase({ at, old, fresh, settings, say }: Installation): Promise<WayBack> {
  const changes = hasNewMigrations(at(old), at(fresh));
  if (settings.DATABASE_URL !== '') return { whole: !changes, restore() {}, forget() {} };
  const { folder, major } = embeddedCluster(settings.DATA_DIR);
  const isSameMajor = major === findPostgresBinariesIn(at(fresh), undefined).major;
  if (major === undefined || (!changes && isSameMajor)) return { whole: true, restore() {}, forget() {} };
  const copy = `${folder}.before-upgrade`;
  say('the database is copied, since the new release changes it');
  rmSync(copy, { recursive: true, force: true });
  await run('cp', ['-a', '--reflink=auto', folder, copy]);
  return {
    whole: true,
    restore() {
      rmSync(folder, { recursive: true, force: true });
      renameSync(copy, folder);
    },
    forget: () => rmSync(copy, { recursive: true, force: true }),
  };
}

/** A release adds migrations to those of the one before. One that lacks some of them has replaced them. */
const replacesMigrations = ({ at, old, fresh }: Installation): boolean =>
  hasNewMigrations(at(fresh), at(old));

function hasNewMigrations(old: string, fresh: string): boolean {
  const files = (release: string) =>
    globSync(['migrations/*.sql', 'migrations/baseline/*.sql'], { cwd: release });
  const known = new Set(files(old));
  return files(fresh).some((file) => !known.has(file));
}

/** Starts the old release again. @throws Error always, with the result */
async function goBack(found: Installation, back: WayBack, reason: string, backups: string): Promise<never> {
  const { at, old, fresh, service, settings, say } = found;
  say(`${reason}: back to ${old}`);
  await service.stop();
  pointTo(at(CURRENT), old);
  if (!back.whole) {
    throw new Error(
      `${reason}. The database of DATABASE_URL has migrations of ${fresh} now, which ${old} refuses: restore the backup in ${backups} into a new one, set DATABASE_URL to it, and start the service.`,
    );
  }
  back.restore();
  await service.start();
  if (!(await service.ready(settings)))
    throw new Error(
      `${reason}, and ${old} does not start either: look at its log. The backup is in ${backups}.`,
    );
  throw new Error(`${reason}: ${old} runs again, with everything that it had. Look at the log of ${fresh}.`);
}

/**
 * Runs a command of a release with the service's settings and account; returns its output. @throws Error with
 * the last line of its output
 */
async function northline(
  { at, account, root }: Installation,
  release: string,
  words: readonly string[],
): Promise<string> {
  const env = { PATH: process.env.PATH, NORTHLINE_ENV: path.join(root, SETTINGS) };
  const options = { ...account, cwd: '/', env, timeout: COMMAND_MS };
  try {
    const { stdout } = await run(path.join(at(release), 'bin', 'northline'), [...words], options);
    return stdout.trim().split('\n').at(-1) ?? '';
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    const last = (stderr ?? '').trim().split('\n').at(-1);
    throw new Error(`northline ${words[0]} of ${release} failed: ${last || message}`, { cause: error });
  }
}
