import { UserRound } from 'lucide-react';
import { Link } from 'wouter';
import { uploads } from '../../business/files/uploads/upload-queue.web.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { BrandMark } from '../../ui/parts/brand-mark.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { useLeaving } from '../../ui/session/sign-out.ts';

const TABS = [
  [PAGES.dashboard, 'Files'],
  [PAGES.search, 'Search'],
  [PAGES.invoices, 'Invoices'],
  [PAGES.billing, 'Billing'],
] as const;

/** The bar of the dashboard: logo, Files and Billing, the account, Sign Out. */
export function DashboardBar({ path }: { path: string }) {
  const { busy, leave } = useLeaving(() => uploads.clear());
  return (
    <header className="top">
      <div className="wrap bar">
        <BrandMark />
        <nav className="tabs" aria-label="Dashboard">
          {TABS.map(([page, name]) => (
            <Link key={page.path} href={page.path} aria-current={currentTab(page.path, path)}>
              {name}
            </Link>
          ))}
        </nav>
        <Link
          className="to-account"
          href={PAGES.account.path}
          aria-label="Account"
          aria-current={path === PAGES.account.path ? 'page' : undefined}
        >
          <UserRound size={20} aria-hidden="true" />
        </Link>
        <Button small look="quiet" busy={busy} onClick={() => void leave()}>
          Sign Out
        </Button>
      </div>
    </header>
  );
}

/** A report belongs to Files. */
function currentTab(tab: string, path: string): 'page' | 'true' | undefined {
  if (tab === path) return 'page';
  return tab === PAGES.dashboard.path && path === PAGES.analysis.path ? 'true' : undefined;
}
