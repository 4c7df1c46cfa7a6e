import {
  childElements,
  descendants,
  readXml,
  textContent,
  type XmlElement,
  XmlError,
} from '@northline/xml/xml-reader';
import type { Field } from '../contract/report.contract.ts';
import { isIsoDay } from '../values/dates.ts';

/** A fact from the XML of an e-invoice. */
export type InvoiceFact = Pick<Field, 'key' | 'label' | 'value' | 'normalized' | 'type'>;

/** An item of the invoice; amounts are decimals. */
export interface InvoiceXmlLine {
  readonly description: string;
  readonly quantity: string | undefined;
  readonly price: string | undefined;
  readonly amount: string | undefined;
  /** Per cent. */
  readonly taxRate: string | undefined;
}

/** The content of an e-invoice: UN/CEFACT CII (Factur-X, ZUGFeRD, XRechnung) or OASIS UBL (XRechnung, Peppol). */
export interface InvoiceXml {
  readonly facts: readonly InvoiceFact[];
  /** UNTDID 1001; `381` is a credit note. */
  readonly typeCode: string | undefined;
  readonly lines: readonly InvoiceXmlLine[];
  /** The sum of its items, as it states it. */
  readonly linesTotal: string | undefined;
  /** Every amount, price and quantity in it without sign, and every date (ISO), which a page may print. */
  readonly amounts: ReadonlySet<string>;
  readonly dates: ReadonlySet<string>;
}

const MAX_BYTES = 2_000_000;
const LONGEST_VALUE = 300;
const MAX_LINES = 500;

/**
 * Reads an e-invoice.
 *
 * @returns undefined if the XML cannot be read, or is not an invoice
 */
