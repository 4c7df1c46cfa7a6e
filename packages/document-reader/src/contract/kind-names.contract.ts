import type { DocumentKind } from './report.contract.ts';

/** Names of the kinds of documents, for people. */
export const KIND_NAMES: Record<DocumentKind, string> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
  receipt: 'Receipt',
  quotation: 'Quotation',
  purchase_order: 'Purchase order',
  bank_statement: 'Bank statement',
  lease: 'Lease',
  contract: 'Contract',
  terms: 'Terms and conditions',
  policy: 'Policy',
  letter: 'Letter',
  minutes: 'Minutes',
  cv: 'CV',
  paper: 'Research paper',
  report: 'Report',
  manual: 'Manual',
  form: 'Form',
  speech: 'Speech',
  other: 'Not recognised',
};
