import type { Database } from '../../resources/database/database.ts';
import { loadSchema, type Schema } from './load-schema.server.ts';

/** The schema as last read; read again after every change of it. */
export interface SchemaCache {
  /** The schema, read anew when something was marked stale. */
  current(): Promise<Schema>;
  /** Reads again, for a name that is not known; at most a few times a second, however many ask. */
  refreshed(): Promise<Schema>;
  markStale(): void;
}

/** Channel on which the database tells of a change of its schema (`notify pgrst`, as PostgREST). */
const CHANNEL = 'pgrst';
/** Reads per second that unknown names may cause. */
const MAX_LOADS = 8;

/** Opens the cache and listens for changes of the schema. */
export async function keepSchema(database: Database): Promise<SchemaCache> {
  let loaded: Promise<Schema> | undefined;
  let stale = true;
  let changed = true;
  let second = 0;
  let loads = 0;
  const mayLoad = (): boolean => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) loads = 0;
    second = now;
    loads += 1;
    return loads <= MAX_LOADS;
  };
  const load = (): Promise<Schema> => {
    // What the database told of is always read; what a caller's mistake suggests only so often.
    if (loaded !== undefined && !changed && !mayLoad()) return loaded;
    changed = false;
    stale = false;
    const loading = loadSchema(database);
    loading.catch(() => {
      changed = true;
      loaded = undefined;
    });
    loaded = loading;
    return loading;
  };
  const markStale = (): void => {
    stale = true;
  };
  const heard = (): void => {
    changed = true;
  };
  await database.listen(CHANNEL, heard, heard);
  return {
    current: () => (stale || changed || loaded === undefined ? load() : loaded),
    refreshed: load,
    markStale,
  };
}
