import { Link } from 'wouter';
import { SiteDraftMark, UnreadMessages } from '../../business/console/pages/unread-messages.web.tsx';
import { PAGES } from '../../kernel/contract/routes.ts';
import { BrandMark } from '../../ui/parts/brand-mark.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { useCurrentTab } from '../../ui/parts/current-tab.ts';
import { useLeaving } from '../../ui/session/sign-out.ts';

const VIEWS = [
  [PAGES.operator.path, 'Home'],
  [PAGES.operatorEnquiries.path, 'Enquiries'],
  [PAGES.operatorMessages.path, 'Messages'],
  [PAGES.operatorEvents.path, 'Events'],
  [PAGES.operatorMail.path, 'Mail'],
  [PAGES.operatorCustomers.path, 'Customers'],
  [PAGES.operatorCalls.path, 'Calls'],
  [PAGES.operatorAssistants.path, 'Assistants'],
  [PAGES.operatorBookings.path, 'Bookings'],
  [PAGES.operatorCourses.path, 'Courses'],
  [PAGES.operatorNews.path, 'News'],
  [PAGES.operatorSite.path, 'Site'],
  [PAGES.operatorHealth.path, 'Health'],
  [PAGES.operatorKeys.path, 'API keys'],
] as const;

interface OperatorBarProps {
  readonly path: string;
  /** True when somebody is signed in, so that the number of waiting items can be read. */
  readonly isKnown: boolean;
}

/** The bar of the operator console: logo, its pages with the number of waiting items, Sign Out. */
export function OperatorBar({ path, isKnown }: OperatorBarProps) {
  const { busy, leave } = useLeaving();
  const tabs = useCurrentTab(path);
  return (
    <header className="top console-top">
      <div className="wrap bar">
        <BrandMark />
        <nav className="tabs" aria-label="Operator" ref={tabs}>
          {VIEWS.map(([href, name]) => (
            <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
              <span>
                {name}
                {isKnown && href === PAGES.operatorMessages.path && <UnreadMessages />}
                {isKnown && href === PAGES.operatorSite.path && <SiteDraftMark />}
              </span>
            </Link>
          ))}
          <Link href={PAGES.dashboard.path}>Dashboard</Link>
        </nav>
        <Button small look="quiet" busy={busy} onClick={() => void leave()}>
          Sign Out
        </Button>
      </div>
    </header>
  );
}
