import { useQuery } from '@tanstack/react-query';
import { UnreadCount } from '../../messages/site/unread-count.web.tsx';
import type { OperatorOverview } from '../console.contract.ts';
import { operatorQuery } from '../parts/operator-client.web.ts';

/** Messages of all customers that nobody of the agency has read; nothing for who is no operator. */
export function UnreadMessages() {
  const { data } = useQuery(operatorQuery<OperatorOverview>('overview'));
  return <UnreadCount count={data?.unreadMessages ?? 0} />;
}
