import { Link } from 'wouter';
import { holdsName } from '../../kernel/contract/site-content.ts';
import { site } from '../brand.ts';

/** The agency's logo, or Northline's mark: a stop on a line, drawn in the colours of the scheme. */
function MarkPicture() {
  const { logo } = site;
  if (logo !== undefined)
    return <img className="mark-logo" src={logo.src} width={logo.width} height={logo.height} alt="" />;
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="mark-picture">
      <path d="M3 25h4L25 7h4" />
      <circle cx="16" cy="16" r="6.2" />
    </svg>
  );
}

/** The mark with the name, which a wide logo holds itself. */
export function MarkWithName() {
  const { logo } = site;
  return (
    <>
      <MarkPicture />
      <span className={logo !== undefined && holdsName(logo) ? 'hidden-text' : undefined}>{site.brand}</span>
    </>
  );
}

/** Logo and brand name; a link to the home page. */
export function BrandMark() {
  return (
    <Link className="mark" href="/" aria-label={`${site.brand}, home`}>
      <MarkWithName />
    </Link>
  );
}
