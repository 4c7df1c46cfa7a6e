import { sumMoney } from '@northline/vat/amounts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { formatBytes, formatStorage } from '../../../kernel/contract/formats.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { ButtonLink } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { Avatar } from '../../../ui/people/avatar.tsx';
import { useAvatar } from '../../../ui/people/avatars.ts';
import { May, useMay } from '../parts/console-role.web.tsx';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { addressOf } from '../parts/record-address.web.ts';
import { shortTime } from '../parts/time-words.web.ts';
import { Credits, Invoices } from './customer-money.web.tsx';
import type { CustomerEvent, CustomerRecord } from './customer-record.contract.ts';
import { EVENT_WORDS, fileState, mailState, planName, planState } from './customer-words.web.ts';
import { PlanOverride } from './plan-override.web.tsx';
import { SupportState } from './support-state.web.tsx';

/** How many rows of a list are shown before "Show all". */
const FIRST_ROWS = 6;

/** One customer: all that answers a telephone call. */
export function CustomerPage({ id }: { id: string }) {
  const query = useQuery(operatorQuery<CustomerRecord>('customer', { id }));
  useEffect(() => {
    // In newer browsers it returns a promise, which is no clean-up.
    window.scrollTo(0, 0);
  }, []);
  return (
    <article aria-label="Customer">
      <p>
        <Link className="customer-back" href={PAGES.operatorCustomers.path}>
          Accounts
        </Link>
      </p>
      <Loaded query={query}>{(record) => <Record record={record} />}</Loaded>
    </article>
  );
}

function Record({ record }: { record: CustomerRecord }) {
  const { customer } = record;
  return (
    <>
      <Head record={record} />
      <Figures record={record} />
      <div className="customer-columns">
        <div>
          <Credits record={record} />
          <Invoices record={record} />
          <Files record={record} />
          <History events={record.events} />
        </div>
        <aside aria-label="About the customer">
          <Facts record={record} />
          <SupportState record={record} />
          <Team team={record.team} own={customer.user_id} />
          <Mails mails={record.mails} />
          <May call="act">
            <details className="customer-fold" open={record.override !== null}>
              <summary>
                <h2>Give a plan without payment</h2>
              </summary>
              <PlanOverride userId={customer.user_id} override={record.override} />
            </details>
          </May>
        </aside>
      </div>
    </>
  );
}

function Head({ record: { customer, unread } }: { record: CustomerRecord }) {
  const picture = useAvatar(customer.user_id);
  const mayWrite = useMay('send-message');
  const name = customer.full_name || customer.email || 'A customer';
  return (
    <div className="lead-in customer-head">
      <div className="with-avatar">
        <Avatar src={picture} name={name} />
        <div>
          <h1 tabIndex={-1} className="cut-heading" title={name}>
            {name}
          </h1>
          <p className="meta">{customer.email}</p>
        </div>
        {customer.deletion_due_at !== null && (
          <span className="badge" data-status="due">
            To be deleted on {shortTime(customer.deletion_due_at)}
          </span>
        )}
      </div>
      <ButtonLink look="ink" href={addressOf(PAGES.operatorMessages.path, customer.user_id)}>
        {unread === 0 ? (mayWrite ? 'Write a message' : 'Messages') : `Read ${unread} unread`}
      </ButtonLink>
    </div>
  );
}

