import '../../business/files/list/dashboard.css';
import '../../business/documents/own-fields/own-fields.css';
import '../../business/documents/site/analysis.css';
import '../../business/documents/site/items.css';
import '../../business/documents/site/parts.css';
import '../../business/documents/stacks/split.css';
import '../../business/documents/site/tables.css';
import '../../business/documents/viewer/viewer.css';
import '../../business/documents/search/search.css';
import '../../business/documents/comparison/comparison.css';
import '../../platform/auth/account/account-settings.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { Loading, ReportPage } from '../../business/documents/site/report-page.web.tsx';
import { Announcer } from '../../business/files/list/announcer.web.tsx';
import { PAGES } from '../../kernel/contract/routes.ts';
import { FactorGate } from '../../platform/auth/account/factor-gate.web.tsx';
import { AccessGate } from '../../platform/auth/site/access-gate.web.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { ErrorBoundary } from '../../ui/parts/error-boundary.tsx';
import { queriesOf } from '../../ui/session/queries.ts';
import { useSession } from '../../ui/session/session.ts';
import { DashboardBar } from '../frame/dashboard-bar.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/** /dashboard/files/{file_id}/analysis: the report of one document, for signed-in users. */
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
        <Frame userId={id}>
          <ErrorBoundary key={fileId}>
            <FactorGate session={session.session}>
              <ReportPage userId={id} fileId={fileId} />
            </FactorGate>
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

function Frame({ userId, children }: { userId?: string; children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <DashboardBar path={PAGES.analysis.path} {...(userId !== undefined && { userId })} />
      <main id="main" className="wrap dash" tabIndex={-1}>
        <p className="way-back">
          <Link href={PAGES.dashboard.path}>← Files</Link>
        </p>
        {children}
      </main>
    </>
  );
}
