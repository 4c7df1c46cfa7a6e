import { ButtonLink } from '../parts/button.tsx';
import { PageShell } from '../parts/page-shell.tsx';

/** Answers every address that is not on the map. */
export default function NotFoundPage() {
  return (
    <PageShell className="notice">
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
