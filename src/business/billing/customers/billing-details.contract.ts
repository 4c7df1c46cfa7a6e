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

/** Countries that can be billed (ISO 3166-1). */
export const BILLED_COUNTRIES: readonly string[] =
  `AD AE AF AG AI AL AM AO AR AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL
   CM CN CO CR CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT
   GW GY HK HN HR HT HU ID IE IL IM IN IQ IS IT JE JM JO JP KE KG KH KI KM KN KR KW KY KZ LA LB LC LI LK LR LS LT LU LV
   LY MA MC MD ME MG MK ML MM MN MO MQ MR MS MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL
   PS PT PY QA RE RO RS RW SA SB SC SE SG SI SK SL SM SN SO SR ST SV SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG
   US UY UZ VA VC VE VG VN VU WS XK YE YT ZA ZM ZW`.split(/\s+/);
