import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';

/** Root keeps its accounts, which the database needs; another user gets rights over the new network only. */
const UNSHARE = process.geteuid?.() === 0 ? ['-n'] : ['-cn', '--keep-caps'];
/** The loopback, and an interface for all other traffic, which counts and drops it. */
const NETWORK = [
  'ip link set lo up',
  'ip link add out type veth peer name nobody',
  'ip link set nobody addrgenmode none up',
  'ip link set out addrgenmode none arp off up',
  'ip addr add 10.99.0.1/24 dev out',
  'ip route add default dev out',
].join(' && ');
const NONE = spawnSync('unshare', [...UNSHARE, 'sh', '-c', NETWORK]).status !== 0;
const SCRIPT = path.join(import.meta.dirname, 'call-alone.ts');

test.skipIf(NONE || CHROMIUM === undefined)(
  'attack 43: no packet of a spoken call, of the product or of the browser leaves the loopback (skipped where no network can be made)',
  () => {
    const { stdout, stderr } = spawnSync(
      'unshare',
      [...UNSHARE, 'sh', '-c', `${NETWORK} && exec "$0" "$1"`, process.execPath, SCRIPT],
      { encoding: 'utf8', timeout: 170_000 * Number(process.env.TEST_PATIENCE ?? 1) },
    );
    const last = stdout.trim().split('\n').at(-1) ?? '';
    expect(last, stderr).toMatch(/^\{/);
    expect(JSON.parse(last)).toEqual({ left: 0, seen: 1 });
  },
);
