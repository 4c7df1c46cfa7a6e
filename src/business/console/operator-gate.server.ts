import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction, parseInput } from '../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { type Queries, sqlState } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { SECOND_FACTOR_NEEDED } from './console.contract.ts';
import {
  LEAST_ROLES,
  mayCall,
  type OperatorFunctionName,
  type OperatorRole,
  ROLE_TOO_LOW,
  WHO_MAY,
} from './operator-roles.contract.ts';

const LIMIT = { count: 600, seconds: 60, burst: 120 };
const FORBIDDEN = '42501';

/** What the console's functions need. */
export interface OperatorScope {
  readonly http: HttpContext;
  readonly resources: Resources;
}

/** One function of the console; `answer` asks as the caller, so the database decides what there is to see. */
interface OperatorFunction<Schema extends z.ZodType> {
  readonly name: OperatorFunctionName;
  readonly method: 'GET' | 'POST';
  readonly input: Schema;
  /** Largest body, bytes; the default of functions where it is missing. */
  readonly bodyLimit?: number;
  /** It reads much: of all operators one such question is answered at a time. */
  readonly heavy?: boolean;
  answer(queries: Queries, input: z.output<Schema>): Promise<object>;
}

/** Mounts `/functions/v1/operator-…`. @throws ServiceError (to the caller) 403 where `LEAST_ROLES` does not allow it */
export function declareForOperators<Schema extends z.ZodType>(
  { http, resources }: OperatorScope,
  { name, method, input, bodyLimit, heavy = false, answer }: OperatorFunction<Schema>,
): void {
  declareFunction(http, {
    name: `operator-${name}`,
    method,
    callers: 'anyone',
    // The body is parsed only after the caller is known to be an operator.
    body: z.unknown(),
    limit: LIMIT,
    ...(bodyLimit !== undefined && { bodyLimit }),
    handle: ({ caller, body }) => {
      const work = () =>
        asOperator(resources, caller, name, (queries) => answer(queries, parseInput(input, body)));
      return heavy ? inAgencyQueue(http, caller, work) : work();
    },
  });
}

/** A function of the console whose work is more than the database's: a call, a voice. */
interface OperatorWork<Schema extends z.ZodType> extends Omit<OperatorFunction<Schema>, 'method' | 'answer'> {
  /** Fewer than the console's usual requests in a minute, where each one costs much. */
  readonly perMinute?: number;
  /** Refuses some operators, before the body is parsed. @throws ServiceError */
  allow?(caller: Caller): void;
  work(caller: Caller, input: z.output<Schema>): Promise<object>;
}

/**
 * Mounts `POST /functions/v1/operator-…` for work that must not hold a transaction while it lasts. The database says
 * first whether the caller is an operator. @throws ServiceError (to the caller) 403 for everybody else
 */
export function declareOperatorWork<Schema extends z.ZodType>(
  { http, resources }: OperatorScope,
  { name, input, bodyLimit, perMinute, heavy = false, allow, work }: OperatorWork<Schema>,
): void {
  declareFunction(http, {
    name: `operator-${name}`,
    callers: 'anyone',
    body: z.unknown(),
    limit: perMinute === undefined ? LIMIT : { count: perMinute, seconds: 60 },
    ...(bodyLimit !== undefined && { bodyLimit }),
    async handle({ caller, body }) {
      await asOperator(resources, caller, name, async () => {});
      allow?.(caller);
      const begin = () => work(caller, parseInput(input, body));
      return heavy ? inAgencyQueue(http, caller, begin) : begin();
    },
  });
}

/**
 * Work under the caller's rights, once the database has said which role the caller has at this moment. This is the one
 * place that compares the role with `LEAST_ROLES`; the database checks changes once more (`private.operate`).
 *
 * @throws ServiceError 403 `not_operator`, `second_factor_needed` when only that is missing, `role_too_low`
 */
export async function asOperator<T>(
  { database }: Resources,
  caller: Caller,
  name: OperatorFunctionName,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  if (caller.role === 'anon') throw notOperator();
  try {
    return await database.asCaller(caller, async (queries) => {
      const { standing, role } = await queries.one(
        'select operator.standing() as standing, auth.operator_role() as role',
      );
      if (standing === 'second_factor') {
        throw new ServiceError(403, SECOND_FACTOR_NEEDED, 'Please confirm with your second factor.');
      }
      if (standing !== 'operator') throw notOperator();
      if (!mayCall(role as OperatorRole, name))
        throw new ServiceError(
          403,
          ROLE_TOO_LOW,
          `Your role does not allow this: it is for ${WHO_MAY[LEAST_ROLES[name]]}.`,
        );
      return work(queries);
    });
  } catch (error) {
    if (sqlState(error)?.code === FORBIDDEN) throw notOperator();
    throw error;
  }
}

