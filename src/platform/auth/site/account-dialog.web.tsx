import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../../../ui/parts/dialog.tsx';
import { AccountBoard } from './account-board.web.tsx';

interface AccountDialogProps {
  readonly heading: string;
  readonly lead?: ReactNode;
  readonly busy?: boolean;
  readonly children: ReactNode;
}

/**
 * The frame of the account pages: a full-screen dialog; closing it leads to the home page
 * (docs/specification/site.md §2).
 */
export function AccountDialog({ heading, lead, busy = false, children }: AccountDialogProps) {
  const [, navigate] = useLocation();
  return (
    <Dialog
      heading={heading}
      lead={lead}
      busy={busy}
      page
      board={<AccountBoard />}
      onClose={() => navigate('/')}
    >
      <noscript>
        <p className="form-error no-script">
          Signing in needs JavaScript, which is switched off in this browser.
        </p>
      </noscript>
      {children}
    </Dialog>
  );
}
