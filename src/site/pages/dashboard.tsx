import '../../business/files/list/dashboard.css';
import '../../business/inbox/inbox.css';
import '../../business/documents/search/search.css';
import '../../business/documents/invoices/invoices.css';
import '../../business/documents/own-fields/own-fields.css';
import '../../business/documents/rules/rules.css';
import '../../business/documents/site/tables.css';
import '../../business/documents/viewer/viewer.css';
import '../../business/documents/viewer/preview.css';
import '../../business/courses/site/courses.css';
import '../../business/messages/site/messages.css';
import '../../business/billing/site/billing.css';
import '../../platform/auth/sessions/devices.css';
import '../../platform/auth/account/account-settings.css';
import '../../platform/auth/passkeys/passkeys.css';
import '../../business/teams/site/team.css';
import '../../business/api-keys/api-keys.css';
import '../../ui/people/avatar.css';
import type { User } from '@supabase/supabase-js';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { ApiKeysPanel } from '../../business/api-keys/api-keys-panel.web.tsx';
import { AvatarPanel } from '../../business/avatars/site/avatar-panel.web.tsx';
import { customerQuery } from '../../business/billing/customers/customer-read.web.ts';
import { BillingTab } from '../../business/billing/site/billing-tab.web.tsx';
import { BookedCalls } from '../../business/bookings/booked-calls.web.tsx';
import { SupportBanner, SupportPanel } from '../../business/console/records/support-access.web.tsx';
import { CourseTab } from '../../business/courses/site/course-tab.web.tsx';
import { lessonsQuery } from '../../business/courses/site/lesson-changes.web.ts';
import { InvoicesPage } from '../../business/documents/invoices/invoices-page.web.tsx';
import {
  FieldColumnChoice,
  useFieldColumns,
} from '../../business/documents/own-fields/field-columns.web.tsx';
import { OwnFieldsPage } from '../../business/documents/own-fields/own-fields-page.web.tsx';
import { RulesPage } from '../../business/documents/rules/rules-page.web.tsx';
import { SearchPage } from '../../business/documents/site/search-page.web.tsx';
import { FilePreview } from '../../business/documents/viewer/file-preview.web.tsx';
import { Announcer } from '../../business/files/list/announcer.web.tsx';
import { useChanges } from '../../business/files/list/change-subscription.web.ts';
import { Skeleton } from '../../business/files/list/file-lists.web.tsx';
import { FilesTab } from '../../business/files/list/files-tab.web.tsx';
import { InboxPanel } from '../../business/inbox/inbox-panel.web.tsx';
import { MessagesTab } from '../../business/messages/site/messages-tab.web.tsx';
import { PushPanel } from '../../business/push/site/push-panel.web.tsx';
import { TeamBeforeDeletion } from '../../business/teams/site/team-deletion.web.tsx';
import { TeamPanel } from '../../business/teams/site/team-panel.web.tsx';
import { TeamChoice, TeamCredits, TeamFiles } from '../../business/teams/site/team-sharing.web.tsx';
import { PAGES } from '../../kernel/contract/routes.ts';
import { DeletionNotice, deletionDueOf } from '../../platform/auth/account/deletion-notice.web.tsx';
import { FactorGate } from '../../platform/auth/account/factor-gate.web.tsx';
import { AccessGate } from '../../platform/auth/site/access-gate.web.tsx';
import { AccountTab } from '../../platform/auth/site/account-tab.web.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { ErrorBoundary } from '../../ui/parts/error-boundary.tsx';
import { ShortcutHelp } from '../../ui/parts/shortcuts.tsx';
import { personName } from '../../ui/people/person-name.ts';
import { isLeaving } from '../../ui/session/client.ts';
import { queriesOf } from '../../ui/session/queries.ts';
import { type SessionState, useSession } from '../../ui/session/session.ts';
import { DashboardBar } from '../frame/dashboard-bar.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/**
 * /dashboard, /dashboard/billing and /dashboard/account (docs/specification/site.md §2), for signed-in users.
 */
export default function DashboardPage() {
  const session = useSession();
  const [path] = useLocation();
  useGate(session, path);
  if (session.status === 'signed-in') {
    const { user } = session.session;
    return (
      <QueryClientProvider client={queriesOf(user.id)}>
        <Frame path={path} userId={user.id}>
          <ErrorBoundary key={path}>
            <FactorGate session={session.session}>
              <SupportBanner userId={user.id} />
              <DeletionNotice user={user} />
              <Tab path={path} user={user} />
            </FactorGate>
          </ErrorBoundary>
          <Announcer />
        </Frame>
      </QueryClientProvider>
    );
  }
  return (
    <>
      {session.status !== 'signed-out' && (
        <div className="signed-in">
          <Frame path={path} waiting>
            {session.status === 'unreachable' ? (
              <Unreachable retry={session.retry} />
            ) : (
              <Waiting path={path} />
            )}
          </Frame>
        </div>
      )}
      <div className={session.status === 'signed-out' ? undefined : 'signed-out'}>
        <PageShell className="gate-page">
          <AccessGate />
        </PageShell>
      </div>
    </>
  );
}

