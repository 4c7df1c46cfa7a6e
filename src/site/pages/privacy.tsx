import { site } from '../../ui/brand.ts';
import { PageShell } from '../frame/page-shell.tsx';

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
        <li>
          Your account, until you delete it: name, email address, phone number if you gave one, a hash of your
          password, and where you are signed in.
        </li>
        <li>
          Your documents and the reports about them, until you delete them. Deleting removes the file itself.
        </li>
        <li>
          Your plan and payments: the payment provider holds your card; we see its brand and last four digits.
          What was paid and used stays on record when an account is deleted, without your name.
        </li>
        <li>Your enquiries: what you wrote, so that we can answer it, until you ask us to delete it.</li>
        <li>
          Calls with the assistant on this site: what was said, as text, with time and outcome. At the end of
          a call you can delete it. A booking keeps the name, the number or address and the time that you
          gave.
        </li>
        <li>
          Mails that we sent you: for seven days. Addresses that refuse our mail, or asked for none, so that
          we keep to it.
        </li>
        <li>Request logs: address, time and path, without contents, to keep the service safe.</li>
      </ul>
      <h2>What this browser keeps</h2>
      <p>
        Your session when you sign in; the proof of a purchase until it is in your account; whether the
        keyboard shortcuts are on; for this tab only, whether you have seen the opening and what you have
        typed into an enquiry that is not sent yet.
      </p>
      <h2>What we do not do</h2>
      <p>No advertising, no tracking cookies, no analytics by third parties.</p>
      <h2>Who else sees it</h2>
      <p>
        The payment provider, for payments. If we use an outside service to analyse documents or to speak with
        callers, it receives what it needs to answer, encrypted on the way.
      </p>
      <h2>Your rights</h2>
      <p>
        A copy, a correction and the deletion of your account are in your account's settings. For everything
        else about you write to <a href={`mailto:${site.contactEmail}`}>{site.contactEmail}</a>. You may also
        complain to your data protection authority; in the United Kingdom that is the ICO.
      </p>
    </PageShell>
  );
}
