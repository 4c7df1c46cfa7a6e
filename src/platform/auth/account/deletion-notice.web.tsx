import type { User } from '@supabase/supabase-js';
import { useEffect } from 'react';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import { useSubmission } from '../site/submission.web.ts';

const KEEP_ACCOUNT = '/functions/v1/keep-account';

/** When the account will be deleted, ISO 8601; undefined if that is not planned. */
export const deletionDueOf = (user: User): string | undefined =>
  (user as User & { deletion_due_at?: string }).deletion_due_at;

/**
 * Shown above every tab of an account whose deletion is planned: the day, and a button to keep the account.
 */
export function DeletionNotice({ user }: { user: User }) {
  const { busy, error, run } = useSubmission(() => {});
  const due = deletionDueOf(user);
  const isPlanned = due !== undefined;
  useEffect(() => {
    // The account may have been kept elsewhere since, for example by the link in the mail.
    if (isPlanned) void reloadSession().catch(() => {});
  }, [isPlanned]);
  if (due === undefined) return null;
  const keep = (): Promise<void> =>
    run(async () => {
      await callServer(KEEP_ACCOUNT, { as: 'user', body: {} });
      await reloadSession();
    });
  return (
    <section className="panel pad deletion-notice" aria-label="Planned deletion" role="status">
      <p>
        <b>This account will be deleted on {formatDate(new Date(due))}</b>, as was asked for. Until then
        nothing of it is deleted. Plans end with it.
      </p>
      <Button busy={busy} onClick={() => void keep()}>
        Keep this account
      </Button>
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}

/** Reloads the account, so that every part of the page shows its current state. @throws AuthError */
export async function reloadSession(): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.refreshSession();
  if (error !== null) throw error;
}
