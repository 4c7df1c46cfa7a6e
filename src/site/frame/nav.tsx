import { PAGES } from '../../kernel/contract/routes.ts';
import type { Section } from '../../kernel/contract/site-content.ts';
import { site } from '../../ui/brand.ts';
import { BrandMark } from '../../ui/parts/brand-mark.tsx';
import { Button, ButtonLink } from '../../ui/parts/button.tsx';
import { signOutAndGoHome } from '../../ui/session/stored-session.ts';

const LINKS: readonly { section: Section; href: string; name: string }[] = [
  { section: 'services', href: '/#services', name: 'Services' },
  { section: 'courses', href: '/#courses', name: 'Courses' },
  { section: 'documents', href: '/#documents', name: 'Documents' },
  { section: 'phone', href: '/#phone', name: 'Phone' },
];

const isShown = ({ section }: (typeof LINKS)[number]): boolean =>
  site.sections.includes(section) && (section !== 'courses' || site.plans.courses.length > 0);
const shownLinks = () => LINKS.filter(isShown);

/**
 * The bar of public pages, which stays at the top. Both states are in the HTML; `html[data-session]`,
 * set before the first paint, shows one, so nothing moves. On a phone the links are in a menu that
 * opens without script.
 */
export function Nav() {
  return (
    <header className="site-top">
      <div className="wrap bar">
        <BrandMark />
        <nav aria-label="Main">
          {shownLinks().map(({ href, name }) => (
            <a key={href} className="wide-only" href={href}>
              {name}
            </a>
          ))}
          <a className="signed-out wide-only" href={PAGES.login.path}>
            Sign In
          </a>
          <ButtonLink small className="signed-out" href={PAGES.signup.path}>
            Sign Up
          </ButtonLink>
          <a className="signed-in" href={PAGES.dashboard.path}>
            Dashboard
          </a>
          <Button small look="quiet" className="signed-in wide-only" onClick={() => void signOutAndGoHome()}>
            Sign Out
          </Button>
          <button type="button" className="btn quiet small narrow-only" popoverTarget="site-menu">
            Menu
          </button>
          <div id="site-menu" popover="auto" className="site-menu">
            <ul>
              {shownLinks().map(({ href, name }) => (
                <li key={href}>
                  <a href={href}>{name}</a>
                </li>
              ))}
              <li className="signed-out">
                <a href={PAGES.login.path}>Sign In</a>
              </li>
              <li className="signed-in">
                <button type="button" data-live="" onClick={() => void signOutAndGoHome()}>
                  Sign Out
                </button>
              </li>
            </ul>
          </div>
        </nav>
      </div>
    </header>
  );
}
