import '../styles/account.css';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { AccountDialog } from '../../features/auth/account-dialog.web.tsx';
import { arrive } from '../../features/auth/arrive.web.ts';
import { LinkFailure } from '../../features/auth/link-failure.web.tsx';
import { LoginForm } from '../../features/auth/login-form.web.tsx';
import { SignInChoices } from '../../features/auth/providers/sign-in-choices.web.tsx';
import { ResetForm } from '../../features/auth/reset-form.web.tsx';
import { Button } from '../parts/button.tsx';
import { useEntrance } from '../session/use-entrance.ts';

type View = 'login' | 'reset' | 'sent';

const HEADINGS: Record<View, string> = {
  login: 'Welcome Back!',
  reset: 'Reset Your Password',
  sent: 'Password Reset Email Sent',
};

const LEADS: Record<View, string> = {
  login: 'Sign in to your documents and billing.',
  reset:
    'Enter the email address of your account. We send you a link that opens this site with a new password to choose.',
  sent: 'If an account with that address exists, the link is on its way. It works once and for one hour.',
};

/** /login: sign in, or ask for a new password (`spec/site.md §2`). */
export default function LoginPage() {
  const [, navigate] = useLocation();
  const [view, setView] = useState<View>('login');
  const [busy, setBusy] = useState(false);
  const [linkError, setLinkError] = useState<string>();
  const entrance = useEntrance();
  const { enter } = entrance;
  useEffect(() => {
    let left = false;
    void arrive().then((arrival) => {
      if (left) return;
      if (arrival.kind === 'error') setLinkError(arrival.message);
      if (arrival.kind === 'recovery') navigate(PAGES.resetPassword.path, { replace: true });
      if (arrival.kind === 'session') void enter();
    });
    return () => {
      left = true;
    };
  }, [enter, navigate]);
  if (entrance.linkFailed) return <LinkFailure onRetry={enter} />;
  return (
    <AccountDialog heading={HEADINGS[view]} lead={LEADS[view]} busy={busy}>
      {view === 'login' && (
        <>
          <LoginForm
            linkError={linkError}
            onBusy={setBusy}
            onForgot={() => setView('reset')}
            onSignedIn={enter}
          />
          <SignInChoices withPasskey query={entrance.query} onBusy={setBusy} onSignedIn={enter} />
          <p className="account-other">
            New here? <Link href={`${PAGES.signup.path}${entrance.query}`}>Create a free account</Link>
          </p>
        </>
      )}
      {view === 'reset' && (
        <ResetForm onBusy={setBusy} onSent={() => setView('sent')} onReturn={() => setView('login')} />
      )}
      {view === 'sent' && (
        <p className="account-acts">
          <Button look="signal" onClick={() => setView('login')}>
            Return to login
          </Button>
        </p>
      )}
    </AccountDialog>
  );
}
