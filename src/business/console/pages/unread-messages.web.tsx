import { useQuery } from '@tanstack/react-query';
import { UnreadCount } from '../../messages/site/unread-count.web.tsx';
import type { OperatorOverview } from '../console.contract.ts';
import { operatorQuery } from '../parts/operator-client.web.ts';

/** How many messages of customers the agency has not read yet; shown to operators only. */
export function UnreadMessages() {
  const { data } = useQuery(operatorQuery<OperatorOverview>('overview'));
  return <UnreadCount count={data?.unreadMessages ?? 0} />;
}

/** A dot while the operator writes on the site and has not published it. */
export function SiteDraftMark() {
  const { data } = useQuery(operatorQuery<OperatorOverview>('overview'));
  return data?.siteDraft === true ? (
    <span className="draft-mark">
      <span className="hidden-text">, unpublished draft</span>
    </span>
  ) : null;
}
