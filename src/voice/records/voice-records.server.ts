import { randomUUID } from 'node:crypto';
import { embeddedVoices } from '../../kernel/config/embedded-voices.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import {
  decryptSecrets,
  encryptSecrets,
  restoreSecrets,
  type Secrets,
  separateSecrets,
} from './secret-hiding.server.ts';
import type { ListQuery } from './voice-resources.contract.ts';

declare module '../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.voice_records.body': Body;
  }
}

/** The kinds of resources that this one table holds; each is also the last part of its address. */
export type RecordKind =
  | 'assistant'
  | 'squad'
  | 'tool'
  | 'credential'
  | 'phone-number'
  | 'call'
  | 'file'
  | 'room'
  | 'recording';
type Body = Record<string, unknown>;
/** A resource as the API shows it: its fields with id, orgId, createdAt and updatedAt (ISO 8601). */
export type VoiceRecord = Body & { id: string; orgId: string; createdAt: string; updatedAt: string };

/** A new body, and the fields whose secrets are not carried over from the present one. */
interface Change {
  readonly body: Body;
  readonly replaced: readonly string[] | 'everything';
}

interface Row {
  id: string;
  body: Body;
  secrets: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The stored resources of the voice platform. Secrets are stored but never shown. */
export interface VoiceRecords {
  /** @throws ServiceError 409 `number_taken` for a phone number that exists, `room_exists` for a room's name */
  create(kind: RecordKind, body: Body, id?: string, queries?: Queries): Promise<VoiceRecord>;
  /** Newest first. */
  list(
    kind: RecordKind,
    query: ListQuery,
    page?: { offset: number; oldestFirst: boolean },
  ): Promise<VoiceRecord[]>;
  count(kind: RecordKind, query: ListQuery): Promise<number>;
  /** The meeting room of that name; at most one has it. */
  roomNamed(name: string): Promise<VoiceRecord | undefined>;
  /** @throws ServiceError 404 `not_found` */
  find(kind: RecordKind, id: string): Promise<VoiceRecord>;
  /** The stored body, without secrets, id and times. @throws ServiceError 404 `not_found` */
  body(kind: RecordKind, id: string): Promise<Body>;
  /**
   * The stored body with its secrets in their places, for use inside the server only. @throws ServiceError
   * 404 `not_found`
   */
  whole(kind: RecordKind, id: string): Promise<Body>;
  /**
   * Replaces a body by what `change` makes of it; fields that stay the same keep their secrets.
   *
   * @param within runs in the same transaction, with the row locked, before it is written
   * @throws ServiceError 404 `not_found`, and what `change` and `within` throw
   */
  change(
    kind: RecordKind,
    id: string,
    change: (present: Body) => Change,
    within?: (queries: Queries) => Promise<void>,
  ): Promise<VoiceRecord>;
  /**
   * Deletes a resource and returns it.
   *
   * @param within runs in the same transaction, before it is deleted
   * @throws ServiceError 404 `not_found`, and what `within` throws
   */
  remove(kind: RecordKind, id: string, within?: (queries: Queries) => Promise<void>): Promise<VoiceRecord>;
  /** The providers that have a stored credential, and each voice of this server as `embedded NAME`. */
  providers(): Promise<ReadonlySet<string>>;
  /** @throws ServiceError 400 `unknown_reference` when one of `ids` is not a resource of this kind */
  mustExist(kind: RecordKind, ids: readonly unknown[], field: string): Promise<void>;
}

const COLUMNS = 'id, body, secrets, created_at, updated_at';
/** Query name → SQL condition; the conditions are fixed texts, never a client's. */
const CONDITIONS: Readonly<Record<string, string>> = {
  createdAtGt: 'created_at > ',
  createdAtLt: 'created_at < ',
  createdAtGe: 'created_at >= ',
  createdAtLe: 'created_at <= ',
  updatedAtGt: 'updated_at > ',
  updatedAtLt: 'updated_at < ',
  updatedAtGe: 'updated_at >= ',
  updatedAtLe: 'updated_at <= ',
  id: 'id = ',
  assistantId: "body ->> 'assistantId' = ",
  phoneNumberId: "body ->> 'phoneNumberId' = ",
  purpose: "body ->> 'purpose' = ",
  search: "concat_ws(' ', body ->> 'name', body ->> 'number') ilike '%' || ",
};
const UNIQUE_VIOLATION = '23505';

/**
 * Opens the store on the installation's database.
 * @trigger private.voice_records announce_ended_new
 * @trigger private.voice_records follow_new_call
 * @trigger northline_app.live_calls realtime_publish
 * @trigger private.voice_records delete_object
 * @trigger private.voice_records keep_first_version
 * @trigger private.voice_records keep_version
 */
export function createVoiceRecords(
  { database, keys, settings }: Pick<Resources, 'database' | 'keys' | 'settings'>,
  orgId: string,
): VoiceRecords {
  const key = derivedSecret(keys, 'voice secrets');
  const show = (row: Row): VoiceRecord => ({
    ...row.body,
    id: row.id,
    orgId,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  });
  const rowOf = async (kind: RecordKind, id: string): Promise<Row> =>
    found(
      await database.maybe(`select ${COLUMNS} from private.voice_records where kind = $1 and id = $2`, [
        kind,
        id,
      ]),
      kind,
    );

  return {
    async create(kind, body, id = randomUUID(), queries = database) {
      const { shown, secrets } = separateSecrets(body, kind === 'credential');
      return show(
        await queries
          .one(
            `insert into private.voice_records (id, kind, body, secrets) values ($1, $2, $3, $4) returning ${COLUMNS}`,
            [id, kind, JSON.stringify(shown), encryptSecrets(key, id, secrets)],
          )
          .catch((error: unknown) => taken(kind, error)),
      );
    },
    list: async (kind, query, page = { offset: 0, oldestFirst: false }) =>
      (await listRows(database, kind, query, page)).map(show),
    count: (kind, query) => countRows(database, kind, query),
    async roomNamed(name) {
      const row = await database.maybe(
        `select ${COLUMNS} from private.voice_records where kind = 'room' and body ->> 'name' = $1 limit 1`,
        [name],
      );
      return row === undefined ? undefined : show(row);
    },
    find: async (kind, id) => show(await rowOf(kind, id)),
    body: async (kind, id) => (await rowOf(kind, id)).body,
    async whole(kind, id) {
      const row = await rowOf(kind, id);
      return restoreSecrets(row.body, decryptSecrets(key, id, row.secrets));
    },
    change: async (kind, id, change, within = async () => {}) =>
      show(
        await database.transaction((queries) =>
          changeRow({ queries, key }, kind, id, async (present) => {
            await within(queries);
            return change(present);
          }),
        ),
      ),
    remove: (kind, id, within = async () => {}) =>
      database.transaction(async (queries) => {
        await within(queries);
        const row = await queries.maybe(
          `delete from private.voice_records where kind = $1 and id = $2 returning ${COLUMNS}`,
          [kind, id],
        );
        return show(found(row, kind));
      }),
    providers: () => readProviders(database, settings.DATA_DIR),
    mustExist: (kind, ids, field) => checkReferences(database, kind, ids, field),
  };
}

async function readProviders(database: Queries, dataDir: string): Promise<ReadonlySet<string>> {
  const rows = await database.many(
    `select distinct body ->> 'provider' as provider from private.voice_records where kind = 'credential'`,
  );
  const voices = embeddedVoices(dataDir).map(({ manifest }) => `embedded ${manifest.name}`);
  return new Set([...rows.map(({ provider }) => String(provider)), ...voices]);
}

async function listRows(
  database: Queries,
  kind: RecordKind,
  query: ListQuery,
  page: { readonly offset: number; readonly oldestFirst: boolean },
): Promise<Row[]> {
  const { text, values } = where(kind, query);
  const order = page.oldestFirst ? 'created_at, id' : 'created_at desc, id desc';
  return database.many(
    uncheckedSql<Row>(
      `select ${COLUMNS} from private.voice_records where ${text} order by ${order}
       limit $${values.length + 1} offset $${values.length + 2}`,
      'composed',
    ),
    [...values, query.limit, page.offset],
  );
}

async function countRows(database: Queries, kind: RecordKind, query: ListQuery): Promise<number> {
  const { text, values } = where(kind, query);
  const { count } = await database.one(
    uncheckedSql<{ count: string }>(`select count(*) from private.voice_records where ${text}`, 'composed'),
    values,
  );
  return Number(count);
}

/** The condition of a list, and its parameters. */
function where(kind: RecordKind, query: ListQuery): { text: string; values: unknown[] } {
  const values: unknown[] = [kind];
  const parts = Object.entries(CONDITIONS).flatMap(([name, condition]) => {
    const value = (query as Record<string, unknown>)[name];
    if (value === undefined) return [];
    values.push(value);
    return [`${condition}$${values.length}${name === 'search' ? " || '%'" : ''}`];
  });
  return { text: ['kind = $1', ...parts].join(' and '), values };
}

/** Fields that the change leaves as they are keep their secrets. */
async function changeRow(
  { queries, key }: { readonly queries: Queries; readonly key: Buffer },
  kind: RecordKind,
  id: string,
  change: (present: Body) => Promise<Change>,
): Promise<Row> {
  const row = found(await lock(queries, kind, id), kind);
  const { body, replaced } = await change(row.body);
  const { shown, secrets } = separateSecrets(body, kind === 'credential');
  const kept = Object.entries(decryptSecrets(key, id, row.secrets)).filter(
    ([place]) => replaced !== 'everything' && !replaced.includes(place.split('.')[0] ?? ''),
  );
  const all: Secrets = { ...Object.fromEntries(kept), ...secrets };
  return queries.one(
    `update private.voice_records set body = $2, secrets = $3, updated_at = now()
            where id = $1 returning ${COLUMNS}`,
    [id, JSON.stringify(shown), encryptSecrets(key, id, all)],
  );
}

async function checkReferences(
  database: Queries,
  kind: RecordKind,
  ids: readonly unknown[],
  field: string,
): Promise<void> {
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string'))];
  if (wanted.length === 0) return;
  const rows = await database.many(
    'select id from private.voice_records where kind = $1 and id = any($2::uuid[])',
    [kind, wanted],
  );
  const missing = wanted.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined)
    throw new ServiceError(400, 'unknown_reference', `${field}: there is no ${kind} ${missing}.`);
}

function lock(queries: Queries, kind: RecordKind, id: string): Promise<Row | undefined> {
  return queries.maybe(
    `select ${COLUMNS} from private.voice_records where kind = $1 and id = $2 for update`,
    [kind, id],
  );
}

function found(row: Row | undefined, kind: RecordKind): Row {
  if (row === undefined) throw new ServiceError(404, 'not_found', `There is no such ${kind}.`);
  return row;
}

function taken(kind: RecordKind, error: unknown): never {
  if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
  throw kind === 'room'
    ? new ServiceError(409, 'room_exists', 'There is a room of this name already.', { cause: error })
    : new ServiceError(409, 'number_taken', 'This phone number is here already.', { cause: error });
}