function Figures({ record: { customer, storage, invoices } }: { record: CustomerRecord }) {
  const paid = sumMoney(invoices.map(({ refundable, currency }) => ({ amount: refundable, currency })));
  const figures: [string, string, string][] = [
    [
      'Plan',
      customer.plans.length === 0 ? 'No plan' : customer.plans.map(planName).join(' and '),
      customer.plans[0] === undefined ? '' : planState(customer.plans[0]),
    ],
    ['Credits', String(customer.credits), 'left'],
    ['Storage', formatBytes(storage.used), `of ${formatStorage(storage.limit / 1024 ** 2)}`],
    ['Paid', paid === '' ? 'Nothing' : paid, 'without refunds'],
  ];
  return (
    <dl className="customer-figures panel">
      {figures.map(([label, value, note]) => (
        <div key={label}>
          <dt className="meta">{label}</dt>
          <dd className="num">
            <b>{value}</b>
            <span className="meta">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ShortListProps<Row> {
  readonly rows: readonly Row[];
  readonly empty: string;
  readonly children: (row: Row) => ReactNode;
}

/** The first rows of a list; the rest on request. */
function ShortList<Row>({ rows, empty, children }: ShortListProps<Row>) {
  const [all, setAll] = useState(false);
  if (rows.length === 0) return <p className="meta">{empty}</p>;
  return (
    <div className="panel rows">
      <ul className="customer-rows">{(all ? rows : rows.slice(0, FIRST_ROWS)).map(children)}</ul>
      {rows.length > FIRST_ROWS && !all && (
        <button type="button" className="text-btn customer-more" onClick={() => setAll(true)}>
          Show all {rows.length}
        </button>
      )}
    </div>
  );
}

function Files({ record: { customer, files } }: { record: CustomerRecord }) {
  return (
    <section aria-labelledby="files">
      <h2 id="files">
        Files <span className="meta num">{customer.files}</span>
      </h2>
      <ShortList rows={files} empty="No file is stored.">
        {(file) => (
          <li key={file.id}>
            <b>{file.file_name}</b>
            <span className="meta num">{formatBytes(file.file_size)}</span>
            <span className="badge" data-status={file.status}>
              {fileState(file.status)}
            </span>
            <span className="meta num">{shortTime(file.created_at)}</span>
          </li>
        )}
      </ShortList>
    </section>
  );
}

const RECORD_PAGES = {
  call: PAGES.operatorCalls.path,
  booking: PAGES.operatorBookings.path,
  enquiry: PAGES.operatorEnquiries.path,
  message: PAGES.operatorMessages.path,
  lesson: PAGES.operatorCourses.path,
} as const;

function History({ events }: { events: readonly CustomerEvent[] }) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">What happened</h2>
      <ShortList rows={events} empty="No call, message, enquiry, booking or lesson yet.">
        {(event) => (
          <li key={`${event.kind} ${event.id} ${event.at}`} className="customer-event">
            <span className="badge" data-status="none">
              {EVENT_WORDS[event.kind]}
            </span>
            <Link data-record="" href={addressOf(RECORD_PAGES[event.kind], event.id)}>
              <b>{event.title}</b>
              <span className="meta">{event.about}</span>
            </Link>
            <span className="meta num">{shortTime(event.at)}</span>
          </li>
        )}
      </ShortList>
    </section>
  );
}

function Facts({ record: { customer, phones } }: { record: CustomerRecord }) {
  const facts: [string, ReactNode][] = [
    ...phones.map((phone): [string, ReactNode] => [
      'Phone',
      <a className="num" key={phone} href={`tel:${phone.replace(/[^+\d]/g, '')}`}>
        {phone}
      </a>,
    ]),
    ...customer.plans.map((plan): [string, ReactNode] => [planName(plan), planState(plan)]),
    ['Since', shortTime(customer.created_at)],
    ['Last sign-in', customer.last_sign_in_at === null ? 'Never' : shortTime(customer.last_sign_in_at)],
    ['Stripe customer', customer.customer_id],
  ];
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      <dl className="words">
        {facts.map(([label, value], at) =>
          value === null ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same label may stand twice
            <div key={at}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

function Team({ team, own }: { team: CustomerRecord['team']; own: string }) {
  if (team === null) return null;
  return (
    <section aria-labelledby="team">
      <h2 id="team">Team {team.name}</h2>
      <ul className="customer-small">
        {team.members.map(({ user_id: id, email, role }) => (
          <li key={id}>
            {id === own ? (
              <span>{email}</span>
            ) : (
              <Link href={addressOf(PAGES.operatorCustomers.path, id)}>{email}</Link>
            )}
            <span className="meta">{role}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Mails({ mails }: { mails: CustomerRecord['mails'] }) {
  return (
    <section aria-labelledby="mails">
      <h2 id="mails">Mails of the last seven days</h2>
      {mails.length === 0 ? (
        <p className="meta">None.</p>
      ) : (
        <ul className="customer-small">
          {mails.slice(0, FIRST_ROWS).map((mail) => (
            <li key={mail.id}>
              <span>
                {mail.subject}
                <span className="meta"> {mailState(mail.state)}</span>
              </span>
              <span className="meta num">{shortTime(mail.created_at)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
