import { Button, ButtonLink } from '../../ui/parts/button.tsx';
import { PageShell } from './page-shell.tsx';

/** Shown in place of a page that could not be fetched or that failed; reloading fetches it again. */
export function FailedPage() {
  return (
    <PageShell className="notice">
      <svg className="notice-line" viewBox="0 0 640 96" aria-hidden="true">
        <path d="M5 48H300" />
        <path className="notice-gap" d="M326 48H572" />
        <circle cx="600" cy="48" r="14" />
      </svg>
      <h1>This page did not load</h1>
      <p role="alert">
        The connection may be gone, or the site has just been updated. Nothing that you have stored is lost.
      </p>
      <p className="notice-links">
        <Button onClick={() => window.location.reload()}>Load it again</Button>
        <ButtonLink look="quiet" href="/">
          Back to the home page
        </ButtonLink>
      </p>
    </PageShell>
  );
}
