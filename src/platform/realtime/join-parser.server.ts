import { readPlace } from '@northline/postgrest/column-path-parser';
import { readComparison } from '@northline/postgrest/condition-parser';
import type { Comparison } from '@northline/postgrest/query-tree';
import { TextReader } from '@northline/postgrest/text-reader';
import { z } from 'zod';
import { readCursor } from './change-log.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';

const MAX_FILTERS = 10;

const wantedChange = z.object({
  event: z
    .string()
    .transform((word) => word.toUpperCase())
    .pipe(z.enum(['*', 'INSERT', 'UPDATE', 'DELETE'])),
  schema: z.string().max(63).nullish(),
  table: z.string().max(63).nullish(),
  filter: z.string().max(4000).nullish(),
  select: z.array(z.string().max(63)).max(200).nullish(),
  since: z.string().max(100).nullish(),
});

const MAX_REPLAYED = 25;

const wantedReplay = z.object({
  since: z.number().min(0),
  limit: z.number().int().min(1).max(MAX_REPLAYED).default(MAX_REPLAYED),
});

const joinPayload = z.object({
  config: z
    .object({
      broadcast: z
        .object({
          ack: z.boolean().nullish(),
          self: z.boolean().nullish(),
          replay: wantedReplay.nullish(),
          replication_ready: z.boolean().nullish(),
        })
        .nullish(),
      presence: z.object({ key: z.string().max(255).nullish(), enabled: z.boolean().nullish() }).nullish(),
      postgres_changes: z.array(wantedChange).max(REALTIME_LIMITS.changesPerChannel).nullish(),
      postgres_changes_since: z.string().max(100).nullish(),
      private: z.boolean().nullish(),
    })
    .nullish(),
  access_token: z.string().max(16_384).nullish(),
});

/** One entry of `postgres_changes` in a join. */
export interface WantedChange {
  readonly event: '*' | 'INSERT' | 'UPDATE' | 'DELETE';
  readonly schema: string | undefined;
  readonly table: string | undefined;
  readonly filter: readonly Comparison[];
  readonly select: readonly string[] | undefined;
  /** The entry as sent, to be repeated in the reply. */
  readonly given: Record<string, unknown>;
}

/**
 * Which broadcasts from SQL a client of a private channel wants again: those after `since` (epoch
 * milliseconds), the latest `limit`.
 */
export interface Replay {
  readonly since: number;
  readonly limit: number;
}

/** What a client asks for when it joins a channel. */
export interface JoinRequest {
  readonly ack: boolean;
  readonly self: boolean;
  readonly isPrivate: boolean;
  /** The client waits to be told that changes and broadcasts of the database reach it. */
  readonly replicationReady: boolean;
  readonly replay: Replay | undefined;
  readonly presence: { readonly key: string; readonly enabled: boolean };
  readonly changes: readonly WantedChange[];
  readonly token: string | undefined;
  /**
   * The cursor after which changes are wanted, `''` for from now on; undefined for a client without cursors.
   */
  readonly since: string | undefined;
}

/**
 * Reads the payload of `phx_join` (docs/contracts/platform.md §5).
 *
 * @throws ServiceError PGRST100 for a filter that cannot be read
 * @returns undefined when the payload is not a join
 */
export function parseJoin(payload: unknown): JoinRequest | undefined {
  const outcome = joinPayload.safeParse(payload ?? {});
  if (!outcome.success) return undefined;
  const { config, access_token } = outcome.data;
  const raw = ((payload as { config?: { postgres_changes?: Record<string, unknown>[] } } | null)?.config
    ?.postgres_changes ?? []) as Record<string, unknown>[];
  return {
    ack: config?.broadcast?.ack ?? false,
    self: config?.broadcast?.self ?? false,
    isPrivate: config?.private ?? false,
    replicationReady: config?.broadcast?.replication_ready ?? false,
    replay: config?.broadcast?.replay ?? undefined,
    presence: { key: config?.presence?.key ?? '', enabled: config?.presence?.enabled ?? false },
    changes: (config?.postgres_changes ?? []).map((change, at) => ({
      event: change.event,
      schema: change.schema ?? undefined,
      table: change.table ?? undefined,
      filter: parseFilter(change.filter ?? ''),
      select: change.select ?? undefined,
      given: raw[at] ?? {},
    })),
    token: access_token ?? undefined,
    since: earliest([
      config?.postgres_changes_since,
      ...(config?.postgres_changes ?? []).map((change) => change.since),
    ]),
  };
}

/** The earliest cursor, because entries of one channel may have different ones. */
function earliest(given: readonly (string | null | undefined)[]): string | undefined {
  const [first, ...others] = given.filter((one) => typeof one === 'string' && one !== '');
  if (first == null) return given.includes('') ? '' : undefined;
  const from = (text: string) => readCursor(text)?.from ?? -1;
  return others.reduce<string>((least, one) => (from(one ?? '') < from(least) ? (one ?? '') : least), first);
}

/** `column=op.value`, or several of these joined by commas. @throws ServiceError PGRST100 */
function parseFilter(text: string): Comparison[] {
  if (text === '') return [];
  const reader = new TextReader(text, 'filter');
  const filters: Comparison[] = [];
  do {
    if (filters.length >= MAX_FILTERS) throw reader.fail(`at most ${MAX_FILTERS} filters`);
    filters.push(readFilter(reader));
  } while (reader.take(','));
  if (!reader.done) throw reader.fail('","');
  return filters;
}

function readFilter(reader: TextReader): Comparison {
  const column = reader.match(/\s*([^=,.()":]+)=/)?.[1]?.trim();
  if (column === undefined) throw reader.fail('column=operator.value');
  return readComparison(reader, readPlace(new TextReader(`"${column.replace(/["\\]/g, '\\$&')}"`, 'filter')));
}
