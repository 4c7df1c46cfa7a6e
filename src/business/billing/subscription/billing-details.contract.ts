/**
 * Who is billed. Both calls are POST under `/functions/v1/` with a user's access token as bearer; failures
 * are `{error, code}`, and `fields` names the wrong field.
 */
export const DETAIL_FUNCTIONS = {
  /** `{}`; replies with BillingDetails, all empty for a user who never bought anything. */
  read: '/functions/v1/billing-details',
  /**
   * BillingDetails; replies with the details as stored at the payment provider. Errors: 400 vat_number_wrong
   * | vat_country | unknown_country, 502 details_failed.
   */
  save: '/functions/v1/save-billing-details',
} as const;

/** Longest text of each field. */
export const DETAIL_LENGTHS = {
  name: 150,
  line1: 200,
  line2: 200,
  city: 100,
  postal_code: 20,
  country: 2,
  vat_number: 20,
} as const;

/** Details that appear on the customer's invoices from the next one on; '' when not known. */
export interface BillingDetails {
  /** Company, or the person who pays. */
  readonly name: string;
  readonly line1: string;
  readonly line2: string;
  readonly city: string;
  readonly postal_code: string;
  /** ISO 3166 code, such as `GB`. */
  readonly country: string;
  readonly vat_number: string;
}
