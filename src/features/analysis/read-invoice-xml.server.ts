import type { Field } from './report.contract.ts';

/** What an e-invoice states in its XML (UN/CEFACT CII: Factur-X, ZUGFeRD, XRechnung). */
type InvoiceFacts = Pick<Field, 'key' | 'label' | 'value' | 'normalized' | 'type'>[];

/**
 * Reads the facts of an e-invoice. The XML is scanned for elements by name; entities are
 * not expanded and nothing outside is read, so there is no parser to attack.
 */
export function readInvoiceXml(xml: string): InvoiceFacts {
  const facts: InvoiceFacts = [];
  const header = element(xml, 'ExchangedDocument') ?? element(xml, 'HeaderExchangedDocument') ?? '';
  const number = leaf(header, 'ID');
  if (number !== undefined)
    facts.push({ key: 'document_number', label: 'Invoice number', value: number, type: 'id' });
  addDate(facts, 'issue_date', 'Issue date', leaf(element(header, 'IssueDateTime') ?? '', 'DateTimeString'));
  const terms = element(xml, 'SpecifiedTradePaymentTerms') ?? '';
  addDate(facts, 'due_date', 'Due date', leaf(element(terms, 'DueDateDateTime') ?? '', 'DateTimeString'));
  const sums =
    element(xml, 'SpecifiedTradeSettlementHeaderMonetarySummation') ??
    element(xml, 'SpecifiedTradeSettlementMonetarySummation') ??
    '';
  const currency = leaf(xml, 'InvoiceCurrencyCode');
  if (currency !== undefined)
    facts.push({
      key: 'currency',
      label: 'Currency',
      value: currency,
      normalized: currency,
      type: 'currency',
    });
  addAmount(
    facts,
    'total',
    'Total',
    leaf(sums, 'GrandTotalAmount') ?? leaf(sums, 'DuePayableAmount'),
    currency,
  );
  addAmount(facts, 'net_total', 'Net total', leaf(sums, 'TaxBasisTotalAmount'), currency);
  addAmount(facts, 'tax_total', 'VAT', leaf(sums, 'TaxTotalAmount'), currency);
  const seller = leaf(element(xml, 'SellerTradeParty') ?? '', 'Name');
  if (seller !== undefined) facts.push({ key: 'supplier', label: 'Supplier', value: seller, type: 'party' });
  const buyer = leaf(element(xml, 'BuyerTradeParty') ?? '', 'Name');
  if (buyer !== undefined) facts.push({ key: 'customer', label: 'Customer', value: buyer, type: 'party' });
  return facts;
}

function addDate(facts: InvoiceFacts, key: string, label: string, digits: string | undefined): void {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(digits ?? '');
  if (match === null) return;
  const iso = `${match[1]}-${match[2]}-${match[3]}`;
  facts.push({ key, label, value: iso, normalized: iso, type: 'date' });
}

function addAmount(
  facts: InvoiceFacts,
  key: string,
  label: string,
  text: string | undefined,
  currency = '',
): void {
  const value = Number(text);
  if (text === undefined || text === '' || !Number.isFinite(value)) return;
  facts.push({
    key,
    label,
    value: `${value.toFixed(2)} ${currency}`.trim(),
    normalized: value.toFixed(2),
    type: 'money',
  });
}

/** The content of the first element of that local name. */
function element(xml: string, name: string): string | undefined {
  const open = new RegExp(`<(?:[\\w-]+:)?${name}(?:\\s[^>]{0,500})?>`).exec(xml);
  if (open === null) return undefined;
  const rest = xml.slice(open.index + open[0].length);
  const close = new RegExp(`</(?:[\\w-]+:)?${name}\\s*>`).exec(rest);
  return close === null ? undefined : rest.slice(0, close.index);
}

function leaf(xml: string, name: string): string | undefined {
  const text = element(xml, name)
    ?.replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
  return text === undefined || text === '' ? undefined : text.slice(0, 300);
}
