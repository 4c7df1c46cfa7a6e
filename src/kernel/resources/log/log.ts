import pino from 'pino';
import type { LogPart, Settings } from '../../config/settings.ts';
import { traceFields } from '../tracing/active-trace.ts';

/** Structured JSON lines. Never pass a token, key, password or mail body to it. */
export type Log = pino.Logger;

/**
 * Creates a log on standard error at `level` (`LOG_LEVEL`). As a last guard it removes credentials from
 * headers and URLs.
 */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          '*.password',
          '*.access_token',
          '*.refresh_token',
          'headers.authorization',
          'headers.apikey',
          'headers.cookie',
        ],
        censor: '[cut]',
      },
      serializers: { err: safeError },
      mixin: traceFields,
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}

/**
 * The log of one part of the product, at the level that LOG_LEVELS gives it; its lines have the field `part`.
 */
export function logOfPart(log: Log, part: LogPart, settings: Pick<Settings, 'LOG_LEVELS'>): Log {
  const level = settings.LOG_LEVELS.find((pair) => pair.startsWith(`${part}=`))?.slice(part.length + 1);
  return log.child({ part }, level === undefined ? {} : { level });
}

/** An error for the log: pg errors carry row values in `detail`, so only what identifies the error is logged. */
function safeError(error: Error & { code?: unknown }): Record<string, unknown> {
  return { name: error.name, code: error.code, message: error.message, stack: error.stack };
}

/**
 * Addresses with a secret in them: rooms and monitors of calls, call-backs of providers of phone numbers,
 * previews of the site, and the embedded provider's payment and portal pages, which change and cancel a plan.
 * Also addresses with a do-not-call number, which is personal data.
 */
const PROVING_PART =
  /^(\/voice\/v1\/(?:(?:room|inbound|monitor)\/[^/]+|do-not-call)\/|\/site-preview\/|\/test-provider\/(?:pay|portal|v1\/checkout\/sessions|invoice\/[^/]+)\/)[^/]+/;
/**
 * Names of stored files are the customer's own words; addresses of lists and bulk signing name only a bucket.
 */
const FILE_NAME =
  /^(\/storage\/v1\/(?:object|cdn|s3|render\/image)\/(?!(?:list|list-v2|sign)\/[^/]+$)(?:[^/]+\/)+)[^/]+$/;

/**
 * The path of a URL without its query and without secret parts (signed URLs, links, call rooms, payment
 * pages, file names).
 */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return (end === -1 ? url : url.slice(0, end))
    .replace(PROVING_PART, '$1[cut]')
    .replace(FILE_NAME, '$1[cut]');
}
