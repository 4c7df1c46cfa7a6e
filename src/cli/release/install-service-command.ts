import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { PRODUCT_VERSION } from '../../kernel/config/product-version.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import { type Command, UsageError } from '../command.ts';
import { parseOptions } from '../command-words.ts';

/** The account of the service, and the folders that `deploy/northline.service` names. */
const ACCOUNT = 'northline';
export const RELEASES = '/opt/northline/releases';
/** A link to the release that is running. */
export const CURRENT = '/opt/northline/current';
export const SETTINGS = '/etc/northline/northline.env';
export const DATA = '/var/lib/northline';
/** A folder for backups that the unit allows; the service may write nowhere else. */
const BACKUPS = '/var/backups/northline';
const UNITS = '/etc/systemd/system';
const START = '/opt/northline/current/bin/northline start';
const PROGRAM = '/usr/local/bin/northline';

/** The settings of a fresh service, which the operator may change. */
export const FIRST_SETTINGS = `# Settings of Northline: NAME=value, one a line; all of them are in docs/settings.md.
# After a change: systemctl restart northline
DATA_DIR=${DATA}/data
#SITE_URL=https://www.example.com
#TRUST_PROXY=127.0.0.1
#SMTP_URL=smtps://user:password@mail.example.com
#BACKUP_TO=${BACKUPS}
`;

/** Installs the release that this command belongs to as a systemd service. */
export const installServiceCommand: Command = {
  summary: 'makes an account, folders and a hardened service of systemd for this release',
  usage: [
    '               as root, from the unpacked release; what is there is kept',
    '    --ports A,B    runs a process at each of these ports, as northline@A and northline@B, for a proxy before them',
    '    --root DIR     writes below DIR instead, and neither makes an account nor starts anything',
  ],
  async run(_settings, words) {
    const { values } = parseOptions(words, ['root', 'ports']);
    const root = values.root ?? '/';
    if (values.root === undefined && process.geteuid?.() !== 0)
      throw new Error('Only root can install a service: run it with sudo.');
    if (!existsSync(path.join(PROJECT_ROOT, 'bin', 'northline')))
      throw new UsageError('This is no release: unpack one, and run its bin/northline.');
    return installService(root, values.root === undefined, readPorts(values.ports));
  },
};

/**
 * Copies the release, and writes the settings, the unit and the link to the program if they are missing.
 * `system` also creates the account, gives it its folder and makes systemd read the unit.
 *
 * @param root folder that stands for `/`
 * @param ports the ports of several processes; empty for one process at the port of the settings
 * @returns what was done and what is left to do
 */
export function installService(root: string, system: boolean, ports: readonly number[] = []): string {
  const at = (place: string): string => path.join(root, place);
  const account = system ? ownAccount() : undefined;
  const release = path.join(RELEASES, PRODUCT_VERSION);
  copyRelease(PROJECT_ROOT, at(release));
  pointTo(at(CURRENT), release);
  mkdirSync(at(DATA), { recursive: true, mode: 0o700 });
  mkdirSync(path.dirname(at(BACKUPS)), { recursive: true, mode: 0o755 });
  const isNewPlace = mkdirSync(at(BACKUPS), { recursive: true, mode: 0o700 }) !== undefined;
  mkdirSync(path.dirname(at(SETTINGS)), { recursive: true, mode: 0o755 });
  if (ports.length > 0) requireOneDatabase(at(SETTINGS));
  if (!existsSync(at(SETTINGS))) writeFileSync(at(SETTINGS), FIRST_SETTINGS, { mode: 0o640 });
  if (account !== undefined) {
    chownSync(at(DATA), account.uid, account.gid);
    if (isNewPlace) chownSync(at(BACKUPS), account.uid, account.gid);
    chownSync(at(SETTINGS), 0, account.gid);
  }
  writeUnits(at(UNITS));
  pointTo(at(PROGRAM), path.join(CURRENT, 'bin', 'northline'));
  const done = [`${release} is installed; settings are in ${SETTINGS}, data in ${DATA}.`];
  if (!system) return done.join('\n');
  return [...done, ...tellSystemd(ports)].join('\n');
}

