import type { User } from '@supabase/supabase-js';
import { BookedCalls } from '../../business/bookings/booked-calls.web.tsx';
import { MessagesTab } from '../../business/messages/site/messages-tab.web.tsx';
import { personName } from '../../ui/people/person-name.ts';

/** The Messages tab, with the calls that the person has booked. */
export function MessagesPart({ user }: { user: User }) {
  return (
    <>
      <MessagesTab userId={user.id} name={personName(user)} />
      <BookedCalls userId={user.id} />
    </>
  );
}
