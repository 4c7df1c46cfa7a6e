import { restError } from '@northline/postgrest/rest-error';
import type { RestReply } from './reply-building.server.ts';
import type { Outcome } from './statement-execution.server.ts';

const NAME = /^[\w-]{1,100}$/;
const VALUE = /^[\x20-\x7e]{0,4000}$/;

/**
 * The reply with the status and headers that a function or trigger set in `response.status` and
 * `response.headers`, as in PostgREST.
 *
 * @throws ServiceError 500 PGRST111 or PGRST112 for anything but a status and headers
 */
export function withRequestedReply(outcome: Outcome, reply: RestReply): RestReply {
  const { status, headers } = outcome.reply ?? { status: null, headers: null };
  return {
    ...reply,
    ...(status === null ? {} : { status: wantedStatus(status) }),
    headers: { ...reply.headers, ...(headers === null ? {} : wantedHeaders(headers)) },
  };
}

function wantedStatus(text: string): number {
  const status = Number(text);
  if (Number.isInteger(status) && status >= 200 && status < 600) return status;
  throw restError(500, 'PGRST112', 'response.status guc must be a valid status code');
}

/** A name that is given twice has a list of values, as two `Set-Cookie` have. */
function wantedHeaders(text: string): Record<string, string | string[]> {
  const wrong = () =>
    restError(
      500,
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    );
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw wrong();
  }
  if (!Array.isArray(list)) throw wrong();
  const pairs = list.map((one: unknown) => {
    const entries = typeof one === 'object' && one !== null ? Object.entries(one) : [];
    const [name, value] = entries[0] ?? [];
    const right =
      entries.length === 1 && typeof value === 'string' && NAME.test(name ?? '') && VALUE.test(value);
    if (!right) throw wrong();
    return [String(name).toLowerCase(), value] as const;
  });
  const byName = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, [first, ...others]]) => {
      const value = first?.[1] ?? '';
      return [name, others.length === 0 ? value : [value, ...others.map(([, other]) => other)]];
    }),
  );
}
