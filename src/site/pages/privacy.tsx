import { PageShell } from '../parts/page-shell.tsx';
import { site } from '../site.ts';

/** What is kept, why and for how long: true of this software as it is installed. */
export default function PrivacyPage() {
  return (
    <PageShell className="prose">
      <h1>Privacy</h1>
      <p>
        {site.brand} keeps what it needs to serve you, on its own server, and shows it to nobody who does not
        need it.
      </p>
      <h2>What we keep</h2>
      <ul>
        <li>Your account: name, email address, phone number if you gave one, and a hash of your password.</li>
        <li>
          Your documents and the reports about them, until you delete them. Deleting removes the file itself.
        </li>
        <li>
          Your plan and payments: the payment provider holds your card; we see its brand and last four digits.
        </li>
        <li>Your enquiries: what you wrote, so that we can answer it.</li>
        <li>Request logs: address, time and path, without contents, to keep the service safe.</li>
      </ul>
      <h2>What we do not do</h2>
      <p>
        No advertising, no tracking cookies, no analytics by third parties. This browser stores your session
        when you sign in, and whether you have seen the opening; nothing else.
      </p>
      <h2>Who else sees it</h2>
      <p>
        The payment provider, for payments. If we use an outside service to analyse documents, it receives the
        document and what it needs to answer, signed and encrypted on the way.
      </p>
      <h2>Your rights</h2>
      <p>
        Ask for a copy, a correction or the deletion of everything about you: write to{' '}
        <a href={`mailto:${site.contactEmail}`}>{site.contactEmail}</a>. You may also complain to your data
        protection authority; in the United Kingdom that is the ICO.
      </p>
    </PageShell>
  );
}
