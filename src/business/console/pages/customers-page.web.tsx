import { useQuery } from '@tanstack/react-query';
import { findPlan } from '../../../kernel/contract/plans.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { ButtonLink } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { Avatar } from '../../../ui/people/avatar.tsx';
import { useAvatar } from '../../../ui/people/avatars.ts';
import type { CustomerAccount, CustomerPlan, CustomersPage, OperatorCustomer } from '../console.contract.ts';
import { useConsoleList } from '../parts/console-list.web.ts';
import { ConsoleListView, ConsolePanel, OpenRows } from '../parts/console-list-page.web.tsx';
import { PageHead } from '../parts/console-parts.web.tsx';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { shortTime } from '../parts/time-words.web.ts';
import { PlanOverride } from './plan-override.web.tsx';

/** Accounts with their plan, and the ledger that explains each balance. */
export function CustomersView() {
  const list = useConsoleList<CustomersPage>('customers', { filters: {} });
  return (
    <>
      <PageHead heading="Customers" about="Accounts, newest first." />
      <ConsoleListView
        list={list}
        searchLabel="Search name, address or id"
        empty="Nobody was found."
        hint="Choose an account to see its plan and what its credits came from."
        rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
        panel={(id, onBack) => <Account id={id} onBack={onBack} />}
      />
    </>
  );
}

const wordsOf = (row: OperatorCustomer) => ({
  id: row.user_id,
  name: row.full_name || row.email || row.user_id,
  about: row.email,
  badge: row.deletion_due_at !== null && <span className="badge">To be deleted</span>,
  state: planWords(row),
  note: `${row.credits} ${row.credits === 1 ? 'credit' : 'credits'}`,
});

const planWords = ({ plans }: OperatorCustomer): string =>
  plans.length === 0 ? 'No plan' : plans.map(planName).join(' and ');

const planName = ({ price_id: price, tier }: CustomerPlan): string =>
  findPlan(price)?.name ?? tier ?? 'A former plan';

/** 'Pro Plan: active, renews 3 Dec, 12:00' */
function planFact(plan: CustomerPlan): string {
  const { status, current_period_end: end, cancel_at_period_end: ends } = plan;
  const day = end === null ? '' : `, ${ends ? 'ends' : 'renews'} ${shortTime(end)}`;
  return `${planName(plan)}: ${status.replaceAll('_', ' ')}${day}`;
}

function Account({ id, onBack }: { id: string; onBack: () => void }) {
  const query = useQuery(operatorQuery<CustomerAccount>('customer', { id }));
  const picture = useAvatar(id);
  return (
    <ConsolePanel label="Account" onBack={onBack}>
      <Loaded query={query}>
        {({ customer, ledger, override }) => (
          <>
            <div className="with-avatar">
              <Avatar src={picture} name={customer.full_name || customer.email || ''} />
              <h2>{customer.full_name || customer.email}</h2>
            </div>
            <Facts customer={customer} />
            <div className="console-acts">
              <ButtonLink small look="quiet" href={`${PAGES.operatorMessages.path}?customer=${id}`}>
                Messages
              </ButtonLink>
            </div>
            <h3>Give a plan without payment</h3>
            <PlanOverride userId={id} override={override} />
            <h3>Ledger</h3>
            {ledger.length === 0 ? (
              <p className="meta">No credit has moved yet.</p>
            ) : (
              <Ledger rows={ledger} />
            )}
          </>
        )}
      </Loaded>
    </ConsolePanel>
  );
}

function Facts({ customer }: { customer: OperatorCustomer }) {
  const plans = customer.plans.map((plan): [string, string] => ['Plan', planFact(plan)]);
  const facts: [string, string | null][] = [
    ['Email', customer.email],
    ...(plans.length === 0 ? [['Plan', 'No plan'] as [string, string]] : plans),
    ['Credits', String(customer.credits)],
    ['Files', String(customer.files)],
    ['Since', shortTime(customer.created_at)],
    ['Last sign-in', customer.last_sign_in_at === null ? null : shortTime(customer.last_sign_in_at)],
    ['Stripe customer', customer.customer_id],
    ['To be deleted', customer.deletion_due_at === null ? null : shortTime(customer.deletion_due_at)],
  ];
  return (
    <dl className="words">
      {facts.map(([label, value]) =>
        value === null ? null : (
          <div key={`${label} ${value}`}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Ledger({ rows }: { rows: CustomerAccount['ledger'] }) {
  return (
    // Scrolls by itself on a phone, so it has to be reachable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section className="ledger" aria-label="Ledger" tabIndex={0}>
      <table className="num">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Credits</th>
            <th scope="col">Balance</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-returned={row.state === 'returned' ? '' : undefined}>
              <td>{shortTime(row.created_at)}</td>
              <td>
                {row.description ?? row.kind}
                {row.state === 'settled' ? '' : ` (${row.state})`}
              </td>
              <td>{row.amount > 0 ? `+${row.amount}` : String(row.amount).replace('-', '−')}</td>
              <td>{row.balance}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
