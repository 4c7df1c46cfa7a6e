/**
 * The calls of billing (docs/specification/site.md §7, docs/specification/site.md §10). Each answers `{error, code}`
 * with a status that is not 2xx when it fails.
 */

/** POST `SERVICES.checkout`; bearer: the user's access token, or the public key. */
export interface CheckoutRequest {
  readonly price_id: string;
  /** Site origin + /success; the provider adds `?session_id=…`. */
  readonly success_url: string;
  /** Site origin + /cancel. */
  readonly cancel_url: string;
  readonly mode: 'subscription';
}

/** The browser goes to `url`. */
export interface CheckoutReply {
  readonly url: string;
  /** Missing where the caller already has this plan line and `url` is the Billing tab, which offers the change. */
  readonly session_id?: string;
  /** Only for a visitor without a session: the one-time proof that this browser started the purchase. */
  readonly checkout_secret?: string;
}

/**
 * POST `SERVICES.checkoutOutcome` `{session_id, checkout_secret?}`, any bearer: false for every session that is not paid,
 * or not ours.
 */
export interface CheckoutOutcome {
  readonly paid: boolean;
  /** The payer's; only for the secret of a purchase that nobody has claimed yet. */
  readonly email?: string;
}

/**
 * POST `SERVICES.linkCustomer` `{session_id, user_id, checkout_secret?}`; bearer: the access token of
 * `user_id`. The secret may come in the header CHECKOUT_PROOF_HEADER instead.
 */
export interface LinkCustomerReply {
  readonly linked: true;
}

/** POST `SERVICES.billingPortal` `{return_url}` on our own origin; bearer: a user's access token. */
export interface BillingPortalReply {
  readonly url: string;
}

/** Carries the `checkout_secret` of a claim. */
export const CHECKOUT_PROOF_HEADER = 'x-checkout-proof';

/** In front of the secret in the link that is mailed to a payer: `/signup?session_id=…#claim=…`. */
export const CLAIM_FRAGMENT = '#claim=';
