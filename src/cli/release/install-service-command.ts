import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
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
import { PRODUCT_VERSION } from '../../kernel/config/product-version.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import { type Command, UsageError } from '../command.ts';
import { parseOptions } from '../command-words.ts';

/** The account of the service, and where its parts lie, as `deploy/northline.service` names them. */
const ACCOUNT = 'northline';
export const RELEASES = '/opt/northline/releases';
/** A link to the release that runs. */
export const CURRENT = '/opt/northline/current';
export const SETTINGS = '/etc/northline/northline.env';
export const DATA = '/var/lib/northline';
const UNIT = '/etc/systemd/system/northline.service';
const PROGRAM = '/usr/local/bin/northline';

const FIRST_SETTINGS = `# Settings of Northline: NAME=value, one a line; all of them are in README.md.
# After a change: systemctl restart northline
DATA_DIR=${DATA}/data
#SITE_URL=https://www.example.com
#TRUST_PROXY=127.0.0.1
#SMTP_URL=smtps://user:password@mail.example.com
#BACKUP_TO=/var/backups/northline
`;

/** Puts the release that this command belongs to into place as a service of systemd. */
export const installServiceCommand: Command = {
  summary: 'makes an account, folders and a hardened service of systemd for this release',
  usage: [
    '               as root, from the unpacked release; what is there is kept',
    '    --root DIR     writes below DIR instead, and neither makes an account nor starts anything',
  ],
  async run(_settings, words) {
    const { values } = parseOptions(words, ['root']);
    const root = values.root ?? '/';
    if (values.root === undefined && process.geteuid?.() !== 0)
      throw new Error('Only root can install a service: run it with sudo.');
    if (!existsSync(path.join(PROJECT_ROOT, 'bin', 'northline')))
      throw new UsageError('This is no release: unpack one, and run its bin/northline.');
    return installService(root, values.root === undefined);
  },
};

/**
 * Copies the release, and writes settings, unit and the program's name where they are missing. `system` also makes the
 * account, gives it its folder and tells systemd.
 *
 * @param root folder that stands for `/`
 * @returns what was done and what is left to do
 */
export function installService(root: string, system: boolean): string {
  const at = (place: string): string => path.join(root, place);
  const account = system ? ownAccount() : undefined;
  const release = path.join(RELEASES, PRODUCT_VERSION);
  copyRelease(PROJECT_ROOT, at(release));
  pointTo(at(CURRENT), release);
  mkdirSync(at(DATA), { recursive: true, mode: 0o700 });
  mkdirSync(path.dirname(at(SETTINGS)), { recursive: true, mode: 0o755 });
  if (!existsSync(at(SETTINGS))) writeFileSync(at(SETTINGS), FIRST_SETTINGS, { mode: 0o640 });
  if (account !== undefined) {
    chownSync(at(DATA), account.uid, account.gid);
    chownSync(at(SETTINGS), 0, account.gid);
  }
  mkdirSync(path.dirname(at(UNIT)), { recursive: true });
  copyFileSync(path.join(PROJECT_ROOT, 'deploy', 'northline.service'), at(UNIT));
  chmodSync(at(UNIT), 0o644);
  pointTo(at(PROGRAM), path.join(CURRENT, 'bin', 'northline'));
  const done = [`${release} is installed; settings are in ${SETTINGS}, data in ${DATA}.`];
  if (!system) return done.join('\n');
  return [...done, ...tellSystemd()].join('\n');
}

/** Puts a release beside the others, under its name only when it is whole. */
export function copyRelease(from: string, to: string): void {
  if (path.resolve(from) === path.resolve(to) || existsSync(to)) return;
  const unfinished = `${to}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true });
  rmSync(path.join(unfinished, 'data'), { recursive: true, force: true });
  renameSync(unfinished, to);
}

/** Makes a link point to `target` in one step; a file of somebody else at its place is not replaced. */
export function pointTo(link: string, target: string): void {
  const there = lstatSync(link, { throwIfNoEntry: false });
  if (there !== undefined && !there.isSymbolicLink())
    throw new Error(`${link} is there and no link of ours: move it away.`);
  const fresh = `${link}.${process.pid}`;
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(target, fresh);
  renameSync(fresh, link);
}

/** The account of the service, made where there is none. */
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

/** Lets systemd read the unit and starts the service where systemd runs; else says how. */
function tellSystemd(): string[] {
  if (!existsSync('/run/systemd/system')) {
    return ['systemd does not run here: start it with systemctl enable --now northline when it does.'];
  }
  execFileSync('systemctl', ['daemon-reload']);
  execFileSync('systemctl', ['enable', '--now', 'northline']);
  return ['The service runs: systemctl status northline, and journalctl -u northline for its log.'];
}
