import type { PlanOptions } from '@northline/postgrest/request-preferences';
import { restError } from '@northline/postgrest/rest-error';
import { searchPathOf } from '@northline/postgrest/sql-text';
import type { Statement } from '@northline/postgrest/statement-compiler';
import { type Caller, statementTimeoutOf } from '../../kernel/resources/database/caller.ts';
import type { RequestOfStatement } from '../../kernel/resources/database/caller-statement.ts';
import { type Database, type Queries, sqlState } from '../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { asRestError } from './database-error.server.ts';

/** The result of a statement. */
export interface Outcome {
  /** Rows that match or were changed; undefined when no count was requested. */
  readonly total: number | undefined;
  /** Rows in the body. */
  readonly page: number;
  readonly body: string;
  /** Rows that an upsert updated. */
  readonly conflicts: number;
  /** The status and headers that the statement set in `response.status` and `response.headers`. */
  readonly reply: { readonly status: string | null; readonly headers: string | null } | undefined;
  /** Conditions on the key of the first new row, for the header Location. */
  readonly location: string | undefined;
}

/** Conditions on the outcome; if one is broken, the statement is undone. */
export interface Guard {
  readonly readOnly: boolean;
  /** Exactly one row, else PGRST116. */
  readonly single: boolean;
  /** Undo the statement in any case (`tx=rollback`). */
  readonly rollback?: boolean;
  /** At most this many rows, else PGRST124. */
  readonly maxAffected?: number | undefined;
  /** Also asks the planner for its estimate of the number of rows. */
  readonly explain?: Statement;
  /** Time zone in which times are printed, if it is not the database's own. */
  readonly timeZone?: string | undefined;
}

interface Row {
  total: string | null;
  page: string;
  body: string | null;
  conflicts: string | null;
  reply?: string | null | undefined;
  location?: string | null | undefined;
}

/** The request that a statement is run for. */
export interface RunRequest {
  readonly caller: Caller;
  readonly headers: Record<string, unknown>;
  readonly method: string;
  /** The path below `/rest/v1`, e.g. `/notes` or `/rpc/add`. */
  readonly path: string;
  /** The requested schema. */
  readonly schemaName: string;
}

/** Carries the outcome out of a transaction that must be rolled back. */
class Undone extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('rolled back');
    this.outcome = outcome;
  }
}

/**
 * Runs a statement under the caller's rights: in one round trip, or in a transaction of several when the
 * outcome decides whether to commit.
 *
 * @throws ServiceError with the status of docs/contracts/platform.md §4
 */
export async function runStatement(
  database: Database,
  request: RunRequest,
  statement: Statement,
  guard: Guard,
): Promise<Outcome> {
  try {
    const changes = !guard.readOnly;
    const guarded = changes && (guard.single || guard.rollback === true || guard.maxAffected !== undefined);
    if (guarded || guard.explain !== undefined || guard.timeZone !== undefined)
      return await runGuarded(database, request, statement, guard);
    const { rows } = await database.statementAsCaller(request.caller, {
      text: statement.text,
      values: statement.values,
      readOnly: guard.readOnly,
      request: requestOf(request),
    });
    const [total = null, page = null, body = null, conflicts = null, reply, location] = rows[0] ?? [];
    const outcome = outcomeOf({ total, page: page ?? '0', body, conflicts, reply, location });
    check(outcome, guard);
    return outcome;
  } catch (error) {
    if (error instanceof Undone) return error.outcome;
    throw asRestError(error, request.caller);
  }
}

/** Whether an error may come from a schema that has changed since we read it. */
export function isSchemaOutdated(error: unknown): boolean {
  const code = sqlState(error)?.code ?? (error as { code?: string }).code ?? '';
  return ['PGRST204', '42703', '42P01', '42883', '42804', '42704', '42P10'].includes(code);
}

function runGuarded(
  database: Database,
  request: RunRequest,
  statement: Statement,
  guard: Guard,
): Promise<Outcome> {
  return database.asCaller(request.caller, async (queries) => {
    await prepare(queries, request, guard);
    const row = await queries.one(uncheckedSql<Row>(statement.text, 'composed'), statement.values);
    const outcome = outcomeOf(row);
    check(outcome, guard);
    if (guard.rollback === true) {
      // Refuses what a commit would refuse.
      await queries.run(uncheckedSql('set constraints all immediate', 'command'));
      throw new Undone(outcome);
    }
    if (guard.explain === undefined) return outcome;
    const plan = await queries.one(
      uncheckedSql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(guard.explain.text, 'composed'),
      guard.explain.values,
    );
    const expected = Math.round(plan['QUERY PLAN'][0].Plan['Plan Rows']);
    // `estimated` counts up to 1,001 rows exactly and uses the planner's estimate only beyond that.
    const exact = outcome.total !== undefined && outcome.total <= 1000;
    return { ...outcome, total: exact ? outcome.total : Math.max(expected, outcome.total ?? 0) };
  });
}

