/**
 * The calls of billing (`spec/site.md §7`, `spec/readings.md`). Each answers `{error, code}`
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
  /** Missing where the caller already has this plan line and `url` is the provider's portal. */
  readonly session_id?: string;
  /** Only for a visitor without a session: the one-time proof that this browser started the purchase. */
  readonly checkout_secret?: string;
}

/** POST `SERVICES.linkCustomer`; bearer: the access token of `user_id`. */
export interface LinkCustomerRequest {
  readonly session_id: string;
  readonly user_id: string;
  /** The `checkout_secret` of that checkout, when this browser has it; header CHECKOUT_PROOF_HEADER does as well. */
  readonly checkout_secret?: string;
}

export interface LinkCustomerReply {
  readonly linked: true;
}

/** POST `SERVICES.billingPortal`; bearer: a user's access token. */
export interface BillingPortalRequest {
  /** On our own origin. */
  readonly return_url: string;
}

export interface BillingPortalReply {
  readonly url: string;
}

/** Carries the `checkout_secret` of a claim. */
export const CHECKOUT_PROOF_HEADER = 'x-checkout-proof';

/** Key of the browser's local storage under which the secrets wait: a JSON object from session id to secret. */
export const CHECKOUT_SECRETS_KEY = 'northline-checkouts';
