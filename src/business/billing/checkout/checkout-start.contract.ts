/**
 * The calls of billing (docs/specification/site.md §7, docs/specification/site.md §10). A failed call replies
 * with `{error, code}` and a status other than 2xx.
 */

/** POST `SERVICES.checkout`; bearer: the user's access token, or the public key. */
export interface CheckoutRequest {
  readonly price_id: string;
  /** Site origin + /success; the provider appends `?session_id=…`. */
  readonly success_url: string;
  /** Site origin + /cancel. */
  readonly cancel_url: string;
  readonly mode: 'subscription';
}

/** The browser opens `url`. */
export interface CheckoutReply {
  readonly url: string;
  /**
   * Missing when the caller already has a plan of this line; `url` is then the Billing tab, which offers the
   * change.
   */
  readonly session_id?: string;
  /** Only for a visitor without a session: the one-time proof that this browser started the purchase. */
  readonly checkout_secret?: string;
}

/**
 * POST `SERVICES.checkoutOutcome` `{session_id, checkout_secret?}`, any bearer: false for every session that
 * is not paid, or not ours.
 */
export interface CheckoutOutcome {
  readonly paid: boolean;
  /** The payer's address; only with the secret of a purchase that nobody has claimed yet. */
  readonly email?: string;
}

/**
 * POST `SERVICES.linkCustomer` `{session_id, user_id, checkout_secret?}`; bearer: the access token of
 * `user_id`. The secret may instead be in the header CHECKOUT_PROOF_HEADER.
 */
export interface LinkCustomerReply {
  readonly linked: true;
}

/** POST `SERVICES.billingPortal` `{return_url}` on our own origin; bearer: a user's access token. */
export interface BillingPortalReply {
  readonly url: string;
}

/** The header with the `checkout_secret` of a claim. */
export const CHECKOUT_PROOF_HEADER = 'x-checkout-proof';

/** Precedes the secret in the link that is mailed to a payer: `/signup?session_id=…#claim=…`. */
export const CLAIM_FRAGMENT = '#claim=';

/** Code of the 409 for an account whose deletion is planned: it would lose what it buys. */
export const LEAVING = 'account_leaving';
