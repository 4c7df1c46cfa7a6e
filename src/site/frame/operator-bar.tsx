import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { OperatorOverview } from '../../business/console/console.contract.ts';
import { mayCall, type OperatorFunctionName } from '../../business/console/operator-roles.contract.ts';
import { useListKeys } from '../../business/console/parts/list-keys.web.ts';
import { operatorQuery } from '../../business/console/parts/operator-client.web.ts';
import { SearchPalette } from '../../business/console/records/search-palette.web.tsx';
import { consolePageOf, PAGES, type PageRoute } from '../../kernel/contract/routes.ts';
import { BrandMark } from '../../ui/parts/brand-mark.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { useLeaving } from '../../ui/session/sign-out.ts';

/** A page of the console in its navigation. */
interface Entry {
  readonly page: PageRoute;
  readonly name: string;
  /** The function of the console without which a person has no use for the page. */
  readonly needs?: OperatorFunctionName;
  /** Whether the agency has a use for the page. */
  readonly isUsed?: (overview: OperatorOverview) => boolean;
  /** How many things wait there. */
  readonly waits?: (overview: OperatorOverview) => number;
  /** Whether something was begun there and not finished. */
  readonly hasDraft?: (overview: OperatorOverview) => boolean;
}

const GROUPS: readonly { readonly name: string; readonly entries: readonly Entry[] }[] = [
  {
    name: 'Inbox',
    entries: [
      { page: PAGES.operatorEnquiries, name: 'Enquiries', waits: ({ open }) => open },
      { page: PAGES.operatorMessages, name: 'Messages', waits: ({ unreadMessages }) => unreadMessages },
      { page: PAGES.operatorCalls, name: 'Calls', waits: ({ openWishes }) => openWishes },
      { page: PAGES.operatorBookings, name: 'Bookings', waits: ({ bookingsSoon }) => bookingsSoon },
    ],
  },
  {
    name: 'Customers',
    entries: [
      { page: PAGES.operatorCustomers, name: 'Accounts' },
      {
        page: PAGES.operatorCourses,
        name: 'Courses',
        isUsed: ({ hasCourses }) => hasCourses,
        waits: ({ lessonsWaiting }) => lessonsWaiting,
      },
      { page: PAGES.operatorCampaigns, name: 'Campaigns' },
    ],
  },
  {
    name: 'Site',
    entries: [
      {
        page: PAGES.operatorSite,
        name: 'Content',
        needs: 'publish-content',
        hasDraft: ({ siteDraft }) => siteDraft,
      },
      { page: PAGES.operatorNews, name: 'News' },
      { page: PAGES.operatorAssistants, name: 'Assistants' },
      { page: PAGES.operatorTools, name: 'Tools' },
    ],
  },
  {
    name: 'System',
    entries: [
      { page: PAGES.operatorMail, name: 'Mail', waits: ({ failedMails }) => failedMails },
      { page: PAGES.operatorEvents, name: 'Notifications', waits: ({ deadEvents }) => deadEvents },
      { page: PAGES.operatorHealth, name: 'Health' },
      { page: PAGES.operatorSettings, name: 'Settings', needs: 'settings' },
      { page: PAGES.operatorColleagues, name: 'Colleagues' },
      { page: PAGES.operatorKeys, name: 'API keys' },
      { page: PAGES.operatorCredentials, name: 'Credentials', needs: 'credentials' },
      { page: PAGES.operatorAudit, name: 'Audit', needs: 'audit' },
    ],
  },
];

/** The pages that a colleague is offered; all of them until it is known who asks. */
const offered = (entries: readonly Entry[], overview: OperatorOverview | undefined): readonly Entry[] =>
  entries.filter(
    ({ needs, isUsed }) =>
      overview === undefined ||
      ((needs === undefined || mayCall(overview.role, needs)) && isUsed?.(overview) !== false),
  );

const useOverview = (): OperatorOverview | undefined =>
  useQuery(operatorQuery<OperatorOverview>('overview')).data;

interface OperatorBarProps {
  readonly path: string;
  /** True when somebody is signed in, so that the number of waiting items can be read. */
  readonly isKnown: boolean;
}

