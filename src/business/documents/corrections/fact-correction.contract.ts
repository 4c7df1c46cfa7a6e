import type { Field } from '@northline/document-reader/report.contract';

/** `POST /functions/v1/correct-fact`. */
export const CORRECT_FACT = '/functions/v1/correct-fact';
/** `POST /functions/v1/forget-correction`. */
export const FORGET_CORRECTION = '/functions/v1/forget-correction';

/** A row of `analysis_corrections`: the value with which a person replaced the analyser's. */
export interface Correction {
  readonly key: string;
  /** The analyser's value. */
  readonly original: string;
  readonly value: string;
  readonly normalized: string | null;
  /** ISO 8601. */
  readonly corrected_at: string;
  /** The earlier correction of the same sender that it follows; null or absent for a person's own. */
  readonly precedent_id?: string | null;
}

/** A field with the value that counts: the corrected one, if there is one. */
export interface Fact extends Field {
  readonly correction: Correction | undefined;
}

/** The kinds of facts in the order in which people look for them: parties, numbers, dates, sums. */
const ORDER = [
  ...['supplier', 'landlord', 'customer', 'tenant', 'subject', 'property'],
  ...['document_number', 'agreement_number', 'order_number', 'customer_number', 'reference'],
  ...['issue_date', 'delivery_date', 'due_date', 'start_date', 'end_date', 'term', 'notice_period'],
  ...['payment_terms', 'net_total', 'tax_total', 'total', 'currency', 'rent', 'deposit', 'fee'],
  ...['liability_cap', 'iban', 'sort_code', 'vat_id', 'company_number', 'email', 'phone'],
];

/**
 * The fields of a report as people need them: with corrected values, and in the order parties, number, dates, net, VAT,
 * total; all other fields follow in their own order.
 */
export function factsOf(fields: readonly Field[], corrections: readonly Correction[]): Fact[] {
  const corrected = new Map(corrections.map((each) => [`${each.key}\n${each.original}`, each]));
  const facts = fields.map((field): Fact => {
    const correction = corrected.get(`${field.key}\n${field.value}`);
    if (correction === undefined) return { ...field, correction };
    const { normalized: _, ...rest } = field;
    const { value, normalized } = correction;
    return { ...rest, value, ...(normalized === null ? {} : { normalized }), confidence: 1, correction };
  });
  return facts.sort((a, b) => rankOf(a.key) - rankOf(b.key));
}

function rankOf(key: string): number {
  const rank = ORDER.indexOf(key);
  return rank === -1 ? ORDER.length : rank;
}
