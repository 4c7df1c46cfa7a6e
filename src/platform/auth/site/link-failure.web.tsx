import { useState } from 'react';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { AccountDialog } from './account-dialog.web.tsx';

/**
 * The account is ready, but linking the payment to it failed: the person can retry, or continue without it.
 */
export function LinkFailure({ onRetry }: { onRetry: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const retry = async (): Promise<void> => {
    setBusy(true);
    await onRetry();
    setBusy(false);
  };
  return (
    <AccountDialog
      heading={MESSAGES.linkCustomer.failed}
      lead="You are signed in, but your payment could not be joined to this account. Nothing is lost: try again, or sign in with the email address that you paid with."
      busy={busy}
    >
      <p className="account-acts" role="alert">
        <Button look="signal" busy={busy} onClick={() => void retry()}>
          Try again
        </Button>
        <ButtonLink look="quiet" href={PAGES.dashboard.path}>
          Go to the dashboard
        </ButtonLink>
      </p>
    </AccountDialog>
  );
}
