import type { Row } from '../reader/extracted-document.server.ts';
import { type InvoiceFact, readInvoiceXml } from '../reader/invoice-xml.server.ts';
import type { Citer } from './citation.server.ts';
import { findLabelledFields } from './field-finding.server.ts';
import type { Attention, Block, DocumentKind, Field } from './report.contract.ts';
import { findEmails, findIbans, findPhones, mainCurrency } from './value-parsing.server.ts';

const MAX_CONTACTS = 6;
/** Fields that only mean something in documents of these kinds. */
const ONLY_IN: Partial<Record<string, readonly DocumentKind[]>> = {
  document_number: ['invoice', 'credit_note', 'receipt', 'quotation', 'purchase_order'],
  due_date: ['invoice', 'credit_note', 'receipt', 'bank_statement', 'letter', 'purchase_order', 'quotation'],
  total: ['invoice', 'credit_note', 'receipt', 'quotation', 'purchase_order', 'bank_statement', 'letter'],
  net_total: ['invoice', 'credit_note', 'receipt', 'quotation', 'purchase_order'],
  tax_total: ['invoice', 'credit_note', 'receipt', 'quotation', 'purchase_order'],
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

/** The facts of a document, each with the place that it comes from. */
export function findFacts(
  document: { blocks: readonly Block[]; rows: readonly Row[]; invoiceXml: string | undefined },
  kind: DocumentKind,
  language: string | null,
  citer: Citer,
): { fields: Field[]; attention: Attention[] } {
  const text = document.blocks.map((block) => block.text).join('\n');
  const dayFirst = isDayFirst(text, language);
  const labelled = findLabelledFields(document.rows, citer, dayFirst).filter(
    ({ key }) => kind === 'other' || (ONLY_IN[key] ?? [kind]).includes(kind),
  );
  const fields = [
    ...labelled,
    ...parties(document.blocks, citer, labelled),
    ...contacts(document.blocks, citer),
  ];
  const issuer =
    ['invoice', 'credit_note', 'receipt', 'quotation'].includes(kind) &&
    issuingCompany(document.blocks, fields, citer);
  if (issuer) fields.push(issuer);
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
  const attention: Attention[] = [];
  const merged = withXml(fields, document.invoiceXml, citer, attention);
  return { fields: merged, attention };
}

/** US order is used where the text shows it: a second number above 12, or dollars in English text without GB signs. */
function isDayFirst(text: string, language: string | null): boolean {
  const dates = [...text.matchAll(/\b(\d{1,2})[/-](\d{1,2})[/-]\d{2,4}\b/g)];
  const firstAbove = dates.some(([, first]) => Number(first) > 12);
  const secondAbove = dates.some(([, , second]) => Number(second) > 12);
  if (firstAbove !== secondAbove) return firstAbove;
  const american = /(?<![A-Z])\$|\bUSA?\b|\b(?:Inc|LLC)\b/.test(text) && !/[£€₹]|\bGST\b|\bVAT\b/.test(text);
  return !(language === 'en' && american);
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

/** The company at the head of a bill is who sent it, when it is not who it was sent to. */
function issuingCompany(blocks: readonly Block[], known: readonly Field[], citer: Citer): Field | undefined {
  if (known.some(({ key }) => key === 'supplier')) return undefined;
  const customer = known.find(({ key }) => key === 'customer')?.value ?? '';
  const company =
    /(?:\p{Lu}[\p{L}\d.'’-]*|&)(?: (?:\p{Lu}[\p{L}\d.'’-]*|&|and|of|der|für)){0,5},? (?:Ltd|Limited|LLP|PLC|plc|Inc|LLC|GmbH(?: & Co\.? ?KG)?|AG|KG|B\.V\.|BV|S\.?A\.?S?|SARL|SRL|Sdn\.? Bhd)\b\.?/u;
  for (const block of blocks.slice(0, 14)) {
    const match = company.exec(block.text);
    if (match === null || customer.includes(match[0])) continue;
    const cites = [citer.at(block, match.index, match.index + match[0].length)];
    return {
      key: 'supplier',
      label: 'Supplier',
      value: match[0],
      type: 'party',
      confidence: 0.65,
      source: 'text',
      cites,
    };
  }
  return undefined;
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

/** An e-invoice's XML is exact: it wins, and where the printed value differs the report says so (docs/contracts/documents.md §3.3). */
function withXml(fields: Field[], xml: string | undefined, citer: Citer, attention: Attention[]): Field[] {
  const unique = fields.filter(
    (field, index) =>
      field.type !== 'iban' || fields.findIndex((other) => other.normalized === field.normalized) === index,
  );
  if (xml === undefined) return unique;
  const result = [...unique];
  const facts = readInvoiceXml(xml);
  if (facts === undefined) {
    attention.push({
      code: 'invoice_data_damaged',
      severity: 'info',
      text: 'The e-invoice data inside this file is damaged, so only the printed page was read.',
      cites: [],
    });
  }
  for (const fact of facts ?? []) {
    const at = result.findIndex(({ key }) => key === fact.key);
    const printed = result[at];
    if (printed === undefined) {
      result.push(xmlField(fact, fact.value, citedPlace(citer, fact.value)));
      continue;
    }
    if ((printed.normalized ?? printed.value) === (fact.normalized ?? fact.value)) {
      result[at] = xmlField(fact, printed.value, printed.cites);
      continue;
    }
    if (['date', 'money'].includes(fact.type) && printed.confidence >= 0.85) {
      attention.push({
        code: 'invoice_mismatch',
        severity: 'warn',
        text: `${fact.label}: the page prints ${printed.value}, the e-invoice data inside the file says ${fact.value}.`,
        cites: printed.cites,
      });
    }
    result[at] = xmlField(fact, fact.value, citedPlace(citer, fact.value));
  }
  return result;
}

function xmlField(fact: InvoiceFact, value: string, cites: Field['cites']): Field {
  return { ...fact, value, confidence: 0.99, source: 'xml', cites };
}

function citedPlace(citer: Citer, text: string): Field['cites'] {
  const found = citer.find(text, undefined);
  return found === undefined ? [] : [found];
}

function anywhere(blocks: readonly Block[], text: string, citer: Citer) {
  for (const block of blocks) {
    const start = block.text.indexOf(text);
    if (start >= 0) return citer.at(block, start, start + text.length);
  }
  return undefined;
}
