import type { Plan } from '../../../kernel/contract/plans.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';

/** A subscription of the user that can still be changed. */
export interface OwnSubscription {
  readonly id: string;
  readonly plan: Plan;
  readonly status: string;
}

/**
 * The subscription that a request is about: the named one, or the first running one (documents before
 * courses).
 *
 * @throws ServiceError 404 `no_subscription` when the user has none, or not this one
 */
export async function ownSubscription(
  { database, site }: Pick<Resources, 'database' | 'site'>,
  userId: string | undefined,
  subscriptionId: string | undefined,
): Promise<OwnSubscription> {
  const rows = await database.many(
    `select s.subscription_id as id, s.price_id, s.status
     from public.subscriptions s join public.customers c on c.customer_id = s.customer_id
     where c.user_id = $1 and s.status not in ('canceled', 'incomplete_expired')
       and ($2::text is null or s.subscription_id = $2)
     order by s.price_id like 'price\\_documents\\_%' desc, s.status in ('active', 'trialing') desc, s.created_at desc`,
    [userId, subscriptionId ?? null],
  );
  const [row] = rows;
  const plan = site.plans.find(row?.price_id ?? '');
  if (row === undefined || plan === undefined) {
    throw new ServiceError(404, 'no_subscription', 'There is no subscription that could be changed.');
  }
  return { id: row.id, plan, status: row.status };
}
