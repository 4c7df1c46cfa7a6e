import { Link } from 'wouter';
import { PAGES } from '../../kernel/contract/routes.ts';
import { AppearanceSwitch } from '../../ui/appearance-switch.tsx';
import { site, words } from '../../ui/brand.ts';
import { BrandMark } from '../../ui/parts/brand-mark.tsx';

const LINKS = [
  [
    { page: PAGES.about, name: 'About' },
    { page: PAGES.faq, name: 'Questions and answers' },
    { page: PAGES.help, name: 'Help' },
    { page: PAGES.sampleReport, name: 'A sample report' },
  ],
  [
    { page: PAGES.changelog, name: 'What changed' },
    { page: PAGES.status, name: 'Status' },
    { page: PAGES.privacy, name: 'Privacy' },
    { page: PAGES.terms, name: 'Terms' },
  ],
] as const;

/** The footer of public pages: social link, contact address, further pages, legal notes. */
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
        {LINKS.map((links) => (
          <ul key={links[0].name}>
            {links.map(({ page, name }) => (
              <li key={name}>
                <Link href={page.path}>{name}</Link>
              </li>
            ))}
          </ul>
        ))}
        <AppearanceSwitch />
      </div>
    </footer>
  );
}
