import pino from 'pino';
import type { LogPart, Settings } from '../../config/settings.ts';
import { traceFields } from '../tracing/active-trace.ts';

/** Structured JSON lines. Never pass a token, key, password or mail body to it. */
export type Log = pino.Logger;

/** A log on standard error at `level` (`LOG_LEVEL`). Credentials in headers and URLs are cut out as a last guard. */
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

/** The log of one part of the product, at the level that LOG_LEVELS gives it; its lines say `part`. */
export function logOfPart(log: Log, part: LogPart, settings: Pick<Settings, 'LOG_LEVELS'>): Log {
  const level = settings.LOG_LEVELS.find((pair) => pair.startsWith(`${part}=`))?.slice(part.length + 1);
  return log.child({ part }, level === undefined ? {} : { level });
}

/** An error for the log: pg errors carry row values in `detail`, so only what identifies the error is logged. */
function safeError(error: Error & { code?: unknown }): Record<string, unknown> {
  return { name: error.name, code: error.code, message: error.message, stack: error.stack };
}

/**
 * Addresses of which one part is the proof: rooms and monitors of calls, what providers of phone numbers call, previews
 * of the site, and the payment and portal pages of the embedded provider, which change and cancel a plan. The number of
 * who is not to be called is a person's.
 */
const PROVING_PART =
  /^(\/voice\/v1\/(?:(?:room|inbound|monitor)\/[^/]+|do-not-call)\/|\/site-preview\/|\/test-provider\/(?:pay|portal|v1\/checkout\/sessions|invoice\/[^/]+)\/)[^/]+/;
/** The names of stored files are the customer's own words; lists and bulk signing name a bucket only. */
const FILE_NAME =
  /^(\/storage\/v1\/(?:object|cdn|s3|render\/image)\/(?!(?:list|list-v2|sign)\/[^/]+$)(?:[^/]+\/)+)[^/]+$/;

/** The path of a URL without its query and without the parts that are tokens (signed URLs, links, rooms of calls, payment pages, file names). */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return (end === -1 ? url : url.slice(0, end))
    .replace(PROVING_PART, '$1[cut]')
    .replace(FILE_NAME, '$1[cut]');
}
