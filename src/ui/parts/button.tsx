import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';

interface Look {
  /** `signal` is the main action of a view; `quiet` has an outline; `danger` deletes. */
  look?: 'ink' | 'signal' | 'quiet' | 'danger';
  small?: boolean;
  children: ReactNode;
}

const classes = ({ look = 'ink', small = false }: Look, extra = ''): string =>
  ['btn', look === 'ink' ? '' : look, small ? 'small' : '', extra].filter(Boolean).join(' ');

/**
 * A button. While `busy` it keeps its place and width, refuses further presses and says so to assistive
 * technology; the caller chooses the label.
 */
export function Button({
  look,
  small,
  busy = false,
  className,
  type = 'button',
  onClick,
  ...rest
}: Look & ButtonHTMLAttributes<HTMLButtonElement> & { busy?: boolean }) {
  return (
    <button
      {...rest}
      type={type}
      className={classes({ look, small, children: null } as Look, className)}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
      data-live=""
    />
  );
}

/** A link that looks like a button; addresses on this site navigate inside the application. */
export function ButtonLink({
  look,
  small,
  className,
  href,
  ...rest
}: Look & AnchorHTMLAttributes<HTMLAnchorElement> & { href: string; state?: object }) {
  const name = classes({ look, small, children: null } as Look, className);
  const isPage = href.startsWith('/') && !href.includes('#');
  return isPage ? (
    <Link {...rest} href={href} className={name} />
  ) : (
    <a {...rest} href={href} className={name} />
  );
}
