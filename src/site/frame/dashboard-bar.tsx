import { UserRound } from 'lucide-react';
import { Link } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { uploads } from '../../features/files/upload-queue.web.ts';
import { useLeaving } from '../session/use-leaving.ts';
import { BrandMark } from './brand-mark.tsx';
import { Button } from './button.tsx';

/** The bar of the dashboard: logo, Files and Billing, the account, Sign Out. */
export function DashboardBar({ path }: { path: string }) {
  const { busy, leave } = useLeaving(() => uploads.clear());
  return (
    <header className="top">
      <div className="wrap bar">
        <BrandMark />
        <nav className="tabs" aria-label="Dashboard">
          {[PAGES.dashboard, PAGES.billing].map((page) => (
            <Link key={page.path} href={page.path} aria-current={path === page.path ? 'page' : undefined}>
              {page === PAGES.billing ? 'Billing' : 'Files'}
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
