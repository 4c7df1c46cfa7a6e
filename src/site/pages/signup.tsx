import '../../platform/auth/site/sign-in.css';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { usePayerEmail } from '../../business/billing/checkout/checkout-outcome.web.ts';
import { invitedWords, useInvitation } from '../../business/teams/site/team-invited.web.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { SignInChoices } from '../../platform/auth/providers/sign-in-choices.web.tsx';
import { AccountDialog } from '../../platform/auth/site/account-dialog.web.tsx';
import { resolveLanding } from '../../platform/auth/site/landing-resolution.web.ts';
import { LinkFailure } from '../../platform/auth/site/link-failure.web.tsx';
import { MailCodeForm } from '../../platform/auth/site/mail-code-form.web.tsx';
import { SignupForm } from '../../platform/auth/site/sign-up-form.web.tsx';
import { site } from '../../ui/brand.ts';
import { ButtonLink } from '../../ui/parts/button.tsx';
import { checkoutSession, usePostLogin } from '../app/post-login.ts';

/**
 * /signup: creates an account, and with `session_id` links the payment that was made before it
 * (docs/specification/site.md §2, §7).
 */
export default function SignupPage() {
  const [busy, setBusy] = useState(false);
  /** The address to which the confirmation was sent. */
  const [mailed, setMailed] = useState<string>();
  const entrance = usePostLogin();
  const { enter } = entrance;
  const payer = usePayerEmail(checkoutSession);
  const invitation = useInvitation(entrance.state.next);
  useEffect(() => {
    let left = false;
    void resolveLanding().then(({ kind }) => {
      if (!left && kind === 'session') void enter();
    });
    return () => {
      left = true;
    };
  }, [enter]);
  if (entrance.linkFailed) return <LinkFailure onRetry={enter} />;
  if (mailed !== undefined) {
    return (
      <AccountDialog
        heading="Check your email"
        lead="We sent you a link. Open it to confirm your address; then you can sign in."
        busy={busy}
      >
        <MailCodeForm email={mailed} type="signup" onBusy={setBusy} onVerified={enter} />
        <p className="account-acts">
          <ButtonLink look="quiet" href={`${PAGES.login.path}${entrance.query}`} state={entrance.state}>
            Return to login
          </ButtonLink>
        </p>
      </AccountDialog>
    );
  }
  return (
    <AccountDialog
      heading="Create Your Account"
      lead={
        entrance.paid
          ? 'Your payment was received. This account will hold what you bought.'
          : invitation !== undefined
            ? `${invitedWords(invitation)} Create the account with ${invitation.email}.`
            : 'Free: you pay only for a plan.'
      }
      busy={busy}
    >
      <p className="free-note">{site.freeNote}</p>
      <p className="free-terms">
        Once for each email address, and for at most three new accounts a day from one network.
      </p>
      <SignupForm
        email={payer || (invitation?.email ?? '')}
        onBusy={setBusy}
        onConfirmationSent={setMailed}
        onSignedUp={enter}
      />
      <SignInChoices withPasskey={false} query={entrance.query} onBusy={setBusy} onSignedIn={enter} />
      <p className="account-other">
        Have an account already?{' '}
        <Link href={`${PAGES.login.path}${entrance.query}`} state={entrance.state}>
          Sign in
        </Link>
      </p>
    </AccountDialog>
  );
}