function Tab({ path, user }: { path: string; user: User }) {
  if (path === PAGES.account.path)
    return (
      <AccountTab
        user={user}
        Before={TeamBeforeDeletion}
        further={{
          profile: <AvatarPanel userId={user.id} name={personName(user)} />,
          notices: <PushPanel userId={user.id} />,
          team: <TeamPanel userId={user.id} />,
          access: (
            <>
              <SupportPanel userId={user.id} />
              <ApiKeysPanel userId={user.id} />
            </>
          ),
        }}
      />
    );
  if (path === PAGES.search.path) return <SearchPage />;
  if (path === PAGES.courses.path) return <CourseTab userId={user.id} />;
  if (path === PAGES.messages.path)
    return (
      <>
        <MessagesTab userId={user.id} name={personName(user)} />
        <BookedCalls userId={user.id} />
      </>
    );
  if (path === PAGES.invoices.path) return <InvoicesPage userId={user.id} />;
  if (path === PAGES.fields.path) return <OwnFieldsPage userId={user.id} />;
  if (path === PAGES.rules.path) return <RulesPage userId={user.id} />;
  return path === PAGES.billing.path ? <LiveBilling user={user} /> : <Files userId={user.id} />;
}

/** The Files tab; lesson videos use the same storage. */
function Files({ userId }: { userId: string }) {
  const lessons = useQuery({ ...lessonsQuery(userId), refetchInterval: false });
  return (
    <FilesTab
      userId={userId}
      furtherSizes={lessons.data?.map(({ file_size: size }) => size)}
      Preview={FilePreview}
      Choice={TeamChoice}
      Further={FurtherFiles}
      columns={useFieldColumns(userId)}
      columnChoice={<FieldColumnChoice userId={userId} />}
      Beside={TeamCredits}
    />
  );
}

/** Below the user's own lists: the team's files, and documents by mail. */
function FurtherFiles({ userId }: { userId: string }) {
  return (
    <>
      <TeamFiles userId={userId} />
      <InboxPanel userId={userId} />
    </>
  );
}

/**
 * The Billing tab, which follows the same database changes as the files do (docs/specification/site.md §4).
 */
function LiveBilling({ user }: { user: User }) {
  const customer = useQuery(customerQuery(user.id));
  useChanges(user.id, customer.data?.customer_id ?? null);
  return <BillingTab userId={user.id} deletionDue={deletionDueOf(user)} />;
}

/** Without a session the route leads to /login; the requested page is kept in the history entry. */
function useGate(session: SessionState, path: string): void {
  const [, navigate] = useLocation();
  const isOut = session.status === 'signed-out';
  const ended = isOut && session.ended;
  useEffect(() => {
    if (!isOut || isLeaving()) return;
    const next = `${path}${location.search}${location.hash}`;
    navigate(PAGES.login.path, { replace: true, state: { next, ended } });
  }, [isOut, ended, path, navigate]);
}

interface FrameProps {
  readonly path: string;
  readonly userId?: string;
  /** True while the session is not known yet. */
  readonly waiting?: boolean;
  readonly children: ReactNode;
}

function Frame({ path, userId, waiting = false, children }: FrameProps) {
  // Both views are printed, but only one of them may be the page's main element.
  if (waiting) {
    return (
      <>
        <DashboardBar path={path} />
        <div className="wrap dash">{children}</div>
      </>
    );
  }
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <DashboardBar path={path} {...(userId !== undefined && { userId })} />
      <main id="main" className="wrap dash" tabIndex={-1}>
        {children}
        <ShortcutHelp />
      </main>
    </>
  );
}

const HEADINGS: Readonly<Record<string, string>> = {
  [PAGES.billing.path]: 'Billing',
  [PAGES.account.path]: 'Account',
  [PAGES.search.path]: 'Search',
  [PAGES.invoices.path]: 'Bills',
  [PAGES.fields.path]: 'Fields',
  [PAGES.rules.path]: 'Rules',
  [PAGES.courses.path]: 'Course',
  [PAGES.messages.path]: 'Messages',
};

function Waiting({ path }: { path: string }) {
  const heading = HEADINGS[path] ?? 'Files';
  return (
    <>
      <div className="lead-in">
        <div>
          <h1>{heading}</h1>
          {heading === 'Files' && <p className="live num">Live updates</p>}
        </div>
      </div>
      <div className="cols">
        <div className="lists">
          <Skeleton />
        </div>
      </div>
    </>
  );
}

function Unreachable({ retry }: { retry: () => void }) {
  return (
    <div className="panel empty" role="alert">
      <h1>The dashboard could not be reached</h1>
      <p className="meta">Check your connection and try again.</p>
      <Button look="quiet" onClick={retry}>
        Try again
      </Button>
    </div>
  );
}
