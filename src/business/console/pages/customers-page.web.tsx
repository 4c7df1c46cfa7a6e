import { useLocation } from 'wouter';
import { PAGES } from '../../../kernel/contract/routes.ts';
import type { CustomersPage, OperatorCustomer } from '../console.contract.ts';
import { useConsoleList } from '../parts/console-list.web.ts';
import { ConsoleListView, OpenRows } from '../parts/console-list-page.web.tsx';
import { PageHead } from '../parts/console-parts.web.tsx';
import { addressOf, recordIn } from '../parts/record-address.web.ts';
import { CustomerPage } from '../records/customer-page.web.tsx';
import { planName } from '../records/customer-words.web.ts';
import { PortalPage } from '../records/portal-page.web.tsx';

/** The console's Customers pages: all accounts, one customer, and the portal as that customer sees it. */
export function CustomersView() {
  const [path] = useLocation();
  const id = recordIn(path, PAGES.operatorCustomers.path);
  if (id === undefined) return <Accounts />;
  return path.endsWith('/portal') ? <PortalPage key={id} id={id} /> : <CustomerPage key={id} id={id} />;
}

/** Accounts with their plan. */
function Accounts() {
  const list = useConsoleList<CustomersPage>('customers', { filters: {} });
  const [, navigate] = useLocation();
  const open = (id: string | undefined): void => {
    if (id !== undefined) navigate(addressOf(PAGES.operatorCustomers.path, id));
  };
  return (
    <>
      <PageHead heading="Accounts" about="All customers, newest first." />
      <ConsoleListView
        list={list}
        className="single"
        searchLabel="Search name, address or id"
        empty="Nobody was found."
        rows={(rows) => <OpenRows list={{ openId: undefined, open }} rows={rows.map(wordsOf)} />}
        panel={() => null}
      />
    </>
  );
}

const wordsOf = (row: OperatorCustomer) => ({
  id: row.user_id,
  name: row.full_name || row.email || row.user_id,
  about: row.email,
  badge: row.deletion_due_at !== null && (
    <span className="badge" data-status="due">
      To be deleted
    </span>
  ),
  state: row.plans.length === 0 ? 'No plan' : row.plans.map(planName).join(' and '),
  note: `${row.credits} ${row.credits === 1 ? 'credit' : 'credits'}`,
});
