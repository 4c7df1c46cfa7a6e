import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { signOut } from '../session/client.ts';
import { forgetQueries } from '../session/queries.ts';
import { BrandMark } from './brand-mark.tsx';
import { Button } from './button.tsx';

const ROOMS = [
  [PAGES.operator.path, 'Enquiries'],
  [PAGES.operatorEvents.path, 'Events'],
  [PAGES.operatorMail.path, 'Mail'],
  [PAGES.operatorCustomers.path, 'Customers'],
] as const;

/** The bar of the operator's desk: logo, its rooms, Sign Out. */
export function OperatorBar({ path }: { path: string }) {
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const leave = async (): Promise<void> => {
    setBusy(true);
    await signOut(() => navigate('/'));
    forgetQueries();
  };
  return (
    <header className="top desk-top">
      <div className="wrap bar">
        <BrandMark />
        <nav className="tabs" aria-label="Operator">
          {ROOMS.map(([href, name]) => (
            <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <Button small look="quiet" busy={busy} onClick={() => void leave()}>
          Sign Out
        </Button>
      </div>
    </header>
  );
}
