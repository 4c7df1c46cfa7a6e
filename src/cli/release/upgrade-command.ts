import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PRODUCT_VERSION } from '../../kernel/config/product-version.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import type { Settings } from '../../kernel/config/settings.ts';
import { type Command, UsageError } from '../command.ts';
import { parseOptions } from '../command-words.ts';
import { ownAccount } from './install-service-command.ts';
import { type ServiceProcess, upgradeRelease } from './release-upgrade.ts';

/** How long a new release may take to migrate and start, and how often it is asked, milliseconds. */
const READY_MS = 10 * 60_000;
const READY_CHECK_MS = 200;

/** Replaces the running release by the one that this command belongs to. */
export const upgradeCommand: Command = {
  summary: 'puts this release in the place of the one that runs, and goes back when it does not start',
  usage: ['               as root, from the new release, unpacked; install-service has been run before'],
  async run(_settings, words) {
    parseOptions(words, []);
    if (process.geteuid?.() !== 0) throw new Error('Only root can upgrade a service: run it with sudo.');
    if (!existsSync(path.join(PROJECT_ROOT, 'bin', 'northline')) || !existsSync('/run/systemd/system'))
      throw new UsageError('This upgrades a service of systemd: unpack a release and run its bin/northline.');
    return upgradeRelease({
      root: '/',
      release: PROJECT_ROOT,
      version: PRODUCT_VERSION,
      processes: systemdProcesses(),
      account: ownAccount(),
      say: (step) => process.stderr.write(`${step}\n`),
    });
  },
};

/**
 * The processes that systemd runs: those of `northline@PORT` if there are any, else the one of `northline`.
 */
function systemdProcesses(): ServiceProcess[] {
  const listed = systemctl('list-units', '--all', '--plain', '--no-legend', 'northline@*.service');
  const ports = [...listed.matchAll(/^northline@(\d+)\.service/gm)].map(([, port]) => Number(port));
  if (ports.length > 0) return ports.sort((left, right) => left - right).map((port) => systemdProcess(port));
  return [systemdProcess(undefined)];
}

function systemdProcess(port: number | undefined): ServiceProcess {
  const name = port === undefined ? 'northline' : `northline@${port}`;
  const isHeld = port === undefined && /^active/.test(systemctl('is-active', 'northline.socket'));
  // While its socket is open, systemd would start the stopped service at the next request.
  const units = isHeld ? ['northline.socket', name] : [name];
  return {
    name,
    async start() {
      execFileSync('systemctl', ['reset-failed', name]);
      execFileSync('systemctl', ['start', ...units]);
    },
    async stop() {
      execFileSync('systemctl', ['stop', ...units]);
    },
    ...(isHeld && {
      async restart() {
        execFileSync('systemctl', ['restart', name]);
      },
    }),
    ready: (settings) => isReadySoon(port === undefined ? settings : { ...settings, PORT: port }),
  };
}

/** The output of systemctl, also when it fails, as it does for a unit that is not active. */
function systemctl(...words: string[]): string {
  return spawnSync('systemctl', words, { encoding: 'utf8' }).stdout ?? '';
}

/** Calls `/readyz` until the product is ready. */
export async function isReadySoon({ HOST, PORT }: Settings, patienceMs = READY_MS): Promise<boolean> {
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}/readyz`;
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await pause(READY_CHECK_MS)) {
    const ready = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return true;
  }
  return false;
}
