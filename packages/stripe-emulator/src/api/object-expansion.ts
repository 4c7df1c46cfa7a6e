import type { Queries } from '../queries.ts';

const MAX_DEPTH = 4;

/**
 * Replaces ids by their objects along paths such as `data.default_payment_method` (`expand` of the API).
 * Values that are not ids of stored objects stay as they are.
 */
export async function expandObjects<Value>(
  queries: Queries,
  value: Value,
  paths: readonly string[],
): Promise<Value> {
  let result: unknown = value;
  for (const path of paths) result = await expandPath(queries, result, path.split('.').slice(0, MAX_DEPTH));
  return result as Value;
}

async function expandPath(queries: Queries, value: unknown, path: string[]): Promise<unknown> {
  if (Array.isArray(value)) {
    const entries: unknown[] = [];
    for (const entry of value) entries.push(await expandPath(queries, entry, path));
    return entries;
  }
  if (typeof value === 'string') {
    const row = await queries.maybe('select data from private.provider_objects where id = $1', [value]);
    return row === undefined ? value : expandPath(queries, row.data, path);
  }
  const [field, ...rest] = path;
  if (field === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) {
    return value;
  }
  const inner = (value as Record<string, unknown>)[field];
  return { ...value, [field]: await expandPath(queries, inner, rest) };
}
