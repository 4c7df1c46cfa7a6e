import { decimalMoney, readMoney } from '@northline/vat/amounts';
import { currencyWord, formatMoney } from '@northline/vat/money';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import { May, useMay } from '../parts/console-role.web.tsx';
import { useOperatorAction } from '../parts/operator-action.web.ts';
import { postAsOperator } from '../parts/operator-client.web.ts';
import { shortTime } from '../parts/time-words.web.ts';
import {
  type CustomerInvoice,
  type CustomerRecord,
  MOST_CREDITS,
  REASON_LENGTH,
  type RefundRequest,
} from './customer-record.contract.ts';
import { creditWords, invoiceState, signed } from './customer-words.web.ts';

const FIRST_ENTRIES = 6;

/** The balance, the form that changes it, and the ledger that explains it. */
export function Credits({ record }: { record: CustomerRecord }) {
  const { customer, ledger } = record;
  const [form, setForm] = useState<1 | -1>();
  const [all, setAll] = useState(false);
  return (
    <section aria-labelledby="credits">
      <div className="customer-section-head">
        <h2 id="credits">Credits</h2>
        <May call="act">
          <span className="console-acts">
            <Button
              small
              look="quiet"
              aria-expanded={form === 1}
              onClick={() => setForm(form === 1 ? undefined : 1)}
            >
              Give credits
            </Button>
            {customer.credits > 0 && (
              <Button
                small
                look="quiet"
                aria-expanded={form === -1}
                onClick={() => setForm(form === -1 ? undefined : -1)}
              >
                Take back
              </Button>
            )}
          </span>
        </May>
      </div>
      {form !== undefined && (
        <CreditForm
          key={form}
          sign={form}
          most={form === 1 ? MOST_CREDITS : Math.min(MOST_CREDITS, customer.credits)}
          userId={customer.user_id}
          onDone={() => setForm(undefined)}
        />
      )}
      {ledger.length === 0 ? (
        <p className="meta">No credit has moved yet.</p>
      ) : (
        <div className="panel rows">
          <Ledger rows={all ? ledger : ledger.slice(0, FIRST_ENTRIES)} />
          {ledger.length > FIRST_ENTRIES && !all && (
            <button type="button" className="text-btn customer-more" onClick={() => setAll(true)}>
              Show all {ledger.length}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

interface CreditFormProps {
  readonly sign: 1 | -1;
  readonly most: number;
  readonly userId: string;
  readonly onDone: () => void;
}

function CreditForm({ sign, most, userId, onDone }: CreditFormProps) {
  const { busy, act } = useOperatorAction();
  const [count, setCount] = useState('5');
  const [reason, setReason] = useState('');
  const amount = Number(count);
  const isAmount = Number.isInteger(amount) && amount >= 1 && amount <= most;
  const verb = sign === 1 ? 'Give' : 'Take back';
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isAmount) return;
    await act(
      { do: 'customer.credits', id: userId, amount: sign * amount, reason: reason.trim() },
      sign === 1 ? `${creditWords(amount)} given.` : `${creditWords(amount)} taken back.`,
    );
    onDone();
  };
  return (
    <form className="panel pad customer-form" onSubmit={(event) => void send(event)}>
      <div className="field">
        <label htmlFor="credit-count">Credits</label>
        <input
          id="credit-count"
          type="number"
          inputMode="numeric"
          min={1}
          max={most}
          required
          value={count}
          onChange={({ currentTarget }) => setCount(currentTarget.value)}
        />
      </div>
      <ReasonField
        id="credit-reason"
        hint="The customer reads the reason in the credit history."
        reason={reason}
        onReason={setReason}
      />
      <Button small look="ink" type="submit" busy={busy} disabled={!isAmount || reason.trim() === ''}>
        {isAmount ? `${verb} ${creditWords(amount)}` : verb}
      </Button>
    </form>
  );
}

function Ledger({ rows }: { rows: CustomerRecord['ledger'] }) {
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
              <td>{signed(row.amount)}</td>
              <td>{row.balance}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The provider's invoices; money of a paid one is given back here. The fragment of the address may name one. */
export function Invoices({ record: { customer, invoices } }: { record: CustomerRecord }) {
  const [open, setOpen] = useState<string>();
  const mayRefund = useMay('refund');
  const [named] = useState(() => decodeURIComponent(location.hash.slice(1)));
  useEffect(() => {
    if (named !== '') document.getElementById(named)?.scrollIntoView({ block: 'center' });
  }, [named]);
  return (
    <section aria-labelledby="invoices">
      <h2 id="invoices">Invoices</h2>
      {invoices.length === 0 ? (
        <p className="meta">Nothing was invoiced yet.</p>
      ) : (
        <ul className="panel rows customer-rows">
          {invoices.map((invoice) => (
            <li key={invoice.id} id={invoice.id} data-named={invoice.id === named ? '' : undefined}>
              <b className="num">{invoice.number ?? invoice.id}</b>
              <span className="meta num">{shortTime(invoice.created_at)}</span>
              <span className="badge" data-status={invoice.status === 'open' ? 'due' : 'none'}>
                {invoiceState(invoice)}
              </span>
              <b className="num customer-amount">{formatMoney(invoice.total, invoice.currency)}</b>
              {invoice.refundable > 0 && mayRefund ? (
                <Button
                  small
                  look="quiet"
                  aria-expanded={open === invoice.id}
                  aria-label={`Refund invoice ${invoice.number ?? invoice.id}`}
                  onClick={() => setOpen(open === invoice.id ? undefined : invoice.id)}
                >
                  Refund
                </Button>
              ) : (
                <span />
              )}
              {open === invoice.id && (
                <RefundForm userId={customer.user_id} invoice={invoice} onDone={() => setOpen(undefined)} />
              )}
            </li>
          ))}
        </ul>
      )}
      {!mayRefund && invoices.some(({ refundable }) => refundable > 0) && (
        <p className="meta">Owners refund invoices.</p>
      )}
    </section>
  );
}

interface RefundFormProps {
  readonly userId: string;
  readonly invoice: CustomerInvoice;
  readonly onDone: () => void;
}

function RefundForm({ userId, invoice, onDone }: RefundFormProps) {
  const queries = useQueryClient();
  const { currency } = invoice;
  const [words, setWords] = useState(decimalMoney(invoice.refundable, currency));
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  // A press that is repeated after a lost answer is the same refund.
  const [attempt] = useState(() => crypto.randomUUID());
  const amount = readMoney(words, currency) ?? 0;
  const isAmount = amount >= 1 && amount <= invoice.refundable;
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isAmount || busy) return;
    setBusy(true);
    const body: RefundRequest = { id: userId, invoice: invoice.id, amount, reason: reason.trim(), attempt };
    try {
      await postAsOperator(queries, 'refund', body);
      toast.success(`${formatMoney(amount, currency)} refunded.`);
      onDone();
    } catch (error) {
      toast.error((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <form className="customer-form" onSubmit={(event) => void send(event)}>
      <div className="field">
        <label htmlFor="refund-amount">Amount in {currencyWord(currency)}</label>
        <input
          id="refund-amount"
          inputMode="decimal"
          required
          autoComplete="off"
          value={words}
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
        />
      </div>
      <ReasonField id="refund-reason" reason={reason} onReason={setReason} />
      <Button small look="danger" type="submit" busy={busy} disabled={!isAmount || reason.trim() === ''}>
        {isAmount ? `Refund ${formatMoney(amount, currency)}` : 'Refund'}
      </Button>
      <p className="meta">
        The money goes back to the card. The same share of the invoice's credits is taken back, as far as they
        are left.
      </p>
    </form>
  );
}

function ReasonField(props: {
  id: string;
  hint?: string;
  reason: string;
  onReason: (reason: string) => void;
}) {
  return (
    <div className="field">
      <label htmlFor={props.id}>Why</label>
      <input
        id={props.id}
        required
        aria-describedby={props.hint === undefined ? undefined : `${props.id}-hint`}
        maxLength={REASON_LENGTH}
        autoComplete="off"
        value={props.reason}
        onChange={({ currentTarget }) => props.onReason(currentTarget.value)}
      />
      {props.hint !== undefined && (
        <p className="field-hint" id={`${props.id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  );
}
