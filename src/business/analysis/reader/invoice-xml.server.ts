import {
  descendants,
  readXml,
  textContent,
  type XmlElement,
  XmlError,
} from '../../../kernel/xml/xml-reader.ts';
import type { Field } from '../report/report.contract.ts';

/** What an e-invoice states in its XML (UN/CEFACT CII: Factur-X, ZUGFeRD, XRechnung). */
export type InvoiceFact = Pick<Field, 'key' | 'label' | 'value' | 'normalized' | 'type'>;

const MAX_BYTES = 2_000_000;
const LONGEST_VALUE = 300;

/**
 * Reads the facts of an e-invoice.
 *
 * @returns undefined when the XML cannot be read
 */
export function readInvoiceXml(xml: string): InvoiceFact[] | undefined {
  let root: XmlElement;
  try {
    root = readXml(xml, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
  const header = first(root, 'ExchangedDocument') ?? first(root, 'HeaderExchangedDocument');
  const terms = first(root, 'SpecifiedTradePaymentTerms');
  const sums =
    first(root, 'SpecifiedTradeSettlementHeaderMonetarySummation') ??
    first(root, 'SpecifiedTradeSettlementMonetarySummation');
  const currency = valueAt(root, 'InvoiceCurrencyCode');
  const total = valueAt(sums, 'GrandTotalAmount') ?? valueAt(sums, 'DuePayableAmount');
  return [
    text('document_number', 'Invoice number', 'id', valueAt(header, 'ID')),
    date('issue_date', 'Issue date', valueAt(header, 'IssueDateTime', 'DateTimeString')),
    date('due_date', 'Due date', valueAt(terms, 'DueDateDateTime', 'DateTimeString')),
    currency === undefined
      ? undefined
      : {
          key: 'currency',
          label: 'Currency',
          value: currency,
          normalized: currency,
          type: 'currency' as const,
        },
    amount('total', 'Total', total, currency),
    amount('net_total', 'Net total', valueAt(sums, 'TaxBasisTotalAmount'), currency),
    amount('tax_total', 'VAT', valueAt(sums, 'TaxTotalAmount'), currency),
    text('supplier', 'Supplier', 'party', valueAt(root, 'SellerTradeParty', 'Name')),
    text('customer', 'Customer', 'party', valueAt(root, 'BuyerTradeParty', 'Name')),
  ].filter((fact) => fact !== undefined);
}

function first(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element === undefined ? undefined : descendants(element, name)[0];
}

/** Text of the first element of the last name, looked for within the first one of each name before it. */
function valueAt(element: XmlElement | undefined, ...names: readonly string[]): string | undefined {
  const found = names.reduce<XmlElement | undefined>(first, element);
  const value = textContent(found).replace(/\s+/g, ' ').trim();
  return value === '' ? undefined : value.slice(0, LONGEST_VALUE);
}

function text(
  key: string,
  label: string,
  type: Field['type'],
  value: string | undefined,
): InvoiceFact | undefined {
  return value === undefined ? undefined : { key, label, value, type };
}

function date(key: string, label: string, digits: string | undefined): InvoiceFact | undefined {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(digits ?? '');
  if (match === null) return undefined;
  const iso = `${match[1]}-${match[2]}-${match[3]}`;
  return { key, label, value: iso, normalized: iso, type: 'date' };
}

function amount(
  key: string,
  label: string,
  digits: string | undefined,
  currency = '',
): InvoiceFact | undefined {
  const value = Number(digits);
  if (digits === undefined || !Number.isFinite(value)) return undefined;
  const fixed = value.toFixed(2);
  return { key, label, value: `${fixed} ${currency}`.trim(), normalized: fixed, type: 'money' };
}
