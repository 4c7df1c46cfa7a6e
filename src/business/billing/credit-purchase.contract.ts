/**
 * Additional credits, bought once, with or without a plan (docs/specification/site.md §8 mentions them). Both
 * calls are POST under `/functions/v1/` with a user's access token as bearer; failures are `{error, code}`.
 */

export const CREDIT_FUNCTIONS = {
  /** `{}`; replies with CreditPacks. */
  packs: '/functions/v1/credit-packs',
  /**
   * CreditPurchase; replies with `{url, session_id}`. Errors: 400 unknown_pack | foreign_address, 409 account_leaving, 502
   * checkout_failed.
   */
  buy: '/functions/v1/buy-credits',
} as const;

/** A number of credits and its price in the smallest unit of the currency; the credits do not lapse. */
export interface CreditPack {
  readonly credits: number;
  readonly amount_pence: number;
}

export interface CreditPacks {
  /** Smallest first; empty when none are sold (`CREDIT_PACKS` is empty). */
  readonly packs: readonly CreditPack[];
  /** ISO 4217. */
  readonly currency: string;
}

export interface CreditPurchase {
  /** Names the pack by its number of credits. */
  readonly credits: number;
  /** On our own origin, as for a checkout. */
  readonly success_url: string;
  readonly cancel_url: string;
}

/** The field of the provider's invoice with the number of credits. Only our own key can write it. */
export const PACK_FIELD = 'northline_credits';

/** `10 more credits`. */
export const packName = (credits: number): string =>
  `${credits} more ${credits === 1 ? 'credit' : 'credits'}`;
