import type { Settings } from '../kernel/config/settings.ts';
import { parseStorageUrl } from '../kernel/config/storage-url.ts';
import type { Queries } from '../kernel/resources/database/database.ts';
import type { ObjectStore } from '../kernel/resources/object-store/object-store.ts';
import {
  defaultObjectFolder,
  openObjectStore,
  storageAddress,
} from '../kernel/resources/object-store/object-store-open.ts';
import { copyObjects, type StoreReport, verifyObjects } from '../platform/storage/store-copy.server.ts';
import { type Command, type Outcome, UsageError } from './command.ts';
import { withInstallation } from './installation-database.ts';

/** Copies the bytes of objects between stores, or reads and compares all of them. */
export const storageCommand: Command = {
  summary: 'copies all files to another store, or verifies them',
  usage: [
    'copy FROM TO      copies every object and compares size and SHA-256; may be repeated',
    'verify [STORE]    reads every object of a store and compares it with the database',
    '                  FROM, TO, STORE: disk (DATA_DIR/objects), configured (STORAGE_URL), or an address as in STORAGE_URL',
  ],
  run: (settings, words) =>
    withInstallation(settings, (database) =>
      manageStorage(database, settings, words, (line) => process.stderr.write(`${line}\n`)),
    ),
};

const SHOWN_FAULTS = 50;
const TELL_EACH = 500;

/**
 * Runs one form of the command.
 *
 * @param tell receives a line of progress now and then
 * @returns the text to print, and whether every object is in its place and unchanged
 * @throws UsageError; Error with a sentence for the operator
 */
export async function manageStorage(
  database: Queries,
  settings: Pick<Settings, 'STORAGE_URL' | 'DATA_DIR'>,
  [command, ...stores]: readonly string[],
  tell: (line: string) => void,
): Promise<Outcome> {
  const open = (name: string): Promise<ObjectStore> => openStore(settings, name);
  const progress = ({ objects }: StoreReport): void => {
    if (objects % TELL_EACH === 0) tell(`${objects} objects ...`);
  };
  if (command === 'verify' && stores.length <= 1) {
    const store = await open(stores[0] ?? 'configured');
    const report = await verifyObjects(database, store, progress);
    return summary(report, `${report.present} are right`);
  }
  const [from, to] = stores;
  if (command !== 'copy' || from === undefined || to === undefined || stores.length > 2)
    throw new UsageError('Say copy FROM TO or verify [STORE].');
  const pair = { from: await open(from), to: await open(to) };
  if (pair.from.id === pair.to.id) throw new Error('FROM and TO are the same store.');
  const report = await copyObjects(database, pair, progress);
  const { copied, present, repaired } = report;
  return summary(
    report,
    `${copied} copied, ${present} were there, ${repaired} were there but wrong and written anew`,
  );
}

function openStore(settings: Pick<Settings, 'STORAGE_URL' | 'DATA_DIR'>, name: string): Promise<ObjectStore> {
  if (name === 'disk') {
    return openObjectStore({ kind: 'disk', folder: defaultObjectFolder(settings) }, settings.DATA_DIR);
  }
  if (name === 'configured') return openObjectStore(storageAddress(settings), settings.DATA_DIR);
  try {
    return openObjectStore(parseStorageUrl(name), settings.DATA_DIR);
  } catch (error) {
    throw new Error(`A store's address ${(error as Error).message}.`);
  }
}

function summary({ objects, bytes, faults }: StoreReport, done: string): Outcome {
  const lines = faults.slice(0, SHOWN_FAULTS).map(({ object, what }) => `${object}: ${what}`);
  if (faults.length > SHOWN_FAULTS) lines.push(`... and ${faults.length - SHOWN_FAULTS} more`);
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  const all = `${objects} objects, ${size}: ${done}, ${faults.length} failed.`;
  return { text: [...lines, all].join('\n'), exitCode: faults.length === 0 ? 0 : 1 };
}
