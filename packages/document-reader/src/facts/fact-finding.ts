import { BILLS, readBill } from '../bills/bill-fields.ts';
import type { Row } from '../contract/extracted-document.ts';
import type { Citer } from '../contract/quote-finding.ts';
import type { Attention, Block, DocumentKind, Field } from '../contract/report.contract.ts';
import { mainCurrency } from '../values/amounts.ts';
import { findEmails, findPhones } from '../values/contacts.ts';
import { findIbans } from '../values/ibans.ts';
import { isDayFirst } from './day-order.ts';
import { findLabelledFields } from './field-finding.ts';
import { withInvoiceXml } from './invoice-comparison.ts';

const MAX_CONTACTS = 6;
/** Fields that only mean something in documents of these kinds. */
const ONLY_IN: Partial<Record<string, readonly DocumentKind[]>> = {
  due_date: ['invoice', 'credit_note', 'receipt', 'bank_statement', 'letter', 'purchase_order', 'quotation'],
  total: ['invoice', 'credit_note', 'receipt', 'quotation', 'purchase_order', 'bank_statement', 'letter'],
  rent: ['lease', 'contract', 'letter', 'invoice'],
  deposit: ['lease', 'contract', 'letter'],
  liability_cap: ['contract', 'terms', 'lease'],
  notice_period: ['lease', 'contract', 'terms', 'letter', 'policy'],
  term: ['lease', 'contract', 'terms'],
  fee: ['lease', 'contract', 'terms', 'letter', 'quotation'],
  landlord: ['lease', 'contract'],
  tenant: ['lease', 'contract'],
  property: ['lease', 'contract', 'letter'],
};

/** The facts of a document, each with its citation. */
export function findFacts(
  document: { blocks: readonly Block[]; rows: readonly Row[]; invoiceXml: string | undefined },
  kind: DocumentKind,
  language: string | null,
  citer: Citer,
): { fields: Field[]; attention: Attention[] } {
  const text = document.blocks.map((block) => block.text).join('\n');
  const dayFirst = isDayFirst(text, language);
  const bill = BILLS.has(kind) ? readBill({ rows: document.rows, text, kind, dayFirst }, citer) : [];
  const read = new Set(bill.map(({ key }) => key));
  const labelled = findLabelledFields(document.rows, citer, dayFirst).filter(
    (field) => isOf(kind, field) && !read.has(field.key) && !(BILLS.has(kind) && BILL_KEYS.has(field.key)),
  );
  const fields = [
    ...bill,
    ...labelled,
    ...(BILLS.has(kind) ? [] : parties(document.blocks, citer, labelled)),
    ...contacts(document.blocks, citer),
  ];
  const currency = mainCurrency(text);
  const money = fields.some(({ type }) => type === 'money');
  if (currency !== undefined && money) {
    const cite =
      citer.find(currency.printed, undefined) ?? anywhere(document.blocks, currency.printed, citer);
    fields.push({
      key: 'currency',
      label: 'Currency',
      value: currency.printed,
      normalized: currency.code,
      type: 'currency',
      confidence: 0.9,
      source: 'text',
      cites: cite === undefined ? [] : [cite],
    });
  }
  const unique = fields.filter(
    (field, index) =>
      field.type !== 'iban' || fields.findIndex((other) => other.normalized === field.normalized) === index,
  );
  const merged =
    document.invoiceXml === undefined
      ? { fields: unique, attention: [] }
      : withInvoiceXml(unique, document.invoiceXml, { citer, text });
  return { ...merged, fields: inOrder(merged.fields) };
}

/** The order in which people look for facts; all others follow in their own order. */
const ORDER = [
  ...[
    'supplier',
    'customer',
    'landlord',
    'tenant',
    'document_number',
    'issue_date',
    'due_date',
    'delivery_date',
  ],
  ...[
    'start_date',
    'end_date',
    'net_total',
    'tax_total',
    'total',
    'amount_due',
    'currency',
    'rent',
    'deposit',
  ],
];

function inOrder(fields: readonly Field[]): Field[] {
  const place = ({ key }: Field): number => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return [...fields].sort((a, b) => place(a) - place(b));
}

