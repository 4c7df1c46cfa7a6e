import type { Invoice, InvoiceSum } from './invoice-list.contract.ts';

/** An invoice before the search for duplicates, with the hash of its file. */
export type LoneInvoice = Omit<Invoice, 'duplicates'> & { readonly sha256: string };

/**
 * Finds duplicates: the same file, the same number from the same supplier or, for invoices without a number, the same
 * amount from the same supplier on the same day.
 */
export function withDuplicates(invoices: readonly LoneInvoice[]): Invoice[] {
  const groups = new Map<string, string[]>();
  for (const invoice of invoices) {
    for (const key of invoiceKeys(invoice)) groups.set(key, [...(groups.get(key) ?? []), invoice.file_id]);
  }
  return invoices.map((each) => {
    const { sha256: _, ...invoice } = each;
    const same = new Set(invoiceKeys(each).flatMap((key) => groups.get(key) ?? []));
    same.delete(invoice.file_id);
    return { ...invoice, duplicates: [...same] };
  });
}

/** Texts that identify an invoice: two invoices that share one of them are the same. */
export function invoiceKeys({
  sha256,
  kind,
  supplier,
  number,
  total,
  currency,
  issued,
}: LoneInvoice): string[] {
  const keys = sha256 === '' ? [] : [`file ${sha256}`];
  const who = plainText(supplier);
  if (who === '') return keys;
  if (number !== null && plainText(number) !== '') keys.push(`number ${kind} ${who} ${plainText(number)}`);
  else if (total !== null && issued !== null)
    keys.push(`amount ${kind} ${who} ${total} ${currency} ${issued}`);
  return keys;
}

/** Letters and digits of a name or a number, lower case. */
function plainText(text: string | null): string {
  return (text ?? '').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Sums by the name from `nameOf`, for each currency, without unnamed invoices; only the first duplicate counts. */
export function sumInvoices(
  invoices: readonly Invoice[],
  nameOf: (invoice: Invoice) => string | undefined,
): InvoiceSum[] {
  const counted = new Set<string>();
  const sums = new Map<string, InvoiceSum>();
  for (const invoice of invoices) {
    const name = nameOf(invoice);
    const { total, currency } = invoice;
    if (name === undefined || total === null || invoice.duplicates.some((id) => counted.has(id))) continue;
    counted.add(invoice.file_id);
    const key = `${plainText(name)}\n${currency}`;
    const sum = sums.get(key) ?? {
      name,
      currency: currency ?? '',
      count: 0,
      net: 0,
      vat: 0,
      total: 0,
      open: 0,
    };
    sums.set(key, {
      ...sum,
      count: sum.count + 1,
      net: cents(sum.net + (invoice.net ?? 0)),
      vat: cents(sum.vat + (invoice.vat ?? 0)),
      total: cents(sum.total + total),
      open: cents(sum.open + (invoice.paid === null ? total : 0)),
    });
  }
  return [...sums.values()];
}

const cents = (amount: number): number => Math.round(amount * 100) / 100;
