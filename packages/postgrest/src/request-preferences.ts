import type { IncomingHttpHeaders } from 'node:http';
import type { ServiceError } from '@northline/service-error/service-error';
import { restError } from './rest-error.ts';

/** What `Prefer` asks for (docs/contracts/platform.md §4). */
export interface Preferences {
  readonly returns: 'representation' | 'minimal' | 'headers-only' | undefined;
  readonly count: 'exact' | 'planned' | 'estimated' | undefined;
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates' | undefined;
  readonly missingDefault: boolean;
  readonly rollback: boolean;
  /** Only with `handling=strict`. */
  readonly maxAffected: number | undefined;
  /** The time zone in which times are printed; PostgreSQL refuses one that it does not know (22023). */
  readonly timeZone: string | undefined;
  /** For the header Preference-Applied. */
  readonly applied: readonly string[];
}

/** The representation that `Accept` asks for. */
export interface Representation {
  readonly form: 'array' | 'object' | 'csv';
  readonly stripNulls: boolean;
  readonly contentType: string;
  /** Set when the client wants the query plan and not the rows. */
  readonly plan?: PlanOptions;
}

/** How a plan is explained. */
export interface PlanOptions {
  readonly format: 'text' | 'json';
  /** Words of EXPLAIN, in the order given. */
  readonly options: readonly string[];
  readonly contentType: string;
}

/** In the order of the header Preference-Applied. */
const KNOWN: Record<string, RegExp> = {
  resolution: /^(merge|ignore)-duplicates$/,
  missing: /^(default|null)$/,
  return: /^(representation|minimal|headers-only)$/,
  count: /^(exact|planned|estimated)$/,
  tx: /^(rollback|commit)$/,
  handling: /^(strict|lenient)$/,
  timezone: /^[^\0]{1,100}$/,
  'max-affected': /^\d{1,15}$/,
};

/** Reads `Prefer`; unknown words are ignored unless `handling=strict`. @throws ServiceError 400 PGRST122 */
export function readPreferences(headers: IncomingHttpHeaders): Preferences {
  const words = String(headers.prefer ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const found = new Map<string, string>();
  const invalid: string[] = [];
  for (const word of words) {
    const [name = '', value = ''] = word.split('=', 2);
    const known = Object.hasOwn(KNOWN, name) && KNOWN[name]?.test(value);
    if (!known) invalid.push(word);
    else if (!found.has(name)) found.set(name, value);
  }
  const strict = found.get('handling') === 'strict';
  if (strict && invalid.length > 0) {
    throw restError(400, 'PGRST122', 'Invalid preferences given with handling=strict', {
      details: `Invalid preferences: ${invalid.join(', ')}`,
    });
  }
  const maxAffected = found.get('max-affected');
  return {
    returns: found.get('return') as Preferences['returns'],
    count: found.get('count') as Preferences['count'],
    resolution: found.get('resolution') as Preferences['resolution'],
    missingDefault: found.get('missing') === 'default',
    rollback: found.get('tx') === 'rollback',
    maxAffected: strict && maxAffected !== undefined ? Number(maxAffected) : undefined,
    timeZone: found.get('timezone'),
    applied: Object.keys(KNOWN)
      .filter((name) => found.has(name) && (name !== 'max-affected' || strict))
      .map((name) => `${name}=${found.get(name)}`),
  };
}

const FORMS: Record<string, Representation['form']> = {
  '*/*': 'array',
  'application/*': 'array',
  'application/json': 'array',
  'application/vnd.pgrst.array': 'array',
  'application/vnd.pgrst.array+json': 'array',
  'application/vnd.pgrst.object': 'object',
  'application/vnd.pgrst.object+json': 'object',
  'text/csv': 'csv',
};

const PLAN = /^application\/vnd\.pgrst\.plan(?:\+(text|json))?$/;
const PLAN_OPTIONS = ['analyze', 'verbose', 'settings', 'buffers', 'wal'];

/** The types in `Accept` by the client's liking: by quality, then exact types before `*`, then as written. */
function acceptedTypes(accept: string): { type: string; options: string[] }[] {
  const breadth = (type: string): number => (type === '*/*' ? 2 : type.endsWith('/*') ? 1 : 0);
  return accept
    .split(',')
    .map((part) => {
      const [type = '', ...options] = part.split(';').map((word) => word.trim().toLowerCase());
      const quality = Number(options.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
      return { type, options, quality: Number.isNaN(quality) ? 1 : quality };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || breadth(a.type) - breadth(b.type));
}

/**
 * The representation in `Accept` that the client likes best among those that we support.
 *
 * @param plans whether plans are shown (REST_PLAN)
 * @throws ServiceError 406 PGRST107
 */
export function readAccept(headers: IncomingHttpHeaders, plans: boolean): Representation {
  const accept = headers.accept ?? '*/*';
  for (const { type, options } of acceptedTypes(accept)) {
    const planned = plans ? readPlan(type, options) : undefined;
    if (planned !== undefined) return planned;
    const form = Object.hasOwn(FORMS, type) ? FORMS[type] : undefined;
    if (form === undefined) continue;
    const stripNulls = form !== 'csv' && type.includes('vnd') && options.includes('nulls=stripped');
    return { form, stripNulls, contentType: contentType(form, stripNulls) };
  }
  throw notAvailable(accept);
}

/**
 * The type in which the description of the whole API is sent.
 *
 * @throws ServiceError 406 PGRST107
 */
export function readRootAccept(headers: IncomingHttpHeaders): string {
  const accept = headers.accept ?? '*/*';
  for (const { type } of acceptedTypes(accept)) {
    if (type === 'application/json') return type;
    if (['application/openapi+json', 'application/*', '*/*'].includes(type))
      return 'application/openapi+json';
  }
  throw notAvailable(accept);
}

function notAvailable(accept: string): ServiceError {
  return restError(406, 'PGRST107', `None of these media types are available: ${accept}`);
}

/** `application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|buffers`; undefined for another type. */
function readPlan(type: string, parameters: readonly string[]): Representation | undefined {
  const found = PLAN.exec(type);
  if (found === null) return undefined;
  const format = found[1] === 'json' ? 'json' : 'text';
  const parameterOf = (name: string): string | undefined =>
    parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const options = (parameterOf('options') ?? '').split('|').filter((word) => PLAN_OPTIONS.includes(word));
  const of = readAccept({ accept: parameterOf('for')?.replaceAll('"', '') ?? 'application/json' }, false);
  const [what = ''] = of.contentType.split('; charset');
  const shown = options.length === 0 ? '' : `; options=${options.join('|')}`;
  const contentType = `application/vnd.pgrst.plan+${format}; for="${what}"${shown}; charset=utf-8`;
  return { ...of, plan: { format, options, contentType } };
}

function contentType(form: Representation['form'], stripNulls: boolean): string {
  const nulls = stripNulls ? ';nulls=stripped' : '';
  if (form === 'csv') return 'text/csv; charset=utf-8';
  if (form === 'object') return `application/vnd.pgrst.object+json${nulls}; charset=utf-8`;
  if (stripNulls) return `application/vnd.pgrst.array+json${nulls}; charset=utf-8`;
  return 'application/json; charset=utf-8';
}

/** `Range: 0-9` in rows; undefined when absent or not understood. The end is included. */
export function readRange(
  headers: IncomingHttpHeaders,
): { first: number; last: number | undefined } | undefined {
  const found = /^(?:items=)?(\d{1,15})-(\d{1,15})?$/.exec(String(headers.range ?? ''));
  if (found === null) return undefined;
  return { first: Number(found[1]), last: found[2] === undefined ? undefined : Number(found[2]) };
}