/** @throws UsageError unless the words are at least two different ports */
function readPorts(words: string | undefined): number[] {
  if (words === undefined) return [];
  const ports = words.split(',').map(Number);
  const fit = ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536);
  if (!fit || new Set(ports).size < 2 || new Set(ports).size < ports.length)
    throw new UsageError('--ports wants two or more different ports, as 8081,8082.');
  return ports;
}

/** @throws Error when several processes would each start a database on the same folder */
function requireOneDatabase(settings: string): void {
  const given = existsSync(settings) ? parseEnv(readFileSync(settings, 'utf8')) : {};
  if (!given.DATABASE_URL)
    throw new Error(`Several processes need one database: set DATABASE_URL in ${SETTINGS} first.`);
}

/**
 * Writes the unit of one process, that of several by their ports, and the socket that holds the address of
 * one.
 */
function writeUnits(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): void => {
    writeFileSync(path.join(folder, name), text, { mode: 0o644 });
    chmodSync(path.join(folder, name), 0o644);
  };
  const unit = readFileSync(path.join(PROJECT_ROOT, 'deploy', 'northline.service'), 'utf8');
  write('northline.service', unit);
  write('northline@.service', unitOfSeveral(unit));
  write('northline.socket', readFileSync(path.join(PROJECT_ROOT, 'deploy', 'northline.socket'), 'utf8'));
}

/**
 * The unit as a template whose instance is the port; `northline-PORT.env` holds the settings of a single
 * process.
 */
function unitOfSeveral(unit: string): string {
  return unit
    .replace('Description=Northline', 'Description=Northline at port %i')
    .replace(/^EnvironmentFile=.*$/m, '$&\nEnvironmentFile=-/etc/northline/northline-%i.env')
    .replace(`ExecStart=${START}`, `ExecStart=/usr/bin/env PORT=%i ${START}`);
}

/** Copies a release to a place beside the others; it gets its name only when it is complete. */
export function copyRelease(from: string, to: string): void {
  if (path.resolve(from) === path.resolve(to) || existsSync(to)) return;
  const unfinished = `${to}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true });
  rmSync(path.join(unfinished, 'data'), { recursive: true, force: true });
  renameSync(unfinished, to);
}

/** Makes a link point to `target` in one step; does not replace a file that is not such a link. */
export function pointTo(link: string, target: string): void {
  const there = lstatSync(link, { throwIfNoEntry: false });
  if (there !== undefined && !there.isSymbolicLink())
    throw new Error(`${link} is there and no link of ours: move it away.`);
  const fresh = `${link}.${process.pid}`;
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(target, fresh);
  renameSync(fresh, link);
}

/** The account of the service, created if it does not exist. */
export function ownAccount(): { readonly uid: number; readonly gid: number } {
  const find = () =>
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .find(([name]) => name === ACCOUNT);
  if (find() === undefined) {
    execFileSync('useradd', [
      ...['--system', '--user-group', '--home-dir', DATA, '--no-create-home'],
      ...['--shell', '/usr/sbin/nologin', ACCOUNT],
    ]);
  }
  const [, , uid, gid] = find() ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`The account ${ACCOUNT} could not be made.`);
  return { uid: Number(uid), gid: Number(gid) };
}

/** Makes systemd read the unit and start the service; where systemd is not running, returns what to do. */
function tellSystemd(ports: readonly number[]): string[] {
  const units = ports.length === 0 ? ['northline'] : ports.map((port) => `northline@${port}`);
  if (!existsSync('/run/systemd/system')) {
    return [
      `systemd does not run here: start it with systemctl enable --now ${units.join(' ')} when it does.`,
    ];
  }
  execFileSync('systemctl', ['daemon-reload']);
  execFileSync('systemctl', ['enable', '--now', ...units]);
  return [
    `The service runs: systemctl status ${units.join(' ')}, and journalctl -u ${units[0]} for its log.`,
  ];
}
