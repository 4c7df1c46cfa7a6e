import { ServiceError } from '@northline/service-error/service-error';

/** An error in the shape of the data service: `{code, message, details, hint}` (docs/contracts/platform.md §4). */
export function restError(
  status: number,
  code: string,
  message: string,
  extra: {
    details?: unknown;
    hint?: string | null;
    headers?: Record<string, string>;
    /** Words for the status line of HTTP/1.1, in place of the usual ones. */
    statusText?: string;
    cause?: unknown;
  } = {},
): ServiceError {
  const { details = null, hint = null, statusText } = extra;
  return new ServiceError(status, code, message, {
    details: { details, hint, ...(statusText === undefined ? {} : { statusText }) },
    headers: extra.headers ?? {},
    ...(extra.cause === undefined ? {} : { cause: extra.cause }),
  });
}

/** 400 PGRST100: a part of the query string that cannot be read. `column` counts from 1. */
export function parseError(what: string, text: string, column: number, details: string): ServiceError {
  return restError(400, 'PGRST100', `"failed to parse ${what} (${text})" (line 1, column ${column})`, {
    details,
  });
}

/** 400 PGRST102: a body that cannot be used. */
export function bodyError(message: string): ServiceError {
  return restError(400, 'PGRST102', message, { details: null });
}