/** Sets what the statements of a transaction may know and do. */
async function prepare(
  queries: Queries,
  request: RunRequest,
  { readOnly, timeZone }: Pick<Guard, 'readOnly' | 'timeZone'>,
): Promise<void> {
  if (readOnly) await queries.run(uncheckedSql('set transaction read only', 'command'));
  const { headers, method, path, searchPath } = requestOf(request);
  const timeout = statementTimeoutOf(request.caller) ?? null;
  await queries.run(
    `select set_config('request.headers', $1, true), set_config('timezone', coalesce($2, current_setting('timezone')), true),
         set_config('statement_timeout', coalesce($3, current_setting('statement_timeout')), true),
         set_config('request.method', $4, true), set_config('request.path', $5, true), set_config('search_path', $6, true)`,
    [JSON.stringify(headers), timeZone ?? null, timeout, method, path, searchPath],
  );
}

/** What to explain, and whether to keep the changes that `analyze` makes. */
export interface PlanGuard extends Pick<Guard, 'readOnly' | 'rollback' | 'timeZone'> {
  readonly plan: PlanOptions;
}

/** Carries a plan out of a transaction that must be rolled back. */
class UndonePlan extends Error {
  readonly plan: string;
  constructor(plan: string) {
    super('rolled back');
    this.plan = plan;
  }
}

/**
 * The database's plan for a statement under the caller's rights, as text or JSON.
 *
 * @throws ServiceError as `runStatement`
 */
export async function explainStatement(
  database: Database,
  request: RunRequest,
  statement: Statement,
  guard: PlanGuard,
): Promise<string> {
  const { format, options } = guard.plan;
  try {
    return await database.asCaller(request.caller, async (queries) => {
      await prepare(queries, request, guard);
      const lines = await queries.many(
        uncheckedSql<{ 'QUERY PLAN': unknown }>(
          `explain (${[`format ${format}`, ...options].join(', ')}) ${statement.text}`,
          'composed',
        ),
        statement.values,
      );
      const found = lines.map((line) => line['QUERY PLAN']);
      const plan = format === 'json' ? JSON.stringify(found[0]) : found.join('\n');
      if (guard.rollback === true) throw new UndonePlan(plan);
      return plan;
    });
  } catch (error) {
    if (error instanceof UndonePlan) return error.plan;
    throw asRestError(error, request.caller);
  }
}

function outcomeOf(row: Row): Outcome {
  return {
    total: row.total === null ? undefined : Number(row.total),
    page: Number(row.page),
    body: row.body ?? '',
    conflicts: Number(row.conflicts ?? 0),
    reply: row.reply == null ? undefined : (JSON.parse(row.reply) as Outcome['reply']),
    location: row.location == null ? undefined : conditionsOf(row.location),
  };
}

/** `id=eq.1` from pairs of names and values, percent-encoded where an address requires it. */
function conditionsOf(location: string): string {
  const pairs = JSON.parse(location) as [string, string | null][];
  return pairs
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name)}=${value === null ? 'is.null' : `eq.${encodeURIComponent(value)}`}`,
    )
    .join('&');
}

function check(outcome: Outcome, guard: Guard): void {
  if (guard.single && outcome.page !== 1) {
    throw restError(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', {
      details: `The result contains ${outcome.page} rows`,
    });
  }
  if (guard.maxAffected !== undefined && (outcome.total ?? outcome.page) > guard.maxAffected) {
    throw restError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
      details: `The query affects ${outcome.total ?? outcome.page} rows`,
    });
  }
}

/**
 * What SQL may know about the request: its headers in lower case without credentials, and its search path.
 */
function requestOf({ headers, method, path, schemaName }: RunRequest): Required<RequestOfStatement> {
  return { headers: plainHeaders(headers), method, path, searchPath: searchPathOf(schemaName) };
}

function plainHeaders(headers: Record<string, unknown>): Record<string, string> {
  const secret = new Set(['authorization', 'apikey', 'cookie']);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !secret.has(name) ? [[name, value]] : [],
    ),
  );
}
