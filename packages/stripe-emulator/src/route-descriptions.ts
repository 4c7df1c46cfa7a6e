import { ServiceError } from '@northline/service-error/service-error';
import { z } from 'zod';
import type { FormValue } from './api/form-decoder.ts';
import type { DueScope } from './ledger/renewal-round.ts';
import { type Change, findObject, listObjects, type ProviderObject } from './provider-store.ts';

/** One call of the API, with decoded parameters. */
export interface ApiCall {
  readonly change: Change;
  /** The id in the path; empty where the route has none. */
  readonly id: string;
  readonly params: Record<string, FormValue>;
}

/** A route of the API: its method, its path with `:id`, and its handler. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  answer(call: ApiCall): Promise<Record<string, unknown>>;
  /**
   * The work that has to be done after the call's own transaction and before the answer is sent: everything
   * due until `to`.
   */
  readonly dueAfter?: (answer: Record<string, unknown>) => { to: number; scope: DueScope };
}

/** A text parameter. */
export const text = z.string().max(5000);
/** A currency, as the API writes it. */
export const currency = z
  .string()
  .toLowerCase()
  .refine((code) => Intl.supportedValuesOf('currency').includes(code.toUpperCase()), {
    error: 'Invalid currency',
  });
/** A boolean parameter. */
export const flag = z.enum(['true', 'false']).transform((word) => word === 'true');
/** A parameter that is a non-negative whole number. */
export const whole = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(Number);
/** The client's own notes, stored with an object. */
export const metadata = z.record(z.string(), text).optional();
/** Paths whose ids are replaced by objects. */
export const expand = z.array(text).max(20).optional();
/** The parameters of every list. */
export const page = {
  limit: z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .refine((count) => count >= 1 && count <= 100)
    .optional(),
  starting_after: text.optional(),
  expand,
};

/** A route with checked parameters: unknown or wrong ones are answered as Stripe does. */
export const route = <Params extends z.ZodType>(
  method: ApiRoute['method'],
  path: string,
  params: Params,
  answer: (call: ApiCall & { given: z.output<Params> }) => Promise<Record<string, unknown>>,
): ApiRoute => ({ method, path, answer: (call) => answer({ ...call, given: read(params, call.params) }) });

/** The routes that retrieve and list one kind of object, as every resource of the API has them. */
export function readable(path: string, kind: string, filters: Record<string, z.ZodType> = {}): ApiRoute[] {
  return [
    route('GET', `${path}/:id`, z.strictObject({ expand }), async ({ change, id }) =>
      found(await findObject(change.queries, kind, id), kind, id),
    ),
    route('GET', path, z.strictObject({ ...page, ...filters }), async ({ change, given }) => {
      const { limit = 10, starting_after: after, expand: _expand, ...rest } = given;
      const { customer, ...matching } = rest as Record<string, string>;
      if (matching.status === 'all') delete matching.status;
      const { subscription: of, ...fields } = matching;
      const invoiceOf = of === undefined ? {} : { parent: { subscription_details: { subscription: of } } };
      const objects = await listObjects(change.queries, kind, {
        ...(customer === undefined ? {} : { customer }),
        ...(after === undefined ? {} : { after }),
        matching: { ...fields, ...invoiceOf },
        limit: limit + 1,
      });
      return listOf(path, objects.slice(0, limit), objects.length > limit);
    }),
  ];
}

/** Stripe's list object. */
export function listOf(path: string, data: ProviderObject[], more: boolean): Record<string, unknown> {
  return { object: 'list', data, has_more: more, url: path };
}

function read<Params extends z.ZodType>(schema: Params, params: Record<string, FormValue>): z.output<Params> {
  const outcome = schema.safeParse(params);
  if (outcome.success) return outcome.data;
  const issue = outcome.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const param = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].join('.');
  if (unknown !== undefined) {
    throw new ServiceError(400, 'parameter_unknown', `Received unknown parameter: ${param}`, {
      details: { param },
    });
  }
  throw invalid(`Invalid ${param}: ${issue?.message ?? 'not valid'}`, param);
}

/** Returns the object, or throws the API's 404. */
export function found<Thing>(thing: Thing | undefined, kind: string, id: string): Thing {
  if (thing === undefined) throw missing(kind, id);
  return thing;
}

/** Stripe's `resource_missing`. */
export function missing(kind: string, id: string): ServiceError {
  return new ServiceError(404, 'resource_missing', `No such ${kind.replace('.', ' ')}: '${id}'`, {
    details: { param: kind === 'price' ? 'line_items[0][price]' : 'id' },
  });
}

/** Stripe's 400 for an invalid parameter. */
export function invalid(message: string, param: string): ServiceError {
  return new ServiceError(400, 'parameter_invalid', message, { details: { param } });
}
