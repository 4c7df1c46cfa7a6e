import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { installedPostgres, startSecondPostgres } from '../../scripts/checks/second-postgres.ts';
import { loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
import { runProduct, temporaryFolder } from '../support/servers/product-process.ts';
import { type Facts, liveIn, missingFrom } from './installation-life.ts';

/** An installation as another version left it, as gzipped JSON. */
interface Fixture {
  readonly commit: string;
  /** The database as SQL, without owners. */
  readonly dump: string;
  /** The data folder without the database: path to base64. */
  readonly folder: Readonly<Record<string, string>>;
  readonly facts: Facts;
}

// `node tests/upgrade/fixture-make.ts <checkout of the old version, installed>`: runs that version on
// PostgreSQL from the system's packages (whose pg_dump writes the dump), uses it, and writes
// `installation-<commit>.json.gz`.
const checkout = path.resolve(process.argv[2] ?? '');
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' }).trim();
const commit = git('rev-parse', '--short', 'HEAD');
const version = installedPostgres();
if (version === undefined) throw new Error("PostgreSQL of the system's packages is needed for its pg_dump.");
const postgres = await startSecondPostgres(version);
using folder = temporaryFolder('fixture');
try {
  const address = new URL(postgres.address);
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  await client.query('create database installation');
  await client.end();
  address.pathname = '/installation';
  const product = runProduct({
    folder: checkout,
    settings: { DATA_DIR: folder.path, DATABASE_URL: address.href },
  });
  const url = await product.url;
  const installation = { url, keys: await loadKeys(folder.path), database: address.href };
  const facts = await liveIn(installation);
  const faults = await missingFrom(installation, facts);
  await product.stop();
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const dump = execFileSync(
    `/usr/lib/postgresql/${version}/bin/pg_dump`,
    ['--inserts', '--no-owner', '--dbname', address.href],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const fixture: Fixture = {
    commit,
    // Newer minor versions put psql's restrict commands around the dump.
    dump: dump.replace(/^\\(un)?restrict .*$/gm, ''),
    folder: readFolder(folder.path),
    facts,
  };
  const file = path.join(import.meta.dirname, `installation-${commit}.json.gz`);
  const bytes = gzipSync(JSON.stringify(fixture), { level: 9 });
  writeFileSync(file, bytes);
  process.stdout.write(`${file}: ${bytes.length} bytes\n`);
} finally {
  postgres.stop();
}
// The other end of the call keeps sockets open.
process.exit();

function readFolder(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    // Speech models are created again where they are missing.
    (entry) => entry.isFile() && !entry.parentPath.includes('speech-models'),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(root, file), readFileSync(file).toString('base64')];
    }),
  );
}
