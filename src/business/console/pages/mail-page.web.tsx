import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import type { MailsPage, OperatorMail, OperatorSuppression } from '../console.contract.ts';
import { Choice, EmptyState, PageHead, SearchField } from '../parts/console-parts.web.tsx';
import { May, useMay } from '../parts/console-role.web.tsx';
import { useOperatorAction } from '../parts/operator-action.web.ts';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { shortTime } from '../parts/time-words.web.ts';

const STATES = [
  ['all', 'All'],
  ['waiting', 'Waiting'],
  ['sent', 'Sent'],
  ['failed', 'Failed'],
  ['bounced', 'Bounced'],
  ['suppressed', 'Held back'],
  ['kept', 'In the mailbox'],
] as const;
type State = (typeof STATES)[number][0];

const TONES: Partial<Record<OperatorMail['state'], string>> = {
  waiting: 'none',
  kept: 'none',
  suppressed: 'none',
  failed: 'due',
  bounced: 'due',
};
const WORDS = Object.fromEntries(STATES) as Record<OperatorMail['state'], string>;

const REASONS: Readonly<Record<OperatorSuppression['reason'], string>> = {
  bounce: 'Bounced',
  complaint: 'Complained',
  unsubscribe: 'Unsubscribed',
  operator: 'Stopped here',
};

/** Mails of the last week, and the addresses that get none. */
export function MailView() {
  const [state, setState] = useState<State>('all');
  const [q, setQ] = useState('');
  const query = useQuery({
    ...operatorQuery<MailsPage>('mails', { state, q }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead
        heading="Mail"
        about={
          query.data?.keepsMails === true
            ? 'No mail server is named, so mails stay in the mailbox at /dev/mail.'
            : 'The last seven days, without their text.'
        }
      >
        {query.data?.mailbox === true && (
          <a className="btn quiet" href="/dev/mail">
            Open the mailbox
          </a>
        )}
      </PageHead>
      <div className="console-tools">
        <SearchField label="Search address or subject" onSettled={setQ} />
        <Choice label="Show" value={state} options={STATES} onChoose={setState} />
      </div>
      <div className="cols">
        <div className="lists">
          <Loaded query={query}>
            {({ mails }) =>
              mails.length === 0 ? (
                <EmptyState>No mail is in this list.</EmptyState>
              ) : (
                <ul className="panel rows">
                  {mails.map((mail) => (
                    <MailRow key={mail.id} mail={mail} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </div>
        <aside aria-label="Blocked addresses">
          <Suppressions rows={query.data?.suppressions ?? []} />
        </aside>
      </div>
    </>
  );
}

function MailRow({ mail }: { mail: OperatorMail }) {
  const { busy, act } = useOperatorAction();
  const mayAct = useMay('act');
  return (
    <li className="row">
      <div className="name">
        <b>{mail.subject}</b>
        <p className="meta num">
          {mail.recipient} · {shortTime(mail.created_at)}
        </p>
        {mail.last_error === null ? null : <p className="fault">{mail.last_error}</p>}
      </div>
      <span className="badge" data-status={TONES[mail.state]}>
        {WORDS[mail.state]}
      </span>
      {mail.state === 'failed' && mayAct ? (
        <div className="acts">
          <Button
            small
            busy={busy}
            onClick={() => void act({ do: 'mail.retry', id: mail.id }, 'It is tried again.')}
          >
            Try again
          </Button>
        </div>
      ) : null}
    </li>
  );
}

function Suppressions({ rows }: { rows: readonly OperatorSuppression[] }) {
  const { busy, act } = useOperatorAction();
  const form = useRef<HTMLFormElement>(null);
  return (
    <section className="panel pad suppressions">
      <h2>
        Blocked addresses <span className="count num">{rows.length}</span>
      </h2>
      <p className="meta">No newsletters or notices; resets and receipts still arrive.</p>
      <ul>
        {rows.map((row) => (
          <li key={row.address}>
            <div>
              <b>{row.address}</b>
              <p className="meta">
                {REASONS[row.reason]}, {shortTime(row.created_at)}
              </p>
              {row.detail === '' ? null : <p className="meta">{row.detail}</p>}
            </div>
            <May call="act">
              <Button
                small
                look="quiet"
                busy={busy}
                aria-label={`Allow mails to ${row.address}`}
                onClick={() =>
                  void act({ do: 'mail.lift', address: row.address }, 'The address gets mails again.')
                }
              >
                Allow
              </Button>
            </May>
          </li>
        ))}
      </ul>
      <May call="act">
        <form
          ref={form}
          onSubmit={(event) => {
            event.preventDefault();
            const address = String(new FormData(event.currentTarget).get('address') ?? '').trim();
            void act({ do: 'mail.suppress', address }, 'The address gets no notices.').then(() =>
              form.current?.reset(),
            );
          }}
        >
          <div className="field">
            <label htmlFor="suppress-address">Stop mails to</label>
            <input id="suppress-address" name="address" type="email" required autoComplete="off" />
          </div>
          <Button small look="quiet" type="submit" busy={busy}>
            Stop
          </Button>
        </form>
      </May>
    </section>
  );
}
