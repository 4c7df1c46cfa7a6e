import type { SubscriptionObject } from '../object-shapes.server.ts';
import { atCustomersTime } from '../provider-clock.server.ts';
import { type Change, lockObject } from '../provider-store.server.ts';
import { type ApiCall, found, invalid } from '../route-descriptions.server.ts';

/**
 * A subscription that can still be changed, locked, with the change at its customer's time.
 *
 * @throws ServiceError as the API answers for a missing or an ended subscription
 */
export async function livingSubscription(
  call: Pick<ApiCall, 'change' | 'id'>,
): Promise<{ subscription: SubscriptionObject; change: Change }> {
  const { id } = call;
  const { data } = found(await lockObject(call.change.queries, 'subscription', id), 'subscription', id);
  if (data.status === 'canceled' || data.status === 'incomplete_expired') {
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.', 'id');
  }
  return {
    subscription: data as SubscriptionObject,
    change: await atCustomersTime(call.change, data.customer),
  };
}