/** Fields that only `readBill` may find in a bill. */
const BILL_KEYS: ReadonlySet<string> = new Set([
  ...['document_number', 'issue_date', 'due_date', 'delivery_date', 'total', 'net_total', 'tax_total'],
  ...[
    'supplier',
    'customer',
    'order_number',
    'customer_number',
    'rent',
    'deposit',
    'fee',
    'start_date',
    'end_date',
  ],
]);
/** Labels that mean the same in every document; the others need a document of a certain kind. */
const OF_ANY_KIND: ReadonlySet<string> = new Set([
  'subject',
  'reference',
  'iban',
  'vat_id',
  'company_number',
  'sort_code',
]);

/** Confidence of a value whose label alone says what it is, in a document without a kind. */
const STRONG_LABEL = 0.85;

function isOf(kind: DocumentKind, { key, confidence }: Field): boolean {
  if (kind === 'other') return OF_ANY_KIND.has(key) || confidence >= STRONG_LABEL;
  return (ONLY_IN[key] ?? [kind]).includes(kind);
}

/** "between A (the “Landlord”) and B (the “Tenant”)" and `This agreement is made between A and B`. */
function parties(blocks: readonly Block[], citer: Citer, known: readonly Field[]): Field[] {
  const found: Field[] = [];
  const pattern =
    /(?<=^|[\s(])(\p{Lu}[\p{L}\d&.'’-]*(?: (?:&|and|of|\p{Lu}[\p{L}\d&.'’-]*)){0,6})(?:,? (?:of|whose|a company|registered|trading)[^()]{0,160})?,? ?\((?:hereinafter )?(?:referred to as )?(?:the )?[“"'‘]?(\p{Lu}\p{L}{2,20})[”"'’]?\)/gu;
  for (const block of blocks.slice(0, 60)) {
    for (const match of block.text.matchAll(pattern)) {
      const [, name = '', role = ''] = match;
      if (name.length < 4 || /^(The|This|Terms?|Services?)$/.test(name) || found.length >= 6) continue;
      const key = role.toLowerCase();
      if (
        !/landlord|tenant|supplier|customer|client|buyer|seller|company|contractor|employer|employee|lender|borrower|agency|licensor|licensee|party|consultant|provider|guarantor|agent/.test(
          key,
        )
      )
        continue;
      if ([...known, ...found].some((field) => field.key === key && field.confidence > 0.85)) continue;
      const start = match.index + match[0].indexOf(name);
      found.push({
        key,
        label: role,
        value: name,
        type: 'party',
        confidence: 0.86,
        source: 'text',
        cites: [citer.at(block, start, start + name.length)],
      });
    }
  }
  return found;
}

type ContactKind = Pick<Field, 'key' | 'label' | 'type'>;
const CONTACTS = {
  iban: { key: 'iban', label: 'IBAN', type: 'iban' },
  email: { key: 'email', label: 'E-mail', type: 'email' },
  phone: { key: 'phone', label: 'Telephone', type: 'phone' },
} as const satisfies Record<string, ContactKind>;

function contacts(blocks: readonly Block[], citer: Citer): Field[] {
  const fields: Field[] = [];
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  const add = (block: Block, { key, label, type }: ContactKind, value: string, normalized?: string): void => {
    const number = counts.get(key) ?? 0;
    const id = `${key}\n${normalized ?? value.toLowerCase()}`;
    const start = block.text.indexOf(value);
    if (number >= MAX_CONTACTS || seen.has(id) || start < 0) return;
    seen.add(id);
    counts.set(key, number + 1);
    const cites = [citer.at(block, start, start + value.length)];
    fields.push({
      key,
      label,
      value,
      ...(normalized === undefined ? {} : { normalized }),
      type,
      confidence: 0.9,
      source: 'text',
      cites,
    });
  };
  for (const block of blocks) {
    for (const { printed, compact } of findIbans(block.text)) add(block, CONTACTS.iban, printed, compact);
    for (const email of findEmails(block.text)) add(block, CONTACTS.email, email);
    for (const phone of findPhones(block.text)) add(block, CONTACTS.phone, phone);
  }
  return fields;
}

function anywhere(blocks: readonly Block[], text: string, citer: Citer) {
  for (const block of blocks) {
    const start = block.text.indexOf(text);
    if (start >= 0) return citer.at(block, start, start + text.length);
  }
  return undefined;
}
