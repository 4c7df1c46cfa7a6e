import { PAGES } from '../../contract/routes.ts';
import { signOutAndGoHome } from '../stored-session.ts';
import { BrandMark } from './brand-mark.tsx';
import { Button, ButtonLink } from './button.tsx';

/**
 * The bar of public pages. Both states are in the HTML; `html[data-session]`,
 * set before the first paint, shows one, so nothing moves.
 */
export function Nav() {
  return (
    <header className="wrap bar">
      <BrandMark />
      <nav aria-label="Main">
        <a className="wide-only" href="/#services">
          Services
        </a>
        <a className="wide-only" href="/#courses">
          Courses
        </a>
        <a className="wide-only" href="/#documents">
          Documents
        </a>
        <a className="wide-only" href="/#phone">
          Phone
        </a>
        <a className="signed-out" href={PAGES.login.path}>
          Sign In
        </a>
        <ButtonLink small className="signed-out" href={PAGES.signup.path}>
          Sign Up
        </ButtonLink>
        <a className="signed-in" href={PAGES.dashboard.path}>
          Dashboard
        </a>
        <Button small look="quiet" className="signed-in" onClick={() => void signOutAndGoHome()}>
          Sign Out
        </Button>
      </nav>
    </header>
  );
}
