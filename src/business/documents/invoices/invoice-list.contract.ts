/** The functions of the invoice workbench. */
export const INVOICE_FUNCTIONS = {
  list: '/functions/v1/list-invoices',
  mark: '/functions/v1/mark-invoice',
  export: '/functions/v1/export-invoices',
} as const;

/** An invoice, credit note or receipt from its report, with corrected values. Days are ISO dates. */
export interface Invoice {
  readonly file_id: string;
  readonly file_name: string;
  readonly kind: 'invoice' | 'credit_note' | 'receipt';
  readonly supplier: string | null;
  readonly number: string | null;
  readonly issued: string | null;
  readonly due: string | null;
  /** ISO 4217; null if the document names none. */
  readonly currency: string | null;
  readonly net: number | null;
  readonly vat: number | null;
  /** Negative for a credit note. */
  readonly total: number | null;
  /** The day on which it was marked as paid; a receipt counts as paid on its date. */
  readonly paid: string | null;
  /** Other files with the same invoice. */
  readonly duplicates: readonly string[];
}

/** Amounts of one currency that belong together; a duplicate counts once. */
export interface InvoiceSum {
  /** The month, such as `2026-05`, or the supplier. */
  readonly name: string;
  readonly currency: string;
  readonly count: number;
  readonly net: number;
  readonly vat: number;
  readonly total: number;
  /** The unpaid part of `total`. */
  readonly open: number;
}

/** Answer of `list-invoices`. */
export interface InvoiceList {
  readonly invoices: readonly Invoice[];
  readonly months: readonly InvoiceSum[];
  readonly suppliers: readonly InvoiceSum[];
  /** Whether there are more invoices than the list shows. */
  readonly more: boolean;
}
