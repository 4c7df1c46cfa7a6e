import '../styles/dashboard.css';
import '../styles/operator.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { OperatorDesk } from '../../features/operator/operator-desk.web.tsx';
import { Button } from '../parts/button.tsx';
import { OperatorBar } from '../parts/operator-bar.tsx';
import { isLeaving } from '../session/client.ts';
import { queriesOf } from '../session/queries.ts';
import { useSession } from '../session/use-session.ts';

/** /operator and its rooms: the agency's desk. Who may see anything is decided by the server. */
export default function OperatorPage() {
  const session = useSession();
  const [path, navigate] = useLocation();
  const isOut = session.status === 'signed-out';
  useEffect(() => {
    if (isOut && !isLeaving()) navigate(PAGES.login.path, { replace: true, state: { next: path } });
  }, [isOut, path, navigate]);
  if (session.status === 'signed-in') {
    return (
      <QueryClientProvider client={queriesOf(session.session.user.id)}>
        <Frame path={path}>
          <OperatorDesk path={path} />
        </Frame>
      </QueryClientProvider>
    );
  }
  return (
    <Frame path={path}>
      {session.status === 'unreachable' ? (
        <div className="panel empty" role="alert">
          <h1>The desk could not be reached</h1>
          <p className="meta">Check your connection and try again.</p>
          <Button look="quiet" onClick={session.retry}>
            Try again
          </Button>
        </div>
      ) : (
        <>
          <h1 className="hidden-text">Operator</h1>
          <p className="meta">One moment…</p>
          <noscript>
            <p className="form-error">The desk needs JavaScript.</p>
          </noscript>
        </>
      )}
    </Frame>
  );
}

function Frame({ path, children }: { path: string; children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <OperatorBar path={path} />
      <main id="main" className="wrap dash" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}
