import { UserRound } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { uploads } from '../../features/files/upload-queue.web.ts';
import { signOut } from '../session/client.ts';
import { forgetQueries } from '../session/queries.ts';
import { BrandMark } from './brand-mark.tsx';
import { Button } from './button.tsx';

/** The bar of the dashboard: logo, Files and Billing, the account, Sign Out. */
export function DashboardBar({ path }: { path: string }) {
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const leave = async (): Promise<void> => {
    setBusy(true);
    uploads.clear();
    await signOut(() => navigate('/'));
    forgetQueries();
  };
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
