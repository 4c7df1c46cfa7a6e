import type pg from 'pg';

const names = new Map<string, string>();

/**
 * Marks a statement that runs at nearly every request, so that each connection parses and plans it once. For
 * fixed texts only, because prepared statements belong to a connection.
 *
 * @returns the same text
 */
export function prepared<Text extends string>(text: Text): Text {
  if (!names.has(text)) names.set(text, `northline_${names.size + 1}`);
  return text;
}

/** The plan is older than a migration that changed one of its tables (feature_not_supported). */
const STALE_PLAN = '0A000';

/** Runs one statement outside of a transaction, with its prepared plan when it was marked. */
export async function runPrepared<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<Row>> {
  const name = names.get(text);
  if (name === undefined) return client.query<Row>(text, [...values]);
  try {
    return await client.query<Row>({ name, text, values: [...values] });
  } catch (error) {
    if ((error as { code?: string }).code !== STALE_PLAN) throw error;
    // PostgreSQL refused it before it did anything; the plan stays stale until the connection is opened
    // again.
    return client.query<Row>(text, [...values]);
  }
}
