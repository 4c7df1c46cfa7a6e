/**
 * More credits, bought once beside or without a plan (docs/specification/site.md §8 speaks of them). Both calls are
 * POST under `/functions/v1/` with a user's access token as bearer; failures are `{error, code}`.
 */

export const CREDIT_FUNCTIONS = {
  /** `{}`; answers CreditPacks. */
  packs: '/functions/v1/credit-packs',
  /** CreditPurchase; answers `{url, session_id}`. Errors: 400 unknown_pack | foreign_address, 502 checkout_failed. */
  buy: '/functions/v1/buy-credits',
} as const;

/** So many credits for so many pence; they do not lapse. */
export interface CreditPack {
  readonly credits: number;
  readonly amount_pence: number;
}

export interface CreditPacks {
  /** Fewest first; none where nothing is sold (`CREDIT_PACKS` is empty). */
  readonly packs: readonly CreditPack[];
}

export interface CreditPurchase {
  /** Names the pack. */
  readonly credits: number;
  /** On our own origin, as of a checkout. */
  readonly success_url: string;
  readonly cancel_url: string;
}

/** The field of the provider's invoice that says how many credits it is for. Only our own key can write it. */
export const PACK_FIELD = 'northline_credits';

/** `10 more credits`. */
export const packName = (credits: number): string =>
  `${credits} more ${credits === 1 ? 'credit' : 'credits'}`;
