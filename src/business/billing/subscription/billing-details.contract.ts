/**
 * Who is billed. Both calls are POST under `/functions/v1/` with a user's access token as bearer; failures are
 * `{error, code}`, with the field that is meant in `fields`.
 */
export const DETAIL_FUNCTIONS = {
  /** `{}`; answers BillingDetails, all empty for who never bought anything. */
  read: '/functions/v1/billing-details',
  /**
   * BillingDetails; answers them as they are kept at the payment provider. Errors: 400 vat_number_wrong | vat_country |
   * unknown_country, 502 details_failed.
   */
  save: '/functions/v1/save-billing-details',
} as const;

/** Longest words of each field. */
export const DETAIL_LENGTHS = {
  name: 150,
  line1: 200,
  line2: 200,
  city: 100,
  postal_code: 20,
  country: 2,
  vat_number: 20,
} as const;

/** What stands on the customer's invoices from the next one on; '' for what is not known. */
export interface BillingDetails {
  /** Company, or the person who pays. */
  readonly name: string;
  readonly line1: string;
  readonly line2: string;
  readonly city: string;
  readonly postal_code: string;
  /** ISO 3166, as `GB`. */
  readonly country: string;
  readonly vat_number: string;
}
