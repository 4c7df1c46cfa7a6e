import { ButtonLink } from '../../ui/parts/button.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/** Shown for every unknown address. */
export default function NotFoundPage() {
  return (
    <PageShell className="notice">
      <svg className="notice-line" viewBox="0 0 640 96" aria-hidden="true">
        <path d="M5 72H250L306 24H420" />
        <path className="notice-gap" d="M446 24H572" />
        <circle cx="600" cy="24" r="14" />
      </svg>
      <p className="notice-code num">404</p>
      <h1>No such stop</h1>
      <p>There is nothing at this address. The link may be old, or a letter may have got lost on the way.</p>
      <p className="notice-links">
        <ButtonLink href="/">Back to the home page</ButtonLink>
        <ButtonLink look="quiet" href="/enquire">
          Ask us
        </ButtonLink>
      </p>
    </PageShell>
  );
}
