import { restError } from '@northline/postgrest/rest-error';
import pg from 'pg';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';

const BY_STATE: Record<string, number> = {
  // A subquery of a view or a function has several rows.
  '21000': 500,
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53400': 500,
  // Cancelled: the statement exceeded the caller's time limit.
  '57014': 504,
  // The database is shutting down.
  '57P01': 503,
  P0001: 400,
};
const BY_CLASS: Record<string, number> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '53': 503,
  '54': 500,
  '55': 500,
  '57': 500,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
};

/** HTTP status of a SQLSTATE (docs/contracts/platform.md §4). */
export function statusOfState(state: string, caller: Pick<Caller, 'role'>): number {
  if (state === '42501') return caller.role === 'anon' ? 401 : 403;
  const custom = /^PT(?:([2-5]\d\d)$)?/.exec(state);
  if (custom !== null) return Number(custom[1] ?? 500);
  return BY_STATE[state] ?? BY_CLASS[state.slice(0, 2)] ?? 400;
}

/** What to do after an error that PostgreSQL gives no hint for. */
const HINTS: Readonly<Record<string, string>> = {
  '42P10':
    'on_conflict needs columns with a unique constraint or a whole unique index. A partial unique index cannot be named there: write a function with its condition (insert ... on conflict (columns) where condition) and call it by POST /rpc.',
};

/** Converts an error of the database into a reply; passes anything else on unchanged. */
export function asRestError(error: unknown, caller: Caller): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return error;
  if (error.code === 'PGRST') return raisedReply(error);
  const status = statusOfState(error.code, caller);
  // Messages about the machine itself name its files.
  const isOfMachine = /^5[38]/.test(error.code);
  const message = isOfMachine ? 'The database has no room or no resources left' : error.message;
  return restError(status, error.code, message, {
    details: isOfMachine ? null : (error.detail ?? null),
    hint: isOfMachine ? null : (error.hint ?? HINTS[error.code] ?? null),
    headers: {
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(status === 503 ? { 'retry-after': '1' } : {}),
    },
    ...(status >= 500 ? { cause: error } : {}),
  });
}

/** `raise sqlstate 'PGRST'`: the message is the body and the detail the status, both as JSON. */
function raisedReply(error: pg.DatabaseError): ServiceError {
  const body = jsonObject(error.message);
  if (typeof body?.code !== 'string' || typeof body.message !== 'string') {
    return wrongRaise(
      `Invalid JSON value for MESSAGE: '${error.message}'`,
      "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
    );
  }
  const reply = jsonObject(error.detail ?? '');
  if (reply === undefined) {
    return wrongRaise(
      error.detail === undefined
        ? 'DETAIL is missing in the RAISE statement'
        : `Invalid JSON value for DETAIL: '${error.detail}'`,
      "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
    );
  }
  const status = Number(reply.status);
  const text = reply.status_text;
  const headers = Object.entries((reply.headers as object | undefined) ?? {}).filter(
    ([name, value]) => /^[\w-]+$/.test(name) && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value),
  );
  return restError(
    Number.isInteger(status) && status >= 200 && status < 600 ? status : 500,
    body.code,
    body.message,
    {
      details: body.details ?? null,
      hint: typeof body.hint === 'string' ? body.hint : null,
      headers: Object.fromEntries(headers),
      ...(typeof text === 'string' && /^[\x20-\x7e]{1,100}$/.test(text) ? { statusText: text } : {}),
    },
  );
}

/** 500 PGRST121 as PostgREST words it. */
function wrongRaise(details: string, hint: string): ServiceError {
  const message = 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error';
  return restError(500, 'PGRST121', message, { details, hint });
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Authentication failures as PostgREST words them: PGRST301 for a token that cannot be read or that none of
 * our keys signed, PGRST302 for no key at all, PGRST303 for claims that are not valid (PostgREST 14, errors,
 * group 3).
 */
export function asTokenError(error: unknown, authorization: string | undefined): unknown {
  if (!(error instanceof ServiceError) || error.status !== 401) return error;
  const headers = { 'www-authenticate': 'Bearer' };
  if (error.code === 'no_authorization') {
    return restError(401, 'PGRST302', 'Anonymous access is disabled', { headers });
  }
  const [code, message] = tokenFault(authorization ?? '', error.cause);
  return restError(401, code, message, {
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${message}"` },
  });
}

/** Only chooses the message of a refusal, so the signature does not matter here. */
function tokenFault(authorization: string, reason: unknown): readonly [code: string, message: string] {
  const token = authorization.replace(/^bearer\s*/i, '');
  if (token === '') return ['PGRST301', 'Empty JWT is sent in Authorization header'];
  const claim = claimFault(token) ?? (typeof reason === 'string' ? reason : undefined);
  if (claim !== undefined) return ['PGRST303', claim];
  const parts = token.split('.').length;
  if (parts !== 3) return ['PGRST301', `Expected 3 parts in JWT; got ${parts}`];
  return ['PGRST301', 'No suitable key or wrong key type'];
}

/** What is wrong with the claims of a token; undefined when nothing is, or when they cannot be read. */
function claimFault(token: string): string | undefined {
  const payload = token.split('.')[1];
  if (payload === undefined || payload.length > 8192) return undefined;
  const claims = jsonObject(Buffer.from(payload, 'base64url').toString('utf8'));
  if (claims === undefined) return undefined;
  const time = ['exp', 'nbf', 'iat'].find((name) => !['number', 'undefined'].includes(typeof claims[name]));
  if (time !== undefined) return `The JWT '${time}' claim must be a number`;
  const { exp, nbf, aud = '' } = claims as { exp?: number; nbf?: number; aud?: unknown };
  if (![aud].flat().every((one) => typeof one === 'string')) {
    return "The JWT 'aud' claim must be a string or an array of strings";
  }
  const now = Date.now() / 1000;
  if (exp !== undefined && exp <= now) return 'JWT expired';
  return nbf !== undefined && nbf > now ? 'JWT not yet valid' : undefined;
}
