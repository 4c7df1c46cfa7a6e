import { createReadStream, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { diskSpace } from '../../../kernel/http/health.ts';
import {
  embeddedCluster,
  superuserOf,
  withSuperuser,
} from '../../../kernel/resources/database/embedded-postgres.ts';
import { type BaseCopy, putBase, putFile, type WalArchive } from './wal-archive.server.ts';

/** The cluster to copy. */
export interface BaseCopyOrder {
  readonly owner: pg.ClientConfig;
  readonly dataDir: string;
}

/** Bytes of the disk that stay free while a copy lies on it. */
const LEFT_FREE = 512 * 1024 * 1024;

/**
 * Copies the files of the running database (PostgreSQL, BASE_BACKUP) to an archive. The server first writes
 * them compressed beside its own files. A copy counts only with its description, which comes last.
 *
 * @param copyFiles copies the bytes of the product's files; they have to be there before the copy counts
 * @throws Error with a sentence
 */
export async function copyCluster(
  archive: WalArchive,
  { owner, dataDir }: BaseCopyOrder,
  copyFiles: () => Promise<void>,
): Promise<BaseCopy> {
  const folder = path.join(path.dirname(embeddedCluster(dataDir).folder), 'base-copy');
  rmSync(folder, { recursive: true, force: true });
  try {
    const madeAt = new Date();
    const bytes = await requireSpace(owner, path.dirname(folder));
    const { start, end } = await withReplication(owner, (client) => copyTo(client, folder));
    await copyFiles();
    const name = `base/${madeAt.toISOString().replaceAll(/[-:.]/g, '')}`;
    const tar = createReadStream(path.join(folder, 'base.tar.gz'));
    // Reading it reports the error as well; one that comes before must not end the process.
    tar.on('error', () => {});
    await putFile(archive, `${name}.tar.gz`, tar as AsyncIterable<Buffer>);
    const made = {
      name,
      made_at: madeAt.toISOString(),
      // Later than the end of the copy, and so in a part of the WAL that a restore reaches.
      usable_from: new Date(Date.now() + 1).toISOString(),
      ...{ start, end, bytes },
      keys: readFileSync(path.join(dataDir, 'keys.json'), 'utf8'),
    };
    await putBase(archive, made);
    return made;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bytes of the cluster. @throws Error with a sentence when a copy of it would fill the disk */
async function requireSpace(owner: pg.ClientConfig, folder: string): Promise<number> {
  const { rows } = await withSuperuser(owner, (client) =>
    client.query<{ bytes: number }>('select sum(pg_database_size(oid))::float8 as bytes from pg_database'),
  );
  const bytes = rows[0]?.bytes ?? 0;
  const space = await diskSpace(folder);
  if (space !== undefined && space.free < bytes + LEFT_FREE) {
    const wanted = Math.ceil((bytes + LEFT_FREE) / 1024 / 1024);
    throw new Error(`A base copy of the database needs ${wanted} MB of free disk: make space.`);
  }
  return bytes;
}

async function withReplication<T>(
  owner: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  // pg knows this parameter of the start of a connection; its types do not.
  const config = { ...superuserOf(owner), application_name: 'northline base copy', replication: 'true' };
  const client = new pg.Client(config as pg.ClientConfig);
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Positions in the WAL at which the copy begins and ends. */
async function copyTo(client: pg.Client, folder: string): Promise<{ start: number; end: number }> {
  const options = [
    ...["LABEL 'northline'", "CHECKPOINT 'fast'", 'WAL false', "MANIFEST 'no'", "TARGET 'server'"],
    ...[`TARGET_DETAIL ${pg.escapeLiteral(folder)}`, "COMPRESSION 'gzip'", "COMPRESSION_DETAIL 'level=1'"],
  ];
  // Several results: where the copy begins, its tablespaces, where it ends.
  const results = (await client.query(`BASE_BACKUP (${options.join(', ')})`)) as unknown as pg.QueryResult<{
    recptr?: string;
  }>[];
  const [start, end] = results.flatMap(({ rows }) => rows.flatMap(({ recptr }) => recptr ?? []));
  if (start === undefined || end === undefined) throw new Error('PostgreSQL did not say what it copied.');
  return { start: positionOf(start), end: positionOf(end) };
}

/** The number of bytes before a position such as `0/1B86258`. */
function positionOf(lsn: string): number {
  const [high = '', low = ''] = lsn.split('/');
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}
