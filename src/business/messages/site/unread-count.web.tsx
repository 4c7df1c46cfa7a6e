import { useQuery } from '@tanstack/react-query';
import { unreadQuery, useMessageChanges } from './message-read.web.ts';

/** How many messages wait, beside the name of a tab; nothing where none does. */
export function UnreadCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <>
      {' '}
      <b className="tab-count num">
        {count > 99 ? '99+' : count}
        <span className="hidden-text"> unread</span>
      </b>
    </>
  );
}

/** The agency's messages that a customer has not read, as they come. */
export function CustomerUnread({ userId }: { userId: string }) {
  useMessageChanges(userId);
  return <UnreadCount count={useQuery(unreadQuery(userId)).data ?? 0} />;
}
