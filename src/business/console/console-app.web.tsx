import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { consolePageOf, PAGES } from '../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../ui/parts/button.tsx';
import { ErrorBoundary } from '../../ui/parts/error-boundary.tsx';
import { CallRefused } from '../../ui/session/server-call.ts';
import { ColleaguesView } from './colleagues/colleagues-page.web.tsx';
import { type OperatorOverview, SECOND_FACTOR_NEEDED } from './console.contract.ts';
import { SiteContentView } from './content/content-page.web.tsx';
import { DemoBanner } from './demo/demo-part.web.tsx';
import { mayCall, type OperatorFunctionName } from './operator-roles.contract.ts';
import { BookingsView } from './pages/bookings-page.web.tsx';
import { CustomersView } from './pages/customers-page.web.tsx';
import { EnquiriesView } from './pages/enquiries-page.web.tsx';
import { EventsView } from './pages/events-page.web.tsx';
import { HealthView } from './pages/health-page.web.tsx';
import { HomeView } from './pages/home-page.web.tsx';
import { LessonsView } from './pages/lessons-page.web.tsx';
import { MailView } from './pages/mail-page.web.tsx';
import { MessagesView } from './pages/messages-page.web.tsx';
import { NewsView } from './pages/news-page.web.tsx';
import { ConsoleRole } from './parts/console-role.web.tsx';
import { operatorQuery } from './parts/operator-client.web.ts';
import { AuditView } from './settings/audit-page.web.tsx';
import { SettingsView } from './settings/settings-page.web.tsx';

const VIEWS: Readonly<Record<string, () => ReactNode>> = {
  [PAGES.operatorAudit.path]: AuditView,
  [PAGES.operatorBookings.path]: BookingsView,
  [PAGES.operatorColleagues.path]: ColleaguesView,
  [PAGES.operatorCourses.path]: LessonsView,
  [PAGES.operatorCustomers.path]: CustomersView,
  [PAGES.operatorEvents.path]: EventsView,
  [PAGES.operatorHealth.path]: HealthView,
  [PAGES.operatorMail.path]: MailView,
  [PAGES.operatorMessages.path]: MessagesView,
  [PAGES.operatorNews.path]: NewsView,
  [PAGES.operatorSettings.path]: SettingsView,
  [PAGES.operatorSite.path]: SiteContentView,
};

/** Pages that are of no use without a function. */
const NEEDS: Readonly<Record<string, OperatorFunctionName>> = {
  [PAGES.operatorAudit.path]: 'audit',
  [PAGES.operatorCredentials.path]: 'credentials',
  [PAGES.operatorSettings.path]: 'settings',
  [PAGES.operatorSite.path]: 'publish-content',
};

interface OperatorConsoleProps {
  readonly path: string;
  /** Pages of the voice wing, by their path. */
  readonly pages: Readonly<Record<string, () => ReactNode>>;
  /** Asks for the code that the server wants to see first. */
  readonly secondFactor: ReactNode;
}

/** The pages of the console for operators; for everyone else, why they cannot see them. */
export function OperatorConsole({ path, pages, secondFactor }: OperatorConsoleProps) {
  const query = useQuery(operatorQuery<OperatorOverview>('overview'));
  const { data, error } = query;
  const page = consolePageOf(path);
  const Further = pages[page];
  const needed = NEEDS[page];
  if (error instanceof CallRefused && error.status === 403) {
    return error.code === SECOND_FACTOR_NEEDED ? secondFactor : <NotOperator />;
  }
  if (data === undefined) {
    return error === null ? (
      <p className="meta" aria-busy="true">
        One moment…
      </p>
    ) : (
      <Notice heading="The console could not be reached" text={error.message}>
        <Button look="quiet" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </Notice>
    );
  }
  return (
    <ErrorBoundary key={page}>
      {data.hasSecondFactor ? null : (
        <p className="console-warning">
          This account signs in with a password only. People who read enquiries and mail should set up a
          second factor. <a href={`${PAGES.account.path}#second-factor`}>Set one up in your account</a>
        </p>
      )}
      <ConsoleRole value={data.role}>
        {data.role === 'reader' && (
          <p className="console-warning">
            You are a reader: you see what happens here, and change nothing. {ownerWords(data.owners)}
          </p>
        )}
        {data.demoData !== null && <DemoBanner state={data.demoData} />}
        {needed !== undefined && !mayCall(data.role, needed) ? (
          <Notice heading="This page is for owners" text={ownerWords(data.owners)}>
            <ButtonLink href={PAGES.operator.path}>Go to the console's home</ButtonLink>
          </Notice>
        ) : Further === undefined ? (
          <ConsoleView page={page} overview={data} />
        ) : (
          <Further />
        )}
      </ConsoleRole>
    </ErrorBoundary>
  );
}

/** Whom to ask for more rights. */
const ownerWords = (owners: readonly string[]): string =>
  `An owner can give you more rights${owners.length === 0 ? '' : `: ${owners.join(', ')}`}.`;

function ConsoleView({ page, overview }: { page: string; overview: OperatorOverview }) {
  const View = VIEWS[page];
  if (View !== undefined) return <View />;
  return page === PAGES.operatorEnquiries.path ? (
    <EnquiriesView overview={overview} />
  ) : (
    <HomeView overview={overview} />
  );
}

function Notice({ heading, text, children }: { heading: string; text: string; children: ReactNode }) {
  return (
    <div className="panel empty" role="alert">
      <h1>{heading}</h1>
      <p className="meta">{text}</p>
      {children}
    </div>
  );
}

function NotOperator() {
  return (
    <Notice
      heading="This console is the agency's own"
      text="Your account is signed in, but it is not an operator's. Ask an owner of the console to invite you."
    >
      <ButtonLink href={PAGES.dashboard.path}>Go to your dashboard</ButtonLink>
    </Notice>
  );
}
