import { Link } from 'wouter';
import { PAGES } from '../../kernel/contract/routes.ts';
import { site, words } from '../../ui/brand.ts';
import { BrandMark } from '../../ui/parts/brand-mark.tsx';

/** The foot of public pages: social link, contact address, the small print. */
export function Footer() {
  return (
    <footer className="foot">
      <div className="wrap">
        <div>
          <BrandMark />
          <p>{words('foot.line')}</p>
        </div>
        <ul>
          <li>
            <a href={`mailto:${site.contactEmail}`}>{site.contactEmail}</a>
          </li>
          <li>
            <a href={site.socialUrl} rel="me noopener">
              Follow {site.brand}
            </a>
          </li>
        </ul>
        <ul>
          <li>
            <Link href={PAGES.privacy.path}>Privacy</Link>
          </li>
          <li>
            <Link href={PAGES.terms.path}>Terms</Link>
          </li>
        </ul>
      </div>
    </footer>
  );
}
