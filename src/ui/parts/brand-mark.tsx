import { Link } from 'wouter';
import { site } from '../brand.ts';

/** A station on its line, drawn in the colours of the scheme. */
export function MarkPicture() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="mark-picture">
      <path d="M3 25h4L25 7h4" />
      <circle cx="16" cy="16" r="6.2" />
    </svg>
  );
}

/** Logo and brand name; a link to the home page. */
export function BrandMark() {
  return (
    <Link className="mark" href="/" aria-label={`${site.brand}, home`}>
      <MarkPicture />
      <span>{site.brand}</span>
    </Link>
  );
}
