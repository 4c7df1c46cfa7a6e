import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { formatTime } from '../../kernel/contract/dates.ts';
import { analysisPath } from '../../kernel/contract/routes.ts';
import { Button } from '../../ui/parts/button.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../ui/parts/form.tsx';
import { CallRefused } from '../../ui/session/server-call.ts';
import { type InboxMail, type InboxSender, type InboxView, REFUSALS } from './inbox.contract.ts';
import { changeInbox, inboxQuery, proofOf } from './inbox-read.web.ts';

type Change = (...given: Parameters<typeof changeInbox>) => Promise<boolean>;

/** Below the file lists: the customer's address for mails, who may send, and what came. Nothing where mails are not taken. */
export function InboxPanel({ userId }: { userId: string }) {
  const query = useQuery(inboxQuery(userId));
  const { busy, change } = useChange(userId);
  useProof(change, query.data !== undefined && query.data !== null);
  const view = query.data;
  if (view == null) return null;
  return (
    <section className="panel pad inbox" aria-labelledby="inbox-title" id="documents-by-mail">
      <h2 id="inbox-title">Documents by mail</h2>
      <p>
        Send or forward a mail to your address: each attachment becomes a document, takes a credit and is
        analysed. A mail without an attachment becomes a document itself. The sender gets an answer that says
        what was taken.
      </p>
      {view.address === null ? (
        <Button look="quiet" busy={busy} onClick={() => void change('address', {})}>
          Get your address
        </Button>
      ) : (
        <>
          <Address address={view.address} busy={busy} change={change} />
          <Senders senders={view.senders} busy={busy} change={change} />
          <Arrivals mails={view.mails} />
        </>
      )}
    </section>
  );
}

function useChange(userId: string): { busy: boolean; change: Change } {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const change: Change = async (name, body) => {
    setBusy(true);
    try {
      queries.setQueryData(inboxQuery(userId).queryKey, await changeInbox(name, body));
      return true;
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      toast.error(said ?? 'That did not come through. Try again.');
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, change };
}

/** The link of a proof leads here: it is used once, and leaves the address of the page. */
function useProof(change: Change, isReady: boolean): void {
  const used = useRef(false);
  useEffect(() => {
    const token = proofOf(location.hash);
    if (!isReady || token === '' || used.current) return;
    used.current = true;
    history.replaceState(history.state, '', location.pathname + location.search);
    void change('prove', { token }).then((isProven) => {
      if (isProven) toast.success('Documents from this address are taken now');
    });
  });
}

function Address({ address, busy, change }: { address: string; busy: boolean; change: Change }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(address);
      setCopied(true);
    } catch {
      toast.error('The address could not be copied. Select it and copy it yourself.');
    }
  };
  return (
    <>
      <div className="inbox-address">
        <code>{address}</code>
        <Button small look="quiet" onClick={() => void copy()}>
          <Copy size={16} aria-hidden="true" />
          Copy the address
        </Button>
      </div>
      <p className="meta" role="status">
        {copied ? 'Copied.' : ''}
      </p>
      <p className="meta">
        If others know your address, get a new one: the old one then takes nothing.{' '}
        <button
          type="button"
          className="text-btn"
          disabled={busy}
          onClick={() => {
            setCopied(false);
            void change('address', {});
          }}
        >
          Get a new address
        </button>
      </p>
    </>
  );
}

const KINDS: Readonly<Record<InboxSender['kind'], string>> = {
  account: 'Your account',
  team: 'Your team',
  added: 'Added by you',
};

function Senders({
  senders,
  busy,
  change,
}: {
  senders: readonly InboxSender[];
  busy: boolean;
  change: Change;
}) {
  const [asked, setAsked] = useState({ address: '', count: 0 });
  const ask = async (address: string): Promise<void> => {
    if (await change('ask', { address })) setAsked(({ count }) => ({ address, count: count + 1 }));
  };
  return (
    <>
      <h3>Who may send</h3>
      <p className="meta">
        Only mails from these addresses are taken, and only if our mail server confirms that they really come
        from there.
      </p>
      <ul className="inbox-rows" aria-label="Addresses that may send">
        {senders.map(({ address, kind, proven }) => (
          <li key={address}>
            <div className="who">
              <b>{address}</b>
              <p className="meta">
                {KINDS[kind]}
                {!proven && ', not proven yet: nothing is taken from it'}
              </p>
            </div>
            {!proven && kind !== 'team' && (
              <Button
                small
                look="quiet"
                busy={busy}
                aria-label={`Send a link to ${address}`}
                onClick={() => void ask(address)}
              >
                Send a link
              </Button>
            )}
            {kind === 'added' && (
              <Button
                small
                look="quiet"
                busy={busy}
                aria-label={`Remove ${address}`}
                onClick={() => void change('remove', { address })}
              >
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      {/* Empty again after each address, for the next one. */}
      <Form key={asked.count} label="Add an address" onSubmit={({ email = '' }: FormValues) => ask(email)}>
        <div className="inbox-add">
          <Field
            label="Another address"
            name="email"
            type="email"
            autoComplete="off"
            required
            missing="Enter an email address"
            wrong="Enter an email address like name@example.com"
          />
          <Button type="submit" look="quiet" busy={busy}>
            Add
          </Button>
        </div>
      </Form>
      <p className="meta" role="status">
        {asked.address === ''
          ? ''
          : `A link is on its way to ${asked.address}. Open it while you are signed in here.`}
      </p>
    </>
  );
}

function Arrivals({ mails }: { mails: InboxView['mails'] }) {
  return (
    <>
      <h3>What came</h3>
      {mails.length === 0 ? (
        <p className="meta">No mail has come yet.</p>
      ) : (
        <ul className="inbox-rows" aria-label="Mails that came">
          {mails.map((mail) => (
            <Arrival key={mail.id} mail={mail} />
          ))}
        </ul>
      )}
    </>
  );
}

function Arrival({ mail }: { mail: InboxMail }) {
  const { sender, subject, at, state, reason, documents } = mail;
  return (
    <li>
      <div className="who">
        <b>{subject === '' ? 'Without a subject' : subject}</b>
        <p className="meta">
          {sender === '' ? 'No sender' : sender}, <time dateTime={at}>{formatTime(new Date(at))}</time>
          {state === 'working' && ', being taken'}
        </p>
        {reason !== null && <p className="fault">Not taken: {REFUSALS[reason]}.</p>}
        {documents.length > 0 && (
          <ul>
            {documents.map((document, position) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: attachments may have the same name, and keep their order
              <li key={position}>
                {document.file_id === null ? (
                  document.name
                ) : (
                  <Link href={analysisPath(document.file_id)}>{document.name}</Link>
                )}
                {document.reason !== null && (
                  <span className="fault"> was not taken: {REFUSALS[document.reason]}.</span>
                )}
                {document.reason === null && document.file_id === null && (
                  <span className="meta"> was deleted.</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
