import type { Schema } from '@northline/postgrest/schema-shape';
import type { Settings } from '../../../kernel/config/settings.ts';
import { OWN_SCHEMA } from '../../../kernel/contract/routes.ts';
import type { Database } from '../../../kernel/resources/database/database.ts';
import { loadSchema } from './schema-load.server.ts';

/** A schema as last read; it is read again after every change. */
export interface SchemaCache {
  /** The schema, read again if it was marked stale. */
  current(): Promise<Schema>;
  /** Reads the schema again because a name is unknown; at most a few times a second, however many ask. */
  refreshed(): Promise<Schema>;
  markStale(): void;
}

/** Channel on which the database reports schema changes (`notify pgrst`, as PostgREST). */
const CHANNEL = 'pgrst';
/** Reads per second that unknown names may cause. */
const MAX_LOADS = 8;

/** The served schemas of the database; the first is the default. */
export function servedSchemas({ REST_SCHEMAS: names }: Pick<Settings, 'REST_SCHEMAS'>): readonly string[] {
  return names.length === 0 ? ['public'] : names;
}

/** The schemas that a request may name: those of `names` and the product's own. */
export const withOwnSchema = (names: readonly string[]): readonly string[] => [
  ...new Set([...names, OWN_SCHEMA]),
];

/** Opens a cache for each schema and listens for changes. */
export async function openSchemaCaches(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, SchemaCache>> {
  const caches = new Map(names.map((name) => [name, new LoadedSchema(database, name)]));
  const onChange = (): void => {
    for (const cache of caches.values()) cache.markChanged();
  };
  await database.listen(CHANNEL, onChange, onChange);
  return caches;
}

class LoadedSchema implements SchemaCache {
  readonly #database: Database;
  readonly #name: string;
  #loaded: Promise<Schema> | undefined;
  #stale = true;
  #changed = true;
  #second = 0;
  #loads = 0;

  constructor(database: Database, name: string) {
    this.#database = database;
    this.#name = name;
  }

  async current(): Promise<Schema> {
    return this.#stale || this.#changed || this.#loaded === undefined ? this.refreshed() : this.#loaded;
  }

  async refreshed(): Promise<Schema> {
    // A change that the database reported is always read; reads because of unknown names are limited.
    if (this.#loaded !== undefined && !this.#changed && !this.#mayLoad()) return this.#loaded;
    this.#changed = false;
    this.#stale = false;
    const loading = loadSchema(this.#database, this.#name);
    loading.catch(() => {
      this.#changed = true;
      this.#loaded = undefined;
    });
    this.#loaded = loading;
    return loading;
  }

  markStale(): void {
    this.#stale = true;
  }

  markChanged(): void {
    this.#changed = true;
  }

  #mayLoad(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) this.#loads = 0;
    this.#second = second;
    this.#loads += 1;
    return this.#loads <= MAX_LOADS;
  }
}
