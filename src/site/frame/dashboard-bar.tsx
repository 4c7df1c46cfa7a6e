import type { User } from '@supabase/supabase-js';
import { useQuery } from '@tanstack/react-query';
import { CircleQuestionMark } from 'lucide-react';
import { Link } from 'wouter';
import {
  allowancesQuery,
  subscriptionOf,
} from '../../business/billing/subscription/subscription-read.web.ts';
import { lessonsQuery } from '../../business/courses/site/lesson-changes.web.ts';
import { lessons } from '../../business/courses/site/lesson-upload.web.ts';
import { uploads } from '../../business/files/uploads/upload-queue.web.ts';
import { CustomerUnread } from '../../business/messages/site/unread-count.web.tsx';
import { PAGES } from '../../kernel/contract/routes.ts';
import { site } from '../../ui/brand.ts';
import { BrandMark } from '../../ui/parts/brand-mark.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { useCurrentTab } from '../../ui/parts/current-tab.ts';
import { Avatar } from '../../ui/people/avatar.tsx';
import { useAvatar } from '../../ui/people/avatars.ts';
import { personName } from '../../ui/people/person-name.ts';
import { useSession } from '../../ui/session/session.ts';
import { useLeaving } from '../../ui/session/sign-out.ts';

const TABS = [
  [PAGES.dashboard, 'Files'],
  [PAGES.search, 'Search'],
  [PAGES.invoices, 'Bills'],
  [PAGES.fields, 'Fields'],
  [PAGES.messages, 'Messages'],
  [PAGES.billing, 'Billing'],
] as const;

interface DashboardBarProps {
  readonly path: string;
  /** Undefined while it is not known which user is signed in. */
  readonly userId?: string;
}

/**
 * The bar of the dashboard: logo, Files and Billing, Course for course customers, the console for operators,
 * the account, Sign Out.
 */
export function DashboardBar({ path, userId }: DashboardBarProps) {
  const tabs = useCurrentTab(path);
  const { busy, leave } = useLeaving(() => {
    uploads.clear();
    lessons.clear();
  });
  return (
    <header className="top">
      <div className="wrap bar">
        <BrandMark />
        <nav className="tabs" aria-label="Dashboard" ref={tabs}>
          {TABS.map(([page, name]) => (
            <Link key={page.path} href={page.path} aria-current={currentTab(page.path, path)}>
              <span>
                {name}
                {page === PAGES.messages && userId !== undefined && <CustomerUnread userId={userId} />}
              </span>
            </Link>
          ))}
          {userId !== undefined && <CourseLink path={path} userId={userId} />}
          {userId !== undefined && <ConsoleLink />}
        </nav>
        <Link className="to-account" href={PAGES.help.path} aria-label="Help">
          <CircleQuestionMark size={20} aria-hidden="true" />
        </Link>
        <Link
          className="to-account"
          href={PAGES.account.path}
          aria-label="Account"
          aria-current={path === PAGES.account.path ? 'page' : undefined}
        >
          <OwnAvatar />
        </Link>
        <Button small look="quiet" busy={busy} onClick={() => void leave()}>
          Sign Out
        </Button>
      </div>
    </header>
  );
}

/** The user's picture or initials; a generic icon while it is not known which user is signed in. */
function OwnAvatar() {
  const session = useSession();
  return session.status === 'signed-in' ? (
    // A new token may be allowed to read the picture where the former one was not, e.g. after the second
    // factor.
    <KnownAvatar key={session.session.access_token} user={session.session.user} />
  ) : (
    <Avatar src={undefined} name="" />
  );
}

function KnownAvatar({ user }: { user: User }) {
  return <Avatar src={useAvatar(user.id)} name={personName(user)} />;
}

/** A report belongs to the tab Files, the rules to the tab Fields. */
function currentTab(tab: string, path: string): 'page' | 'true' | undefined {
  if (tab === path) return 'page';
  const belongs =
    (tab === PAGES.dashboard.path && path === PAGES.analysis.path) ||
    (tab === PAGES.fields.path && path === PAGES.rules.path);
  return belongs ? 'true' : undefined;
}

/** Only for users who have a course plan, or lessons from an earlier one. */
function CourseLink({ path, userId }: { path: string; userId: string }) {
  const allowances = useQuery(allowancesQuery(userId));
  const sent = useQuery({ ...lessonsQuery(userId), refetchInterval: false });
  const hasCourse = Boolean(subscriptionOf(site.plans, allowances.data, 'courses'));
  const isCurrent = path === PAGES.courses.path;
  if (!hasCourse && !sent.data?.length && !isCurrent) return null;
  return (
    <Link href={PAGES.courses.path} aria-current={isCurrent ? 'page' : undefined}>
      Course
    </Link>
  );
}

/** Only for operators; the server decides whether the user is one. */
function ConsoleLink() {
  const session = useSession();
  const isOperator = session.status === 'signed-in' && session.session.user.app_metadata.role === 'operator';
  return isOperator ? <Link href={PAGES.operator.path}>Console</Link> : null;
}
