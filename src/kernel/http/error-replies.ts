import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SERVICES } from '../contract/routes.ts';
import { ServiceError } from '../contract/service-error.ts';
import type { Log } from '../resources/log/log.ts';
import { SLOW_REQUEST } from './slow-bodies.ts';

type ErrorBody = (
  error: ServiceError,
  request: FastifyRequest,
) => {
  status: number;
  body: Record<string, unknown>;
  headers?: Record<string, string>;
};

const AUTH_API_VERSION = '2024-01-01';

/**
 * Auth: a superset of both body generations; the code is a string when the new version is asked for
 * (docs/contracts/platform.md §1).
 */
const authError: ErrorBody = (error, request) => {
  const asked = String(request.headers['x-supabase-api-version'] ?? '');
  const modern = /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= AUTH_API_VERSION;
  return {
    status: error.status,
    body: {
      ...error.details,
      code: modern ? error.code : error.status,
      error_code: error.code,
      message: error.message,
      msg: error.message,
    },
    headers: {
      'x-sb-error-code': error.code,
      ...(modern ? { 'x-supabase-api-version': AUTH_API_VERSION } : {}),
    },
  };
};

/** Storage: HTTP 400 for most, the true status as a string in the body (docs/contracts/platform.md §3). */
const storageError: ErrorBody = (error) => {
  const slow = error.code === SLOW_REQUEST;
  const kept = error.status >= 500 || error.status === 429 || error.status === 416 || slow;
  const { error: name, ...details } = error.details;
  return {
    status: kept ? error.status : 400,
    body: {
      ...details,
      statusCode: String(error.status),
      error: name ?? error.code,
      code: error.code,
      message: error.message,
    },
  };
};

/** The framework's codes for bodies that cannot be used; the data service has one code for all of them. */
const BODY_ERRORS = new Set(['body_too_large', 'unsupported_media_type', 'bad_json', 'bad_request']);

/** Data: the shape of PostgREST (docs/contracts/platform.md §4), with the code in a header too (RFC 9209). */
const restError: ErrorBody = (error) => {
  const code = BODY_ERRORS.has(error.code) ? 'PGRST102' : error.code;
  const { details = null, hint = null } = error.details;
  return {
    status: error.status,
    body: { code, message: error.message, details, hint },
    headers: /^\w+$/.test(code) ? { 'proxy-status': `PostgREST; error=${code}` } : {},
  };
};

/** Voice: the shape that the platform's own clients read (docs/contracts/voice.md §3). */
const voiceError: ErrorBody = (error) => ({
  status: error.status,
  body: {
    ...error.details,
    message: error.message,
    error: STATUS_CODES[error.status] ?? 'Error',
    statusCode: error.status,
    code: error.code,
  },
});

/**
 * Functions and our other routes: `error` is the sentence (docs/specification/site.md §7), `code` the
 * machine-readable word.
 */
const plainError: ErrorBody = (error) => ({
  status: error.status,
  body: { ...error.details, error: error.message, code: error.code },
});

/** Chooses the shape by the first part of the path. */
function shapeFor(path: string): ErrorBody {
  if (path.startsWith(SERVICES.auth)) return authError;
  if (path.startsWith(SERVICES.storage)) return storageError;
  if (path.startsWith(SERVICES.rest)) return restError;
  if (path.startsWith(SERVICES.voice)) return voiceError;
  return plainError;
}

/** Turns any thrown value into a ServiceError: framework errors keep their status, the rest is an internal error. */
function asServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const { statusCode, code } = thrown as { statusCode?: number; code?: string };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const known = FRAMEWORK_ERRORS[code ?? ''];
    return new ServiceError(
      statusCode,
      known?.[0] ?? 'bad_request',
      known?.[1] ?? 'The request cannot be understood.',
    );
  }
  const limit = DATABASE_LIMITS[code ?? ''];
  if (limit !== undefined) {
    const [status, name, message] = limit;
    const headers = status === 503 ? { 'retry-after': '1' } : {};
    return new ServiceError(status, name, message, { cause: thrown, headers });
  }
  return new ServiceError(500, 'unexpected_failure', 'Something went wrong on our side. Please try again.', {
    cause: thrown,
  });
}

/**
 * Replies for errors by which the database reports its own limits, by SQLSTATE. The program is not at fault,
 * and the caller may retry.
 */
const DATABASE_LIMITS: Record<string, [status: number, code: string, message: string]> = {
  '53100': [503, 'storage_full', 'The service has no room left at the moment. Please try again later.'],
  '57014': [504, 'statement_timeout', 'That took too long. Please ask for less at a time.'],
};

const FRAMEWORK_ERRORS: Record<string, [code: string, message: string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The request body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The content type is not supported.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['bad_json', 'Could not parse the request body as JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['bad_json', 'The request body is empty.'],
  SyntaxError: ['bad_json', 'Could not parse the request body as JSON.'],
};

/** The one place where errors become replies. */
export function createErrorHandler(log: Log) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = asServiceError(thrown);
    if (error.status >= 500) {
      log.error({ err: error.cause ?? error, request: request.id }, 'a request failed');
    }
    const path = request.url.split('?', 1)[0] ?? '';
    const { status, body, headers } = shapeFor(path)(error, request);
    return reply
      .code(status)
      .headers({ ...error.headers, ...headers, 'x-request-id': request.id })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body));
  };
}
