import '../styles/account.css';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { AccountDialog } from '../../features/auth/account-dialog.web.tsx';
import { arrive } from '../../features/auth/arrive.web.ts';
import { LinkFailure } from '../../features/auth/link-failure.web.tsx';
import { SignInChoices } from '../../features/auth/providers/sign-in-choices.web.tsx';
import { SignupForm } from '../../features/auth/signup-form.web.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { useEntrance } from '../session/use-entrance.ts';

/** /signup: a new account, and with `session_id` the payment that was made before it (`spec/site.md §2, §7`). */
export default function SignupPage() {
  const [busy, setBusy] = useState(false);
  const [mailed, setMailed] = useState(false);
  const entrance = useEntrance();
  const { enter } = entrance;
  useEffect(() => {
    let left = false;
    void arrive().then(({ kind }) => {
      if (!left && kind === 'session') void enter();
    });
    return () => {
      left = true;
    };
  }, [enter]);
  if (entrance.linkFailed) return <LinkFailure onRetry={enter} />;
  if (mailed) {
    return (
      <AccountDialog
        heading="Check your email"
        lead="We sent you a link. Open it to confirm your address; then you can sign in."
      >
        <p className="account-acts">
          <ButtonLink look="signal" href={`${PAGES.login.path}${entrance.query}`}>
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
          : 'Free: you pay only for a plan.'
      }
      busy={busy}
    >
      <SignupForm onBusy={setBusy} onConfirmationSent={() => setMailed(true)} onSignedUp={enter} />
      <SignInChoices withPasskey={false} query={entrance.query} onBusy={setBusy} onSignedIn={enter} />
      <p className="account-other">
        Have an account already? <Link href={`${PAGES.login.path}${entrance.query}`}>Sign in</Link>
      </p>
    </AccountDialog>
  );
}
