import type { Resources } from '../../kernel/resources/resources.ts';

/** What calls, tests and previews within 24 hours have cost by a stored credential, US dollars. */
export async function spentBy(
  { database }: Pick<Resources, 'database'>,
  credentialId: string,
): Promise<number> {
  const { spent } = await database.one(
    `select coalesce(sum((c ->> 'cost')::float8), 0) as spent from (
       select jsonb_array_elements(body -> 'costs') as c from private.voice_records
        where kind = 'call' and created_at > now() - interval '24 hours' and jsonb_typeof(body -> 'costs') = 'array'
       union all
       select jsonb_array_elements(costs) from private.voice_trial_costs
        where at > now() - interval '24 hours') spending
      where c ->> 'credentialId' = $1`,
    [credentialId],
  );
  return Number(spent ?? 0);
}
