import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { formatIsoDay, isIsoDay } from '../../../kernel/contract/dates.ts';
import { analysisPath, PAGES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { LoadedPage } from '../../../ui/parts/loaded.tsx';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import { saveAs } from '../exports/report-exports.web.tsx';
import {
  INVOICE_FUNCTIONS,
  type Invoice,
  type InvoiceList,
  type InvoiceSum,
} from './invoice-list.contract.ts';
import { invoicesQuery, markInvoice } from './invoice-read.web.ts';

const VIEWS = {
  open: 'Not paid',
  overdue: 'Overdue',
  paid: 'Paid',
  duplicates: 'Duplicates',
  all: 'All',
} as const;
type View = keyof typeof VIEWS;

/** The invoice workbench: due, paid and duplicate invoices, and the sums. */
export function InvoicesPage({ userId }: { userId: string }) {
  const list = useQuery(invoicesQuery(userId));
  const [view, setView] = useState<View>('open');
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Bills</h1>
          <p className="meta">From the reports of your invoices, credit notes and receipts.</p>
        </div>
        {(list.data?.invoices.length ?? 0) > 0 && <Exports />}
      </div>
      <LoadedPage query={list} failed="The invoices could not be loaded">
        {(data) =>
          data.invoices.length === 0 ? (
            <section className="panel empty">
              <EmptyMark />
              <h2>No invoices yet</h2>
              <p className="meta">Analyse an invoice or a receipt, and it stands here.</p>
              <ButtonLink look="signal" href={PAGES.dashboard.path}>
                Go to Files
              </ButtonLink>
            </section>
          ) : (
            <Workbench list={data} view={view} onView={setView} />
          )
        }
      </LoadedPage>
    </>
  );
}

function Workbench({ list, view, onView }: { list: InvoiceList; view: View; onView: (view: View) => void }) {
  const today = new Date().toISOString().slice(0, 10);
  const shown = list.invoices.filter((invoice) => isIn(view, invoice, today)).sort(byDue);
  return (
    <>
      <fieldset className="switch invoice-views">
        <legend className="hidden-text">Which invoices</legend>
        {Object.entries(VIEWS).map(([key, name]) => (
          <label key={key}>
            <input
              type="radio"
              name="invoice-view"
              checked={view === key}
              onChange={() => onView(key as View)}
            />
            {name} {list.invoices.filter((invoice) => isIn(key as View, invoice, today)).length}
          </label>
        ))}
      </fieldset>
      {list.more && <p className="meta">Only the latest {list.invoices.length} are listed and summed.</p>}
      {shown.length === 0 ? (
        <p className="panel pad">There are none.</p>
      ) : (
        <ul className="panel rows invoices">
          {shown.map((invoice) => (
            <InvoiceRow key={invoice.file_id} invoice={invoice} today={today} />
          ))}
        </ul>
      )}
      <div className="invoice-sums">
        <Sums title="By month" name="Month" sums={list.months} />
        <Sums title="By supplier" name="Supplier" sums={list.suppliers} />
      </div>
    </>
  );
}

function isIn(view: View, { paid, due, duplicates }: Invoice, today: string): boolean {
  if (view === 'open') return paid === null;
  if (view === 'overdue') return paid === null && due !== null && due < today;
  if (view === 'paid') return paid !== null;
  return view === 'all' || duplicates.length > 0;
}

const byDue = (a: Invoice, b: Invoice): number =>
  (a.due ?? a.issued ?? '9999').localeCompare(b.due ?? b.issued ?? '9999');

function InvoiceRow({ invoice, today }: { invoice: Invoice; today: string }) {
  const {
    file_id: id,
    supplier,
    number,
    file_name: name,
    due,
    issued,
    paid,
    total,
    currency,
    duplicates,
  } = invoice;
  const isLate = paid === null && due !== null && isIsoDay(due) && due < today;
  return (
    <li>
      <div className="invoice-who">
        <Link href={analysisPath(id)}>{supplier ?? name}</Link>
        <span className="meta">
          {KINDS[invoice.kind]} {number ?? 'without a number'}
          {issued !== null && `, ${formatIsoDay(issued)}`}
        </span>
        {duplicates.length > 0 && (
          <span className="meta">
            There {duplicates.length === 1 ? 'is one more copy' : `are ${duplicates.length} more copies`}:{' '}
            <Link href={analysisPath(duplicates[0] ?? id)}>see it</Link>
          </span>
        )}
      </div>
      <span className="invoice-due num" data-late={isLate ? '' : undefined}>
        {paid !== null
          ? `Paid ${formatIsoDay(paid)}`
          : due === null
            ? 'No due date'
            : `${isLate ? 'Was due' : 'Due'} ${formatIsoDay(due)}`}
      </span>
      <b className="num invoice-total">{total === null ? 'No total' : money(total, currency)}</b>
      <PaidBox invoice={invoice} today={today} />
    </li>
  );
}

const KINDS: Readonly<Record<Invoice['kind'], string>> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
  receipt: 'Receipt',
};

function PaidBox({ invoice, today }: { invoice: Invoice; today: string }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const mark = async (paid: boolean): Promise<void> => {
    setBusy(true);
    try {
      await markInvoice(invoice.file_id, paid ? today : null);
      await queries.invalidateQueries({ queryKey: ['files'] });
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      toast.error(said ?? 'That could not be saved. Try again.');
    } finally {
      setBusy(false);
    }
  };
  if (invoice.kind === 'receipt') return <span className="meta">Receipt</span>;
  return (
    <label className="paid-box">
      <input
        type="checkbox"
        checked={invoice.paid !== null}
        disabled={busy}
        onChange={(event) => void mark(event.target.checked)}
      />
      Paid
      <span className="hidden-text"> {invoice.supplier ?? invoice.file_name}</span>
    </label>
  );
}

function Sums({ title, name, sums }: { title: string; name: string; sums: readonly InvoiceSum[] }) {
  if (sums.length === 0) return null;
  return (
    <section className="panel pad" aria-label={title}>
      <h2>{title}</h2>
      <table className="sums num">
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col">VAT</th>
            <th scope="col">Total</th>
            <th scope="col">Open</th>
          </tr>
        </thead>
        <tbody>
          {sums.slice(0, 24).map((sum) => (
            <tr key={`${sum.name} ${sum.currency}`}>
              <th scope="row">{name === 'Month' ? monthWords(sum.name) : sum.name}</th>
              <td>{money(sum.vat, sum.currency)}</td>
              <td>{money(sum.total, sum.currency)}</td>
              <td>{money(sum.open, sum.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Exports() {
  const save = async (format: 'csv' | 'xlsx'): Promise<void> => {
    try {
      const reply = await callServer(`${INVOICE_FUNCTIONS.export}?format=${format}`, { as: 'user' });
      saveAs(await reply.blob(), `Bills.${format}`);
    } catch {
      toast.error('The table could not be saved. Try again.');
    }
  };
  return (
    <div className="invoice-exports">
      <Button small look="quiet" onClick={() => void save('xlsx')}>
        Excel
      </Button>{' '}
      <Button small look="quiet" onClick={() => void save('csv')}>
        CSV
      </Button>
    </div>
  );
}

const monthWords = (month: string): string =>
  new Date(`${month}-15T12:00:00`).toLocaleDateString('en-GB', { month: 'long', year: 'numeric' });

function money(amount: number, currency: string | null): string {
  try {
    return amount.toLocaleString('en-GB', { style: 'currency', currency: currency || 'X' });
  } catch {
    return amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  }
}
