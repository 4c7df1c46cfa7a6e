import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { readSettings } from '../../src/kernel/config/settings.ts';
import { loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
import { createDatabase } from '../../src/kernel/resources/database/database.ts';
import { startEmbeddedPostgres } from '../../src/kernel/resources/database/embedded-postgres.ts';
import { migrate } from '../../src/kernel/resources/database/migrations.ts';
import { createLog } from '../../src/kernel/resources/log/log.ts';
import { openWorld } from './open-world.ts';
import { runHistories } from './run-histories.ts';

// `npm run soak -- histories [--minutes 60] [--seed 1]`: on a separate server.
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '6' },
    minutes: { type: 'string', default: '5' },
  },
});
// The first signal lets the current histories finish and prints the result; a second one ends the program at
// once.
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const parallel = Number(values.parallel);
const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-histories-'));
const settings = readSettings({ DATA_DIR: folder, LOG_LEVEL: 'error' }, folder);
const keys = await loadKeys(folder);
const postgres = await startEmbeddedPostgres(folder, 'histories');
// This server never has to survive a power cut, so commits need not reach the disk.
const owner = { ...postgres.owner, options: '-c synchronous_commit=off' };
try {
  await migrate(owner, path.join(PROJECT_ROOT, 'migrations'));
  const log = createLog('error');
  // Each history has two workers, each in a transaction of ours while the provider answers in its own.
  const database = createDatabase({ owner, api: owner, poolSize: 6 * parallel, log });
  const world = await openWorld(database, settings, keys);
  const started = Date.now();
  let shown = 0;
  const count = Number(values.count);
  const seed = Number(values.seed);
  const until = started + Number(values.minutes) * 60_000;
  const { histories, kills, faults } = await runHistories(world, {
    count,
    seed,
    parallel,
    until,
    signal: stop.signal,
    told({ histories: done, kills: killed, faults: wrong }) {
      // Printed at once, because a long run may be killed.
      for (; shown < wrong.length; shown += 1) process.stdout.write(`${wrong[shown]}\n`);
      if (done % 100 === 0)
        process.stderr.write(`${done} of ${count}, ${killed} kills, ${wrong.length} faults\n`);
    },
  });
  const seconds = Math.round((Date.now() - started) / 1000);
  const next = seed + histories;
  process.stdout.write(
    `${histories} histories, ${kills} kills, ${faults.length} faults, ${seconds} s (seeds ${seed} to ${next - 1})\n`,
  );
  if (histories < count) process.stdout.write(`To go on: npm run soak -- histories --seed ${next}\n`);
  process.exitCode = faults.length === 0 && histories > 0 ? 0 : 1;
  await world.close();
  await database.close();
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
