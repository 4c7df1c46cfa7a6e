import { Download } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import type { BilledInvoice } from '../subscription/billing-management.contract.ts';
import type { BillingPortal } from '../subscription/billing-portal.web.ts';
import { dateWords, invoiceWords, moneyWords, vatWords } from '../subscription/billing-words.web.ts';
import { downloadInvoice } from '../subscription/invoice-download.web.ts';

const SHOWN_FIRST = 4;

/** Invoices and receipts, newest first, each with a download. */
export function InvoiceList({
  invoices,
  portal,
}: {
  invoices: readonly BilledInvoice[];
  portal: BillingPortal;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? invoices : invoices.slice(0, SHOWN_FIRST);
  return (
    <section aria-labelledby="invoices">
      <div className="invoices-head">
        <h2 id="invoices">
          Invoices <span className="count num">{invoices.length}</span>
        </h2>
        <button
          type="button"
          className="text-btn"
          aria-disabled={portal.busy || undefined}
          onClick={() => portal.open()}
        >
          Change card or billing details
        </button>
      </div>
      {invoices.length === 0 ? (
        <p className="panel pad meta">Your first invoice appears here as soon as a plan is paid.</p>
      ) : (
        <div className="panel rows">
          <table className="invoices">
            <thead>
              <tr>
                <th scope="col">Date</th>
                <th scope="col">Number</th>
                <th scope="col" className="amount">
                  Amount
                </th>
                <th scope="col">Status</th>
                <th scope="col">
                  <span className="hidden-text">Download</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((invoice) => (
                <InvoiceRow key={invoice.id} invoice={invoice} />
              ))}
            </tbody>
          </table>
          {shown.length < invoices.length && (
            <button type="button" className="text-btn more" onClick={() => setAll(true)}>
              Show all {invoices.length} invoices
            </button>
          )}
        </div>
      )}
    </section>
  );
}

function InvoiceRow({ invoice }: { invoice: BilledInvoice }) {
  const [busy, setBusy] = useState(false);
  const { word, tone } = invoiceWords(invoice);
  const name = invoice.number ?? `of ${dateWords(invoice.date)}`;
  const download = async (): Promise<void> => {
    setBusy(true);
    try {
      await downloadInvoice(invoice);
    } catch (error) {
      toast.error(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <tr>
      <td className="date">
        <time dateTime={invoice.date}>{dateWords(invoice.date)}</time>
      </td>
      <td className="number num">{invoice.number ?? '–'}</td>
      <td className="amount num">
        {moneyWords(invoice.amount_pence, invoice.currency)}{' '}
        {vatWords(invoice) !== '' && <small>{vatWords(invoice)}</small>}
      </td>
      <td className="state">
        <span className="badge" data-status={tone}>
          {word}
        </span>
      </td>
      <td className="get">
        {invoice.pdf_url !== null && (
          <Button
            small
            look="quiet"
            busy={busy}
            aria-label={`Download invoice ${name}`}
            onClick={() => void download()}
          >
            <Download size={18} aria-hidden="true" />
            <span className="get-word">Download</span>
          </Button>
        )}
      </td>
    </tr>
  );
}
