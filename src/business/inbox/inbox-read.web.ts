import { queryOptions } from '@tanstack/react-query';
import { callServer } from '../../ui/session/server-call.ts';
import { INBOX_FUNCTIONS, type InboxOff, type InboxView, PROOF_FRAGMENT } from './inbox.contract.ts';

/** How often the list is read while it is shown, ms: mails come without the browser's doing. */
const POLL = 30_000;

/** The customer's documents by mail; null where the installation takes none. */
export function inboxQuery(userId: string) {
  return queryOptions({
    queryKey: ['inbox', userId],
    refetchInterval: POLL,
    queryFn: async (): Promise<InboxView | null> => {
      const reply = await callServer(INBOX_FUNCTIONS.read, { as: 'user' });
      const inbox = (await reply.json()) as InboxView | InboxOff;
      return 'off' in inbox ? null : inbox;
    },
  });
}

/** Changes something; returns what the customer sees after it. @throws CallRefused */
export async function changeInbox(
  name: Exclude<keyof typeof INBOX_FUNCTIONS, 'read'>,
  body: object,
): Promise<InboxView> {
  return (await (await callServer(INBOX_FUNCTIONS[name], { as: 'user', body })).json()) as InboxView;
}

/** The secret of the proof in an address such as `/dashboard#mail-sender=…`; else empty. */
export function proofOf(address: string): string {
  const fragment = address.slice(address.indexOf('#') + 1);
  return fragment.startsWith(PROOF_FRAGMENT) ? fragment.slice(PROOF_FRAGMENT.length) : '';
}
