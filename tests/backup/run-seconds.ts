import { parseArgs } from 'node:util';
import { restoreSeconds } from './second-run.ts';

/** Seconds that one kill, and one restored second, take on two idle cores. */
const SECONDS_OF_A_KILL = 15;
const SECONDS_OF_A_RESTORE = 15;
const MOST = 30;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    kills: { type: 'string' },
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: '1' },
  },
});
const fitting = Math.floor((Number(values.minutes) * 60) / (SECONDS_OF_A_KILL + SECONDS_OF_A_RESTORE));
const count = Math.max(1, Math.min(MOST, fitting));
const { faults, ...counts } = await restoreSeconds({
  seconds: Number(values.seconds ?? count),
  kills: Number(values.kills ?? count),
  seed: Number(values.seed),
});
console.log(JSON.stringify(counts));
for (const fault of faults) console.log(`FAULT ${fault}`);
console.log(faults.length === 0 ? 'Nothing is lost.' : `${faults.length} faults.`);
process.exitCode = faults.length === 0 ? 0 : 1;
