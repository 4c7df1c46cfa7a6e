import { Link } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { useLeaving } from '../session/use-leaving.ts';
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
  const { busy, leave } = useLeaving();
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
