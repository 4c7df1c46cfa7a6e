import { useQuery } from '@tanstack/react-query';
import { operatorQuery } from '../../operator/console/operator-client.web.ts';
import type { OperatorOverview } from '../../operator/operator.contract.ts';
import { UnreadCount } from '../site/unread-count.web.tsx';

/** Messages of all customers that nobody of the agency has read; nothing for who is no operator. */
export function DeskUnread() {
  const { data } = useQuery(operatorQuery<OperatorOverview>('overview'));
  return <UnreadCount count={data?.unreadMessages ?? 0} />;
}
