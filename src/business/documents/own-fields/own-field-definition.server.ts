import { DOCUMENT_KINDS } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { LONGEST_NAME, MOST_FIELDS, MOST_FIELDS_OF_A_KIND } from './own-field.contract.ts';
import { showInReport } from './own-field-values.server.ts';

const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(LONGEST_NAME)
  .refine((name) => !/\p{Cc}/u.test(name), { error: 'must be one line' });

/**
 * `define-own-field`: names a field for a kind of document, or gives a field another name with `field_id`. Answers
 * `{field}`.
 *
 * Errors: 404 `not_found` for a field that is not the user's; 409 `name_taken`; 409 `too_many_fields`.
 */
export function declareDefineOwnField(http: HttpContext, { database }: Pick<Resources, 'database'>): void {
  declareFunction(http, {
    name: 'define-own-field',
    callers: 'users',
    body: z.union([
      z.strictObject({ kind: z.enum(DOCUMENT_KINDS), name: nameSchema }),
      z.strictObject({ field_id: z.uuid(), name: nameSchema }),
    ]),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body }) => {
      const userId = requireUser(caller);
      const field = await database.transaction(async (queries) => {
        await lockFields(queries, userId);
        return 'kind' in body
          ? addField(queries, { ...body, userId })
          : renameField(queries, { id: body.field_id, name: body.name, userId });
      });
      return { field };
    },
  });
}

/** One change of an account's fields at a time, so that limits and names hold. */
async function lockFields(queries: Queries, userId: string): Promise<void> {
  await queries.maybe('select id from auth.users where id = $1 for no key update', [userId]);
}

async function addField(
  queries: Queries,
  { kind, name, userId }: { kind: string; name: string; userId: string },
) {
  const { all, same, taken } = await queries.one(
    `select count(*)::int as all /* not null */, count(*) filter (where kind = $2)::int as same /* not null */,
            coalesce(bool_or(kind = $2 and lower(name) = lower($3)), false) as taken /* not null */
       from northline_app.own_fields where user_id = $1`,
    [userId, kind, name],
  );
  if (taken) throw nameTaken();
  if (all >= MOST_FIELDS || same >= MOST_FIELDS_OF_A_KIND)
    throw new ServiceError(
      409,
      'too_many_fields',
      `A kind of document has at most ${MOST_FIELDS_OF_A_KIND} fields, and an account ${MOST_FIELDS}. Remove one first.`,
    );
  return queries.one(
    `insert into northline_app.own_fields (user_id, kind, name) values ($1, $2, $3) returning id, kind, name, version`,
    [userId, kind, name],
  );
}

async function renameField(
  queries: Queries,
  { id, name, userId }: { id: string; name: string; userId: string },
) {
  const taken = await queries.maybe(
    `select o.id from northline_app.own_fields f
       join northline_app.own_fields o on o.user_id = f.user_id and o.kind = f.kind and o.id <> f.id
      where f.id = $1 and f.user_id = $2 and lower(o.name) = lower($3)`,
    [id, userId, name],
  );
  if (taken !== undefined) throw nameTaken();
  const field = await queries.maybe(
    `update northline_app.own_fields set name = $3 where id = $1 and user_id = $2 returning id, kind, name, version`,
    [id, userId, name],
  );
  if (field === undefined) throw noSuchField();
  await noteKind(queries, field.id);
  return field;
}

/** Every document with a value of the field waits to show it anew. */
async function noteKind(queries: Queries, fieldId: string): Promise<void> {
  await queries.run(
    `insert into private.arrived_documents (file_id)
     select v.file_id from northline_app.own_field_values v where v.field_id = $1 order by v.file_id
     on conflict (file_id) do update set noted_at = now()`,
    [fieldId],
  );
}

/** `remove-own-field`: removes a field with its examples and values. Answers `{removed: true}`; 404 for another user's. */
export function declareRemoveOwnField(http: HttpContext, { database }: Pick<Resources, 'database'>): void {
  declareFunction(http, {
    name: 'remove-own-field',
    callers: 'users',
    body: z.strictObject({ field_id: z.uuid() }),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body: { field_id: id } }) => {
      const userId = requireUser(caller);
      await database.transaction(async (queries) => {
        await lockFields(queries, userId);
        const shown = await queries.many(
          `select r.file_id from northline_app.analysis_reports r
             join northline_app.own_field_values v on v.file_id = r.file_id
            where v.field_id = $1 and v.user_id = $2 order by r.file_id for no key update of r`,
          [id, userId],
        );
        const gone = await queries.run(
          'delete from northline_app.own_fields where id = $1 and user_id = $2',
          [id, userId],
        );
        if (gone === 0) throw noSuchField();
        for (const { file_id: fileId } of shown) await showInReport(queries, fileId);
      });
      return { removed: true };
    },
  });
}

const nameTaken = (): ServiceError =>
  new ServiceError(409, 'name_taken', 'This kind of document has a field of that name already.');

/** The answer for a field that is not the caller's. */
export const noSuchField = (): ServiceError =>
  new ServiceError(404, 'not_found', 'There is no such field for this document.');
