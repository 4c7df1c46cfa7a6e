import { ButtonLink } from '../../ui/parts/button.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/** The page to which the payment provider sends visitors who cancelled (docs/specification/site.md §2). */
export default function CancelPage() {
  return (
    <PageShell className="notice">
      <svg className="notice-line" viewBox="0 0 640 96" aria-hidden="true">
        <path d="M5 72H420a24 24 0 0 0 0-48H200" />
        <circle cx="200" cy="24" r="14" />
      </svg>
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
