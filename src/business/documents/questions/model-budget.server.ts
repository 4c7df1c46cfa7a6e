import type { Resources } from '../../../kernel/resources/resources.ts';

/** Tokens reserved for a question; `settle` replaces them by the real cost. */
export interface ReservedTokens {
  settle(tokens: number): Promise<void>;
}

/**
 * Reserves tokens for one question of a customer; undefined if the day's budget of the customer or of everybody is used
 * up. Reserved tokens count at once, so that questions at the same time do not spend the same tokens twice.
 */
export async function reserveTokens(
  { database, settings }: Pick<Resources, 'database' | 'settings'>,
  userId: string,
  tokens: number,
): Promise<ReservedTokens | undefined> {
  const { DOCUMENT_LLM_TOKENS: all, DOCUMENT_LLM_TOKENS_CUSTOMER: own } = settings;
  const day = await database.transaction(async (queries) => {
    // One after the other: otherwise each would read the sum without the other's tokens.
    await queries.run("select pg_advisory_xact_lock(hashtext('document_model_use'))");
    const { spent, mine, today } = await queries.one(
      `select coalesce(sum(tokens), 0)::float8 as spent /* not null */,
              coalesce(sum(tokens) filter (where user_id = $1), 0)::float8 as mine /* not null */,
              current_date::text as today /* not null */
         from private.document_model_use where day = current_date`,
      [userId],
    );
    if (spent + tokens > all || mine + tokens > own) return undefined;
    await queries.run(
      `insert into private.document_model_use as u (user_id, day, questions, tokens) values ($1, $2::date, 1, $3)
       on conflict (user_id, day) do update set questions = u.questions + 1, tokens = u.tokens + excluded.tokens`,
      [userId, today, tokens],
    );
    return today;
  });
  if (day === undefined) return undefined;
  return {
    async settle(used) {
      await database.run(
        'update private.document_model_use set tokens = greatest(0, tokens + $3) where user_id = $1 and day = $2::date',
        [userId, day, used - tokens],
      );
    },
  };
}
