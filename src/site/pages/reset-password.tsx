import '../../platform/auth/site/sign-in.css';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { PAGES } from '../../kernel/contract/routes.ts';
import { needsSecondFactor } from '../../platform/auth/account/factor-gate.web.tsx';
import { SecondFactorQuestion } from '../../platform/auth/account/second-factor-form.web.tsx';
import { AccountDialog } from '../../platform/auth/site/account-dialog.web.tsx';
import { ChoosePasswordForm } from '../../platform/auth/site/password-choice-form.web.tsx';
import { ButtonLink } from '../../ui/parts/button.tsx';
import { useSession } from '../../ui/session/session.ts';

/**
 * The page that a recovery link opens: sets a new password for the session of that link. An account with a
 * second factor is asked for it first, because the server changes its password only then.
 */
export default function ResetPasswordPage() {
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const session = useSession();
  if (session.status === 'signed-out') {
    return (
      <AccountDialog
        heading="This page needs the link from your email"
        lead="The link has expired, was used already, or was opened in another browser. Ask for a new one."
      >
        <p className="account-acts">
          <ButtonLink look="signal" href={PAGES.login.path}>
            Return to login
          </ButtonLink>
        </p>
      </AccountDialog>
    );
  }
  if (session.status === 'signed-in' && needsSecondFactor(session.session)) {
    return (
      <AccountDialog heading="Confirm that it is you" lead="Then you choose your new password.">
        <SecondFactorQuestion />
      </AccountDialog>
    );
  }
  return (
    <AccountDialog heading="Choose a new password" lead="It replaces the old one at once." busy={busy}>
      <ChoosePasswordForm
        onBusy={setBusy}
        onChanged={() => {
          navigate(PAGES.dashboard.path, { replace: true, state: { say: 'Your password was changed' } });
        }}
      />
    </AccountDialog>
  );
}
