import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../support/servers/product-process.ts';
import { checkRestored, takeBackups } from './backup-run.ts';

const { values } = parseArgs({
  options: {
    backups: { type: 'string', default: '50' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
using folder = temporaryFolder('backups');
const counts = { backups: 0, accounts: 0, files: 0, payments: 0 };
const faults: string[] = [];
const options = {
  backups: Number(values.backups),
  seed: Number(values.seed),
  until: Date.now() + Number(values.minutes) * 60_000,
};
await takeBackups(folder.path, options, async (backup) => {
  counts.backups += 1;
  counts.accounts = backup.expected.length;
  counts.files = backup.expected.reduce((sum, { files }) => sum + files.size, 0);
  counts.payments = backup.expected.reduce((sum, { payments }) => sum + payments, 0);
  for (const fault of await checkRestored(backup)) faults.push(`backup ${counts.backups}: ${fault}`);
  rmSync(backup.folder, { recursive: true });
});
console.log(JSON.stringify(counts));
for (const fault of faults) console.log(`FAULT ${fault}`);
const idle = counts.files === 0 || counts.payments === 0;
if (idle) console.log('Nobody paid or uploaded anything, so nothing was shown.');
console.log(faults.length === 0 ? 'Nothing is lost.' : `${faults.length} faults.`);
process.exitCode = faults.length === 0 && !idle ? 0 : 1;