/** The bar of the operator console: logo, search, the way back to the dashboard, Sign Out. */
export function OperatorBar({ isKnown }: Pick<OperatorBarProps, 'isKnown'>) {
  const { busy, leave } = useLeaving();
  return (
    <header className="top console-top">
      <div className="wrap bar">
        <BrandMark />
        {isKnown && <Search />}
        <Link className="console-out" href={PAGES.dashboard.path}>
          Dashboard
        </Link>
        <Button small look="quiet" busy={busy} onClick={() => void leave()}>
          Sign Out
        </Button>
      </div>
    </header>
  );
}

function Search() {
  useListKeys();
  const entries = offered(
    GROUPS.flatMap((group) => group.entries),
    useOverview(),
  );
  const pages = entries.map(({ page, name }) => ({ href: page.path, name }));
  return <SearchPalette pages={[{ href: PAGES.operator.path, name: 'Home' }, ...pages]} />;
}

/** The pages of the console in four groups, each with the number of things that wait there. */
export function OperatorNav({ path, isKnown }: OperatorBarProps) {
  const current = consolePageOf(path);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const list = nav.current?.querySelector(`ul:has([href="${current}"])`);
    const entry = list?.querySelector(`[href="${current}"]`);
    if (!list || !entry) return;
    // On a narrow screen the pages of a group may be wider than the window, and numbers make them wider later.
    const observer = new ResizeObserver(() => showEntry(list, entry));
    for (const each of list.children) observer.observe(each);
    return () => observer.disconnect();
  }, [current]);
  return (
    <nav className="console-nav" aria-label="Operator" ref={nav}>
      <Link
        className="console-group"
        href={PAGES.operator.path}
        aria-current={current === PAGES.operator.path ? 'page' : undefined}
      >
        Home
      </Link>
      {isKnown ? <KnownGroups current={current} /> : <Groups current={current} isKnown={false} />}
    </nav>
  );
}

/** Scrolls a list sideways, and nothing else, until all of an entry is in view. */
function showEntry(list: Element, entry: Element): void {
  const [seen, place] = [list.getBoundingClientRect(), entry.getBoundingClientRect()];
  if (place.left < seen.left) list.scrollLeft -= Math.ceil(seen.left - place.left);
  else if (place.right > seen.right) list.scrollLeft += Math.ceil(place.right - seen.right);
}

function KnownGroups({ current }: { current: string }) {
  return <Groups current={current} isKnown overview={useOverview()} />;
}

interface GroupsProps extends Pick<OperatorBarProps, 'isKnown'> {
  readonly current: string;
  readonly overview?: OperatorOverview | undefined;
}

function Groups({ current, isKnown, overview }: GroupsProps) {
  return GROUPS.map((group) => {
    const { name } = group;
    const entries = offered(group.entries, overview);
    const isCurrent = entries.some(({ page }) => page.path === current);
    return (
      <section key={name} data-current={isCurrent ? '' : undefined}>
        {/* A heading beside the list on wide screens; on narrow ones the way to the group's first page. */}
        <h2>{name}</h2>
        <Link
          className="console-group"
          href={entries[0]?.page.path ?? ''}
          data-current={isCurrent ? '' : undefined}
        >
          {name}
          {isKnown && <Waiting entries={entries} />}
        </Link>
        <ul>
          {entries.map((entry) => (
            <li key={entry.page.path}>
              <Link href={entry.page.path} aria-current={entry.page.path === current ? 'page' : undefined}>
                <span>{entry.name}</span>
                {isKnown && <Waiting entries={[entry]} />}
              </Link>
            </li>
          ))}
        </ul>
      </section>
    );
  });
}

/** What waits on these pages: a number, or a dot for a draft; nothing for callers who are no operators. */
function Waiting({ entries }: { entries: readonly Entry[] }) {
  const data = useOverview();
  if (data === undefined) return null;
  const count = entries.reduce((sum, { waits }) => sum + (waits?.(data) ?? 0), 0);
  if (count > 0) {
    return (
      <>
        {' '}
        <b className="console-count num">
          {count > 99 ? '99+' : count}
          <span className="hidden-text"> waiting</span>
        </b>
      </>
    );
  }
  return entries.some(({ hasDraft }) => hasDraft?.(data) === true) ? (
    <span className="draft-mark">
      <span className="hidden-text">, unpublished draft</span>
    </span>
  ) : null;
}