/**
 * Runs expensive work for an operator in the agency's queue. A caller who does not claim to be an operator is refused at
 * once, so that nobody else can fill that queue.
 */
export function inAgencyQueue<T>(
  { heavyQueues }: HttpContext,
  caller: Caller,
  work: () => Promise<T>,
): Promise<T> {
  const { role } = (caller.claims.app_metadata ?? {}) as { role?: unknown };
  if (caller.role !== 'service_role' && role !== 'operator') return work();
  return heavyQueues.agency.run(caller.userId ?? caller.role, work);
}

/** What an operator is about to do, for the audit log. */
interface Signed {
  readonly action: string;
  readonly subject: string;
  readonly details?: object;
}

/**
 * Notes what an operator does in the transaction of a change that the product itself makes; its triggers see who it is.
 *
 * @throws ServiceError 403 `not_operator` when the caller's role no longer allows it
 */
export async function signAsOperator(
  queries: Queries,
  caller: Caller,
  { action, subject, details = {} }: Signed,
): Promise<void> {
  await queries.run("select set_config('request.jwt.claims', $1, true)", [JSON.stringify(caller.claims)]);
  try {
    await queries.run('select private.operate($1, $2, $3)', [action, subject, JSON.stringify(details)]);
  } catch (error) {
    throw sqlState(error)?.code === FORBIDDEN ? notOperator() : error;
  }
}

const notOperator = (): ServiceError =>
  new ServiceError(403, 'not_operator', "This is for the agency's operators.");

/** Words to search for; `%` and `_` mean themselves. */
export const SEARCH = z.string().trim().max(200).default('');

/** Pattern of `ilike` that finds the words anywhere. */
export function containing(words: string): string {
  return `%${words.replace(/[\\%_]/g, (letter) => `\\${letter}`)}%`;
}

/** Digits of a telephone number that tell it from others, however it is written; the same as `private.phone_ending`. */
const ENDING_DIGITS = 9;
const FEWEST_DIGITS = 3;

/**
 * Pattern of `like` for the last digits of a telephone number, so that `020 7946 0018` finds `+44 20 7946 0018`. Empty where
 * the words are no number.
 */
export function numberEnding(words: string): string {
  const digits = words.replace(/\D/g, '');
  const isNumber = /^[-+()/.\s\d]+$/.test(words) && digits.length >= FEWEST_DIGITS;
  return isNumber ? `%${digits.slice(-ENDING_DIGITS)}` : '';
}

/** A row as its reply shows it: JSON has no times, so they become text (ISO 8601). */
export type Sent<Row> = { readonly [Name in keyof Row]: SentValue<Row[Name]> };
type SentValue<Value> = Value extends Date ? string : Value;

/** The same row, with the type that it has when the reply has turned it into JSON. */
export const sent = <Row extends object>(row: Row): Sent<Row> => row as Sent<Row>;

/**
 * A page of a list from its rows, of which one more was asked for.
 *
 * @param keyOf what the next page is asked for with
 */
export function pageOf<Row, Shown>(
  rows: readonly Row[],
  most: number,
  show: (row: Row) => Shown,
  keyOf: (row: Row) => string,
): { rows: Shown[]; next: string | null } {
  const shown = rows.slice(0, most);
  const last = shown.at(-1);
  return { rows: shown.map(show), next: rows.length > most && last !== undefined ? keyOf(last) : null };
}

/**
 * Mounts `operator-delete-…` of a kind of record, which the journal names in the same transaction.
 *
 * @param remove runs `within` in its transaction
 */
export function declareDeletion(
  scope: OperatorScope,
  kind: 'campaign' | 'credential' | 'tool',
  remove: (id: string, within: (queries: Queries) => Promise<void>) => Promise<unknown>,
): void {
  declareOperatorWork(scope, {
    name: `delete-${kind}`,
    input: z.object({ id: z.uuid() }),
    async work(caller, { id }) {
      await remove(id, (queries) =>
        signAsOperator(queries, caller, { action: `${kind}.delete`, subject: id }),
      );
      return { done: true };
    },
  });
}
