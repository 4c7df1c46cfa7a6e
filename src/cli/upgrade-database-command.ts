import { existsSync } from 'node:fs';
import path from 'node:path';
import { upgradeDatabase } from '../business/backup/database-upgrade.server.ts';
import { PRODUCT_VERSION } from '../kernel/config/product-version.ts';
import { loadKeys } from '../kernel/resources/crypto/keys.ts';
import { type Command, UsageError } from './command.ts';
import { parseOptions, typedPath } from './command-words.ts';

/** Upgrades the embedded database to the major version of PostgreSQL that comes with this release. */
export const upgradeDatabaseCommand: Command = {
  summary: 'brings the embedded database to the PostgreSQL of this release, after a new major version',
  usage: [
    '--from FOLDER   the release that ran before, which has the older PostgreSQL; the product must not run',
    '                the database as it was stays beside the new one, and is put back when anything fails',
  ],
  async run(settings, words) {
    const { values } = parseOptions(words, ['from']);
    if (!values.from) throw new UsageError('Say --from FOLDER.');
    if (settings.DATABASE_URL !== '') {
      throw new Error('DATABASE_URL names a database of your own: upgrade that server with its own tools.');
    }
    const dataDir = settings.DATA_DIR;
    if (!existsSync(path.join(dataDir, 'keys.json')))
      throw new Error(`There is no installation in ${dataDir}.`);
    const keys = await loadKeys(dataDir);
    const from = typedPath(values.from);
    const { was, is, rows, kept } = await upgradeDatabase({ dataDir, keys, from, version: PRODUCT_VERSION });
    return `PostgreSQL ${was} became ${is}: ${rows} rows. The old database is in ${kept}: remove it when all is well.`;
  },
};
