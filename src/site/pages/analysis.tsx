import '../styles/dashboard.css';
import '../styles/analysis.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { Loading, ReportPage } from '../../features/analysis/report-page.web.tsx';
import { AccessGate } from '../../features/auth/access-gate.web.tsx';
import { Announcer } from '../../features/files/announce.web.tsx';
import { Button } from '../parts/button.tsx';
import { DashboardBar } from '../parts/dashboard-bar.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { PageShell } from '../parts/page-shell.tsx';
import { queriesOf } from '../session/queries.ts';
import { useSession } from '../session/use-session.ts';

/** /dashboard/files/{file_id}/analysis: the report of one document, behind the access gate. */
export default function AnalysisPage() {
  const session = useSession();
  const { fileId = '' } = useParams<{ fileId: string }>();
  const [path, navigate] = useLocation();
  const isOut = session.status === 'signed-out';
  useEffect(() => {
    if (isOut) navigate(PAGES.login.path, { replace: true, state: { next: path } });
  }, [isOut, path, navigate]);
  if (session.status === 'signed-in') {
    const { id } = session.session.user;
    return (
      <QueryClientProvider client={queriesOf(id)}>
        <Frame>
          <ErrorBoundary key={fileId}>
            <ReportPage userId={id} fileId={fileId} />
          </ErrorBoundary>
          <Announcer />
        </Frame>
      </QueryClientProvider>
    );
  }
  return (
    <>
      {!isOut && (
        <div className="signed-in">
          <Frame>
            {session.status === 'unreachable' ? (
              <div className="panel empty" role="alert">
                <h1>The dashboard could not be reached</h1>
                <p className="meta">Check your connection and try again.</p>
                <Button look="quiet" onClick={session.retry}>
                  Try again
                </Button>
              </div>
            ) : (
              <Loading />
            )}
          </Frame>
        </div>
      )}
      <div className={isOut ? undefined : 'signed-out'}>
        <PageShell className="gate-page">
          <AccessGate />
        </PageShell>
      </div>
    </>
  );
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <DashboardBar path={PAGES.analysis.path} />
      <main id="main" className="wrap dash" tabIndex={-1}>
        <p className="way-back">
          <Link href={PAGES.dashboard.path}>← Files</Link>
        </p>
        {children}
      </main>
    </>
  );
}
