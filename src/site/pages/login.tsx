import '../../platform/auth/site/sign-in.css';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { invitedWords, useInvitation } from '../../business/teams/site/team-invited.web.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { SignInChoices } from '../../platform/auth/providers/sign-in-choices.web.tsx';
import { AccountDialog } from '../../platform/auth/site/account-dialog.web.tsx';
import { resolveLanding } from '../../platform/auth/site/landing-resolution.web.ts';
import { LinkFailure } from '../../platform/auth/site/link-failure.web.tsx';
import { LoginForm } from '../../platform/auth/site/login-form.web.tsx';
import { MailCodeForm } from '../../platform/auth/site/mail-code-form.web.tsx';
import { ResetForm } from '../../platform/auth/site/password-reset-form.web.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { usePostLogin } from '../app/post-login.ts';

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

const ENDED = 'Your session has ended. Sign in again to go on where you were.';

/** /login: sign in, or ask for a new password (docs/specification/site.md §2). */
export default function LoginPage() {
  const [, navigate] = useLocation();
  const [view, setView] = useState<View>('login');
  const [email, setEmail] = useState('');
  const [busy, setBusy] = useState(false);
  const [linkError, setLinkError] = useState<string>();
  const [ended, setEnded] = useState(false);
  // In an effect, because the printed page has no history.
  useEffect(() => setEnded((history.state as { ended?: boolean } | null)?.ended === true), []);
  const entrance = usePostLogin();
  const { enter } = entrance;
  const invitation = useInvitation(entrance.state.next);
  useEffect(() => {
    let left = false;
    void resolveLanding().then((arrival) => {
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
    <AccountDialog
      heading={view === 'login' && invitation ? `Join ${invitation.team}` : HEADINGS[view]}
      lead={
        view !== 'login'
          ? LEADS[view]
          : invitation !== undefined
            ? `${invitedWords(invitation)} Sign in with ${invitation.email}.`
            : ended
              ? ENDED
              : LEADS.login
      }
      busy={busy}
    >
      {view === 'login' && (
        <>
          <LoginForm
            linkError={linkError}
            email={invitation?.email ?? ''}
            onBusy={setBusy}
            onForgot={(typed) => {
              setEmail(typed);
              setView('reset');
            }}
            onSignedIn={enter}
          />
          <SignInChoices withPasskey query={entrance.query} onBusy={setBusy} onSignedIn={enter} />
          <p className="account-other">
            New here?{' '}
            <Link href={`${PAGES.signup.path}${entrance.query}`} state={entrance.state}>
              Create a free account
            </Link>
          </p>
        </>
      )}
      {view === 'reset' && (
        <ResetForm
          email={email}
          onBusy={setBusy}
          onSent={(address) => {
            setEmail(address);
            setView('sent');
          }}
          onReturn={() => setView('login')}
        />
      )}
      {view === 'sent' && (
        <>
          <MailCodeForm
            email={email}
            type="recovery"
            onBusy={setBusy}
            onVerified={() => navigate(PAGES.resetPassword.path, { replace: true })}
          />
          <p className="account-acts">
            <Button look="quiet" onClick={() => setView('login')}>
              Return to login
            </Button>
          </p>
        </>
      )}
    </AccountDialog>
  );
}
