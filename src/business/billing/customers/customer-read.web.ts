import { queryOptions } from '@tanstack/react-query';
import { ownTables, supabase } from '../../../ui/session/client.ts';

/** The user's account with the payment provider (docs/specification/site.md §3). */
export interface Customer {
  readonly customer_id: string | null;
  /** Documents that can still be uploaded. */
  readonly credits: number;
}

/**
 * The user's customer row, or null for a user who never bought anything.
 *
 * @throws the service's error
 */
export async function readCustomer(userId: string): Promise<Customer | null> {
  const client = await supabase();
  const { data, error } = await client
    .from('customers')
    .select('credits, customer_id')
    .eq('user_id', userId)
    .maybeSingle<Customer>();
  if (error !== null) throw error;
  return data;
}

/** `readCustomer` as a query of the dashboard. */
export function customerQuery(userId: string) {
  return queryOptions({ queryKey: ['customer', userId], queryFn: () => readCustomer(userId) });
}

/**
 * Credits of the user's team, which its payer provides; 0 without a team, and when the service does not know
 * teams.
 */
export async function readTeamCredits(): Promise<number> {
  const { data, error } = await (await ownTables()).rpc('team_credits');
  return error === null && typeof data === 'number' ? data : 0;
}

/** `readTeamCredits` as a query of the dashboard. */
export function teamCreditsQuery(userId: string) {
  return queryOptions({ queryKey: ['team', userId, 'credits'], queryFn: readTeamCredits });
}
