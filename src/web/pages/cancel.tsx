import { ButtonLink } from '../parts/button.tsx';
import { PageShell } from '../parts/page-shell.tsx';

/** Where the payment provider sends a visitor who turned back (`spec/site.md §2`). */
export default function CancelPage() {
  return (
    <PageShell className="notice">
      <h1>Payment Cancelled</h1>
      <p>Your payment was cancelled. No charges were made.</p>
      <p className="notice-links">
        <ButtonLink href="/">Return to the home page</ButtonLink>
        <ButtonLink look="quiet" href="/#documents">
          See the plans again
        </ButtonLink>
      </p>
    </PageShell>
  );
}
