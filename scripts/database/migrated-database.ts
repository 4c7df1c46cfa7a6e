import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { getConstructionPlans } from 'pg-boss';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { startEmbeddedPostgres } from '../../src/kernel/resources/database/embedded-postgres.ts';
import { migrate } from '../../src/kernel/resources/database/migrations.ts';

/** Runs `work` on a temporary embedded database with this checkout's schema and that of the job queue. */
export async function withMigratedDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-schema-'));
  // When we are root, PostgreSQL runs under another account, which has to enter the folder.
  chmodSync(folder, 0o711);
  const postgres = await startEmbeddedPostgres(folder, 'schema');
  try {
    await withClient({ ...postgres.owner, user: 'postgres', database: 'postgres' }, async (client) => {
      // This server never has to survive a power cut, so nothing needs to reach the disk.
      for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
        await client.query(`alter system set ${name} = off`);
      }
      await client.query('select pg_reload_conf()');
    });
    await migrate(postgres.owner, path.join(PROJECT_ROOT, 'migrations'));
    return await withClient(postgres.owner, async (client) => {
      await client.query(getConstructionPlans('private'));
      return work(client);
    });
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
