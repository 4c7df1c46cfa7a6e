import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { AVATARS_BUCKET } from '../../kernel/contract/avatars.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { JsonBytes, jsonFields } from '../../kernel/http/json-slices.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { scheduleRetention } from './retention.server.ts';

/**
 * Whose data: an account, a mail address, a telephone number, or several of these that belong to one person.
 */
export interface Person {
  readonly userId?: string | undefined;
  readonly email?: string | undefined;
  /** In any spelling; only the digits count. */
  readonly phone?: string | undefined;
}

/** Mounts the export of an account (`POST /functions/v1/export-account`) and the retention rules. */
export function mountPrivacy(http: HttpContext, resources: Resources): void {
  const { database } = resources;
  declareFunction(http, {
    name: 'export-account',
    callers: 'users',
    body: z.object({}),
    limit: { count: 10, seconds: 3600 },
    heavyFor: 'customers',
    async handle({ caller }) {
      const data = await exportAccount(database, caller.userId ?? '');
      // The database wrote the JSON: parsing and writing megabytes of it again would delay all other
      // requests.
      const picture = await pictureOf(resources, caller.userId ?? '');
      return jsonFields({ exported_at: new Date(), picture, data: new JsonBytes(Buffer.from(data)) });
    },
  });
  scheduleRetention(resources);
}

/**
 * The data about an account and its person. Rows found only by the mail address are included if the address
 * was proven, because anybody may sign up with somebody else's.
 */
async function exportAccount(queries: Queries, userId: string): Promise<string> {
  const user = await queries.maybe(
    'select email, email_proven_at is not null as proven from auth.users where id = $1',
    [userId],
  );
  return personalData(queries, {
    userId,
    email: user?.proven === true ? (user.email ?? undefined) : undefined,
  });
}

/** An account's picture as a data URL (RFC 2397) of a few hundred kilobytes at most; null without one. */
async function pictureOf(
  { database, objects }: Pick<Resources, 'database' | 'objects'>,
  userId: string,
): Promise<string | null> {
  const stored = await database.maybe(
    `select version, metadata ->> 'mimetype' as type /* not null */ from storage.objects
      where bucket_id = $1 and owner = $2 and version is not null`,
    [AVATARS_BUCKET, userId],
  );
  const bytes = stored?.version ? await objects.read(stored.version) : undefined;
  return stored === undefined || bytes === undefined
    ? null
    : `data:${stored.type};base64,${(await buffer(bytes)).toString('base64')}`;
}

/**
 * All rows about a person, by table, as the list `private.personal_data` finds them; secrets are left out.
 */
export async function exportPerson(
  queries: Queries,
  person: Person,
): Promise<Readonly<Record<string, unknown[]>>> {
  return JSON.parse(await personalData(queries, person)) as Readonly<Record<string, unknown[]>>;
}

/** The same as JSON text. */
async function personalData(queries: Queries, person: Person): Promise<string> {
  const { data } = await queries.one(
    `select coalesce(private.personal_data_of($1, $2, $3), '{}')::text as data /* not null */`,
    valuesOf(person),
  );
  return data;
}

/**
 * Erases a person: the account with everything that depends on it, if that id has one, and the other rows
 * about the person. Rows that the list marks as kept stay. @returns the number of deleted rows besides the
 * account, by table
 *
 * @trigger auth.users erase_person
 */
export async function erasePerson(
  queries: Queries,
  person: Person,
): Promise<Readonly<Record<string, number>>> {
  const row = await queries.one('select private.erase_person($1, $2, $3) as gone', valuesOf(person));
  if (person.userId !== undefined) await queries.run('delete from auth.users where id = $1', [person.userId]);
  return (row.gone ?? {}) as Readonly<Record<string, number>>;
}

function valuesOf({ userId, email, phone }: Person): [string | null, string | null, string | null] {
  return [userId ?? null, email?.toLowerCase() ?? null, phone?.replace(/\D/g, '') || null];
}
