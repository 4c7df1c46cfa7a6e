import { connectAsOwner } from './owner-connection.ts';

/** Gives a person credits and a plan with `storageMb` of storage, as if paid for. */
export async function giveCredits(
  dataDir: string,
  userId: string,
  credits: number,
  storageMb: number,
): Promise<void> {
  const owner = await connectAsOwner(dataDir);
  try {
    const { rows } = await owner.query<{ id: string }>(
      `insert into public.customers (user_id, customer_id) values ($1::uuid, 'cus_bench_' || $1::text)
       on conflict (user_id) do update set updated_at = now() returning id`,
      [userId],
    );
    await owner.query(
      `select private.grant_credits($1, $2, 'in_bench_' || gen_random_uuid(), 'Bench', 'sub_bench',
                                    now(), now() + interval '1 month', now() + interval '1 month')`,
      [rows[0]?.id, credits],
    );
    if (storageMb > 1000) {
      await owner.query(
        `insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status)
         values ('cus_bench_' || $1::text, 'sub_bench_' || $1::text, 'price_courses_enterprise', 'enterprise', 'active')
         on conflict do nothing`,
        [userId],
      );
    }
  } finally {
    await owner.end();
  }
}
