import { rangeError } from '@northline/postgrest/query-parser';
import type { QueryTree } from '@northline/postgrest/query-tree';
import type { Preferences, Representation } from '@northline/postgrest/request-preferences';
import type { RestRequest } from './request-execution.server.ts';
import type { Outcome } from './statement-execution.server.ts';

/** A reply: status, headers and the body as text. */
export interface RestReply {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: string | undefined;
}

/** The reply to a read: 206 if the rows are a part of the counted ones. @throws ServiceError 416 for an offset beyond them */
export function readReply(
  tree: QueryTree,
  representation: Representation,
  outcome: Outcome,
  preferences: Preferences,
): RestReply {
  const { offset } = tree.root;
  const { total, page } = outcome;
  if (total !== undefined && offset > total) {
    throw rangeError(`An offset of ${offset} was requested, but there are only ${total} rows.`, total);
  }
  const partial = total !== undefined && page < total;
  return {
    status: partial ? 206 : 200,
    headers: {
      'content-type': representation.contentType,
      'content-range': `${page === 0 ? '*' : `${offset}-${offset + page - 1}`}/${total ?? '*'}`,
      ...applied(preferences),
    },
    body: outcome.body,
  };
}

/** The reply to a write. */
export function changeReply(
  request: RestRequest,
  preferences: Preferences,
  representation: Representation,
  outcome: Outcome,
): RestReply {
  const affected = outcome.total ?? 0;
  const count = preferences.count === undefined ? '*' : String(affected);
  const rows = request.method === 'PATCH' && affected > 0 ? `0-${affected - 1}` : '*';
  const place =
    outcome.location === undefined
      ? {}
      : { location: `/${encodeURIComponent(request.name)}?${outcome.location}` };
  const headers = { 'content-range': `${rows}/${count}`, ...place, ...applied(preferences) };
  const merged = preferences.resolution === 'merge-duplicates';
  const inserted = affected - (merged ? outcome.conflicts : 0);
  const created = merged && inserted === 0 ? 200 : 201;
  const made = request.method === 'POST' || request.method === 'PUT';
  if (preferences.returns !== 'representation') {
    return { status: request.method === 'POST' ? created : 204, headers, body: undefined };
  }
  return {
    status: made ? created : 200,
    headers: { ...headers, 'content-type': representation.contentType },
    body: outcome.body,
  };
}

/** The header that names the preferences that were followed. */
export function applied({ applied: words }: Pick<Preferences, 'applied'>): Record<string, string> {
  return words.length === 0 ? {} : { 'preference-applied': words.join(', ') };
}