export function readInvoiceXml(xml: string): InvoiceXml | undefined {
  let root: XmlElement;
  try {
    root = readXml(xml, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
  const values = leaves(root);
  const shared = {
    amounts: new Set(
      values
        .filter((value) => /^-?\d+(?:\.\d+)?$/.test(value))
        .map((value) => Math.abs(Number(value)).toFixed(2)),
    ),
    dates: new Set(values.map(isoDate).filter((date) => date !== undefined)),
  };
  if (root.name === 'CrossIndustryInvoice' || root.name === 'CrossIndustryDocument')
    return { ...readCii(root), ...shared };
  if (root.name === 'Invoice' || root.name === 'CreditNote') return { ...readUbl(root), ...shared };
  return undefined;
}

function readCii(root: XmlElement): Pick<InvoiceXml, 'facts' | 'typeCode' | 'lines' | 'linesTotal'> {
  const header = first(root, 'ExchangedDocument') ?? first(root, 'HeaderExchangedDocument');
  const sums =
    first(root, 'SpecifiedTradeSettlementHeaderMonetarySummation') ??
    first(root, 'SpecifiedTradeSettlementMonetarySummation');
  const currency = valueAt(root, 'InvoiceCurrencyCode');
  const gross = valueAt(sums, 'GrandTotalAmount');
  return {
    typeCode: valueAt(header, 'TypeCode'),
    facts: facts({
      number: valueAt(header, 'ID'),
      issued: valueAt(header, 'IssueDateTime', 'DateTimeString'),
      // A discount's terms may stand before the terms with the due date.
      due: valueAt(root, 'DueDateDateTime', 'DateTimeString'),
      currency,
      net: valueAt(sums, 'TaxBasisTotalAmount'),
      tax: inCurrency(sums === undefined ? [] : childElements(sums, 'TaxTotalAmount'), currency),
      total: gross ?? valueAt(sums, 'DuePayableAmount'),
      payable: valueAt(sums, 'DuePayableAmount'),
      supplier: valueAt(root, 'SellerTradeParty', 'Name'),
      customer: valueAt(root, 'BuyerTradeParty', 'Name'),
    }),
    linesTotal: valueAt(sums, 'LineTotalAmount'),
    lines: descendants(root, 'IncludedSupplyChainTradeLineItem')
      // Headings of groups and remarks are not items (LineStatusReasonCode of the extended profile).
      .filter((line) => !/^(?:GROUP|INFORMATION)$/.test(valueAt(line, 'LineStatusReasonCode') ?? ''))
      .slice(0, MAX_LINES)
      .map((line) => ({
        description:
          valueAt(line, 'SpecifiedTradeProduct', 'Name') ?? valueAt(line, 'IncludedNote', 'Content') ?? '',
        quantity: valueAt(line, 'BilledQuantity'),
        price: valueAt(line, 'NetPriceProductTradePrice', 'ChargeAmount'),
        amount: valueAt(line, 'LineTotalAmount'),
        taxRate: valueAt(line, 'RateApplicablePercent') ?? valueAt(line, 'ApplicablePercent'),
      })),
  };
}

function readUbl(root: XmlElement): Pick<InvoiceXml, 'facts' | 'typeCode' | 'lines' | 'linesTotal'> {
  const isCredit = root.name === 'CreditNote';
  const sums = child(root, 'LegalMonetaryTotal');
  const party = (name: string): string | undefined =>
    valueAt(child(root, name), 'PartyLegalEntity', 'RegistrationName') ??
    valueAt(child(root, name), 'PartyName', 'Name');
  return {
    typeCode:
      own(root, 'InvoiceTypeCode') ?? own(root, 'CreditNoteTypeCode') ?? (isCredit ? '381' : undefined),
    facts: facts({
      number: own(root, 'ID'),
      issued: own(root, 'IssueDate'),
      due: own(root, 'DueDate') ?? valueAt(root, 'PaymentDueDate'),
      currency: own(root, 'DocumentCurrencyCode'),
      net: own(sums, 'TaxExclusiveAmount'),
      tax: inCurrency(
        childElements(root, 'TaxTotal').flatMap((total) => childElements(total, 'TaxAmount')),
        own(root, 'DocumentCurrencyCode'),
      ),
      total: own(sums, 'TaxInclusiveAmount') ?? own(sums, 'PayableAmount'),
      payable: own(sums, 'PayableAmount'),
      supplier: party('AccountingSupplierParty'),
      customer: party('AccountingCustomerParty'),
    }),
    linesTotal: own(sums, 'LineExtensionAmount'),
    lines: descendants(root, isCredit ? 'CreditNoteLine' : 'InvoiceLine')
      .slice(0, MAX_LINES)
      .map((line) => ({
        description: valueAt(line, 'Item', 'Name') ?? valueAt(line, 'Item', 'Description') ?? '',
        quantity: own(line, 'InvoicedQuantity') ?? own(line, 'CreditedQuantity'),
        price: valueAt(line, 'Price', 'PriceAmount'),
        amount: own(line, 'LineExtensionAmount'),
        taxRate: valueAt(line, 'ClassifiedTaxCategory', 'Percent'),
      })),
  };
}

interface Stated {
  readonly number: string | undefined;
  readonly issued: string | undefined;
  readonly due: string | undefined;
  readonly currency: string | undefined;
  readonly net: string | undefined;
  readonly tax: string | undefined;
  readonly total: string | undefined;
  readonly payable: string | undefined;
  readonly supplier: string | undefined;
  readonly customer: string | undefined;
}

function facts(stated: Stated): InvoiceFact[] {
  const { currency } = stated;
  const differs = Number(stated.payable) !== Number(stated.total);
  return [
    text('document_number', 'Invoice number', 'id', stated.number),
    date('issue_date', 'Issue date', stated.issued),
    date('due_date', 'Due date', stated.due),
    currency === undefined
      ? undefined
      : {
          key: 'currency',
          label: 'Currency',
          value: currency,
          normalized: currency,
          type: 'currency' as const,
        },
    amount('total', 'Total', stated.total, currency),
    amount('net_total', 'Net total', stated.net, currency),
    amount('tax_total', 'VAT', stated.tax, currency),
    differs ? amount('amount_due', 'Left to pay', stated.payable, currency) : undefined,
    text('supplier', 'Supplier', 'party', stated.supplier),
    text('customer', 'Customer', 'party', stated.customer),
  ].filter((fact) => fact !== undefined);
}

/** The text of every element without elements in it. */
function leaves(element: XmlElement): string[] {
  const elements = element.children.filter((one) => typeof one !== 'string');
  return elements.length === 0 ? [textContent(element).trim()] : elements.flatMap(leaves);
}

function first(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element === undefined ? undefined : descendants(element, name)[0];
}

function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element === undefined ? undefined : childElements(element, name)[0];
}

/** The text of a direct child. */
function own(element: XmlElement | undefined, name: string): string | undefined {
  return shown(child(element, name));
}

/** The text of the first element with the last name, inside the first element of each name before it. */
function valueAt(element: XmlElement | undefined, ...names: readonly string[]): string | undefined {
  return shown(names.reduce<XmlElement | undefined>(first, element));
}

/** The tax may also be stated in the currency of the tax office (BT-111); the one in the invoice's currency counts. */
function inCurrency(amounts: readonly XmlElement[], currency: string | undefined): string | undefined {
  return shown(amounts.find(({ attributes }) => attributes.get('currencyID') === currency) ?? amounts[0]);
}

function shown(element: XmlElement | undefined): string | undefined {
  const value = textContent(element).replace(/\s+/g, ' ').trim();
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

function isoDate(digits: string | undefined): string | undefined {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})(?!\d{2})/.exec(digits ?? '');
  const iso = match?.slice(1).join('-') ?? '';
  return isIsoDay(iso) ? iso : undefined;
}

/** A date. If the data is not a valid day, it is shown as it stands. */
function date(key: string, label: string, digits: string | undefined): InvoiceFact | undefined {
  if (digits === undefined) return undefined;
  const iso = isoDate(digits);
  if (iso === undefined) return { key, label, value: digits, type: 'date' };
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
