import type { User } from '@supabase/supabase-js';
import { useQuery } from '@tanstack/react-query';
import { customerQuery } from '../../business/billing/customers/customer-read.web.ts';
import { BillingTab } from '../../business/billing/site/billing-tab.web.tsx';
import { useChanges } from '../../business/files/list/change-subscription.web.ts';
import { deletionDueOf } from '../../platform/auth/account/deletion-notice.web.tsx';

/**
 * The Billing tab, which follows the same database changes as the files do (docs/specification/site.md §4).
 */
export function BillingPart({ user }: { user: User }) {
  const customer = useQuery(customerQuery(user.id));
  useChanges(user.id, customer.data?.customer_id ?? null);
  return <BillingTab userId={user.id} deletionDue={deletionDueOf(user)} />;
}
