import { execFileSync } from 'node:child_process';
import { type Figure, residentBytes, shown } from './support/figure.ts';
import { freePort, freshDataDir, removeDataDir, startProduct } from './support/product.ts';

/** First start after install, warm start, and memory when idle. */
export async function measureStart(): Promise<Figure[]> {
  const dataDir = freshDataDir();
  const port = await freePort();
  const first = await startProduct(dataDir, port);
  await first.stop();
  const warm = await startProduct(dataDir, port);
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const server = await residentBytes(warm.process.pid ?? 0);
  const database = databaseBytes(dataDir);
  await warm.stop();
  removeDataDir(dataDir);
  return [
    {
      name: 'First start',
      measured: shown(first.startMs, 'ms'),
      against: '',
      aim: 'under 10 s after install',
      met: first.startMs < 10_000,
    },
    {
      name: 'Warm start',
      measured: shown(warm.startMs, 'ms'),
      against: '',
      aim: 'under 2 s',
      met: warm.startMs < 2000,
    },
    {
      name: 'Idle memory, server',
      measured: shown(server / 1048576, 'MB'),
      against: '',
      aim: 'under 150 MB',
      met: server < 150 * 1048576,
    },
    {
      name: 'Idle memory, database',
      measured: shown(database / 1048576, 'MB'),
      against: 'proportional share of all its processes',
      aim: 'printed',
      met: true,
    },
  ];
}

/** Proportional set size of the embedded server's processes, because they share buffers. */
function databaseBytes(dataDir: string): number {
  const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs');
  const postmaster = execFileSync('head', ['-1', `${dataDir}/postgres/data/postmaster.pid`], {
    encoding: 'utf8',
  }).trim();
  let kilobytes = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      if (pid !== postmaster && parent !== postmaster) continue;
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has ended, or belongs to another account.
    }
  }
  return kilobytes * 1024;
}
