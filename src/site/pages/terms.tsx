import { site } from '../../ui/brand.ts';
import { PageShell } from '../frame/page-shell.tsx';

/** The terms, short enough to be read. */
export default function TermsPage() {
  return (
    <PageShell className="prose">
      <h1>Terms</h1>
      <p>These are the terms between you and {site.brand} for the services sold on this site.</p>
      <h2>Plans and payment</h2>
      <p>
        Prices are in pounds per month. A plan starts when the payment is confirmed, renews every month, and
        can be cancelled at any time: it then runs to the end of the month that is paid.
      </p>
      <h2>Documents</h2>
      <p>
        One upload uses one document of your month. Analysing again and retrying are free, and an upload that
        does not arrive costs nothing. Upload only what you are allowed to share.
      </p>
      <h2>What the reports are</h2>
      <p>
        Reports are made by software and name the place in the document that each fact comes from, so that you
        can check it. They are not legal, medical or financial advice.
      </p>
      <h2>Fair use</h2>
      <p>
        No unlawful content, no attempts to get at other people's data, no automated sign-ups. We may stop an
        account that does, and say why.
      </p>
      <h2>Questions</h2>
      <p>
        <a href={`mailto:${site.contactEmail}`}>{site.contactEmail}</a> is read by a person. English law
        applies, and your rights as a consumer stay as they are.
      </p>
    </PageShell>
  );
}
