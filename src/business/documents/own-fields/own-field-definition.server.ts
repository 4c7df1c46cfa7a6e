import { DOCUMENT_KINDS } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Database, Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import {
  FIELD_REACHES,
  type FieldReach,
  LONGEST_NAME,
  MOST_FIELDS,
  MOST_FIELDS_OF_A_KIND,
} from './own-field.contract.ts';
import { showInReport } from './own-field-values.server.ts';

const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(LONGEST_NAME)
  .refine((name) => !/\p{Cc}/u.test(name), { error: 'must be one line' });

const bodySchema = z.union([
  z.strictObject({ kind: z.enum(DOCUMENT_KINDS), name: nameSchema }),
  z.strictObject({ field_id: z.uuid(), name: nameSchema }),
  z.strictObject({ field_id: z.uuid(), reach: z.enum(FIELD_REACHES) }),
]);

/**
 * `define-own-field`: names a field for a kind of document; with `field_id`, it gives a field another name, or another
 * `reach`: to the caller's team, to all customers, or back to the caller alone. Answers `{field}`.
 *
 * Errors: 403 `not_operator` for `customers` by anybody but an operator; 404 `not_found` for a field that is not the user's; 409
 * `name_taken`; 409 `no_team`; 409 `too_many_fields`.
 */
export function declareDefineOwnField(http: HttpContext, { database }: Pick<Resources, 'database'>): void {
  declareFunction(http, {
    name: 'define-own-field',
    callers: 'users',
    body: bodySchema,
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body }) => {
      const owner = {
        caller,
        userId: requireUser(caller),
        isOperator: await mayNameForCustomers(database, caller),
      };
      const field = await database.transaction(async (queries) => {
        await lockFields(queries, owner.userId);
        if ('kind' in body) return addField(queries, { ...body, userId: owner.userId });
        return 'name' in body
          ? renameField(queries, { id: body.field_id, name: body.name, owner })
          : reachFurther(queries, { id: body.field_id, reach: body.reach, owner });
      });
      return { field };
    },
  });
}

/** Whether the caller names fields for all customers: an operator whose role is more than to read. */
export async function mayNameForCustomers(
  { asCaller }: Pick<Database, 'asCaller'>,
  caller: Caller,
): Promise<boolean> {
  const { role } = await asCaller(caller, (queries) => queries.one('select auth.operator_role() as role'));
  return role === 'owner' || role === 'staff';
}

/** Who changes a field. */
interface Owner {
  readonly caller: Caller;
  readonly userId: string;
  readonly isOperator: boolean;
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
    `insert into northline_app.own_fields (user_id, kind, name) values ($1, $2, $3)
     returning id, user_id, team_id, kind, name, version`,
    [userId, kind, name],
  );
}

/** The user's field, or one of the agency that the user, an operator, may change. @throws ServiceError 404 */
async function lockField(queries: Queries, id: string, { userId, isOperator }: Owner) {
  const field = await queries.maybe(
    `select f.id, f.user_id, f.kind, f.name from northline_app.own_fields f
      where f.id = $1 and (f.user_id = $2 or (f.user_id is null and $3)) for no key update`,
    [id, userId, isOperator],
  );
  if (field === undefined) throw noSuchField();
  return field;
}

interface NameOfKind {
  readonly id: string;
  /** Null for the agency. */
  readonly userId: string | null;
  readonly kind: string;
  readonly name: string;
}

async function requireFreeName(queries: Queries, { id, userId, kind, name }: NameOfKind): Promise<void> {
  const taken = await queries.maybe(
    `select o.id from northline_app.own_fields o
      where o.user_id is not distinct from $2 and o.kind = $3 and lower(o.name) = lower($4) and o.id <> $1`,
    [id, userId, kind, name],
  );
  if (taken !== undefined) throw nameTaken();
}

async function renameField(
  queries: Queries,
  { id, name, owner }: { id: string; name: string; owner: Owner },
) {
  const { user_id: userId, kind } = await lockField(queries, id, owner);
  await requireFreeName(queries, { id, userId, kind, name });
  if (userId === null) await sign(queries, owner, 'rename', id);
  const field = await queries.one(
    `update northline_app.own_fields set name = $2 where id = $1
     returning id, user_id, team_id, kind, name, version`,
    [id, name],
  );
  await noteKind(queries, field.id);
  return field;
}

/**
 * Gives a field to the user's team, to all customers, or back to the user alone.
 * @trigger northline_app.own_fields note_field_of_team
 */
async function reachFurther(
  queries: Queries,
  { id, reach, owner }: { id: string; reach: FieldReach; owner: Owner },
) {
  if (reach === 'customers' && !owner.isOperator)
    throw new ServiceError(403, 'not_operator', "Only the agency's operators name fields for all customers.");
  const { user_id: before, kind, name } = await lockField(queries, id, owner);
  const userId = reach === 'customers' ? null : owner.userId;
  await requireFreeName(queries, { id, userId, kind, name });
  const team =
    reach === 'team'
      ? await queries.maybe(
          "select team_id from northline_app.team_members where user_id = $1 and role <> 'billing' for share",
          [owner.userId],
        )
      : null;
  if (team === undefined) throw new ServiceError(409, 'no_team', 'You are in no team that reads documents.');
  if (before !== userId) await sign(queries, owner, reach, id);
  return queries.one(
    `update northline_app.own_fields set user_id = $2, team_id = $3 where id = $1
     returning id, user_id, team_id, kind, name, version`,
    [id, userId, team?.team_id ?? null],
  );
}

/** Notes in the audit log what an operator does with a field of the agency; the database checks the role once more. */
async function sign(queries: Queries, { caller }: Owner, act: string, fieldId: string): Promise<void> {
  await queries.run("select set_config('request.jwt.claims', $1, true)", [JSON.stringify(caller.claims)]);
  await queries.run('select private.operate($1, $2, $3)', [`field.${act}`, fieldId, '{}']);
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

/**
 * `remove-own-field`: removes a field with its examples and values. Answers `{removed: true}`; 404 for another user's.
 * @trigger northline_app.own_fields note_removed_field
 */
export function declareRemoveOwnField(http: HttpContext, { database }: Pick<Resources, 'database'>): void {
  declareFunction(http, {
    name: 'remove-own-field',
    callers: 'users',
    body: z.strictObject({ field_id: z.uuid() }),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body: { field_id: id } }) => {
      const owner = {
        caller,
        userId: requireUser(caller),
        isOperator: await mayNameForCustomers(database, caller),
      };
      await database.transaction(async (queries) => {
        await lockFields(queries, owner.userId);
        const shown = await queries.many(
          `select r.file_id from northline_app.analysis_reports r
             join northline_app.own_field_values v on v.file_id = r.file_id
            where v.field_id = $1 and v.user_id = $2 order by r.file_id for no key update of r`,
          [id, owner.userId],
        );
        const { user_id: userId } = await lockField(queries, id, owner);
        if (userId === null) await sign(queries, owner, 'remove', id);
        await queries.run('delete from northline_app.own_fields where id = $1', [id]);
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
