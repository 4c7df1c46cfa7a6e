import { CLAIM_FRAGMENT } from './checkout-start.contract.ts';

/** Local storage key: a JSON object of `{secret, at}` by checkout session, `at` in epoch milliseconds. */
const KEY = 'northline-checkouts';
const MOST = 10;
/** Longer than a provider's payment page can be paid (24 hours). */
const PAYABLE_MS = 26 * 3600 * 1000;

type Kept = Record<string, { readonly secret: string; readonly at: number }>;

/**
 * Keeps what proves that this browser started a checkout, until the purchase is claimed
 * (docs/specification/site.md §10, link-customer). Without storage it is claimed by the payment's e-mail instead.
 */
export function saveCheckoutSecret(sessionId: string, secret: string): void {
  const others = Object.entries(read()).slice(1 - MOST);
  write({ ...Object.fromEntries(others), [sessionId]: { secret, at: Date.now() } });
}

/**
 * Keeps the secret of the link that was mailed to a payer (`#claim=…`) as if the purchase had been
 * started here, and takes it out of the address.
 */
export function saveMailedClaim(sessionId: string): void {
  if (!location.hash.startsWith(CLAIM_FRAGMENT)) return;
  const secret = location.hash.slice(CLAIM_FRAGMENT.length);
  history.replaceState(history.state, '', location.pathname + location.search);
  if (/^[\w-]{20,100}$/.test(secret)) saveCheckoutSecret(sessionId, secret);
}

/** The secret of a checkout that this browser started as a visitor and that is still unclaimed here. */
export function checkoutSecretOf(sessionId: string): string | undefined {
  return read()[sessionId]?.secret;
}

/** The sessions of all such checkouts, paid or not. */
export function savedCheckouts(): readonly string[] {
  return Object.keys(read());
}

/** Drops the secret of a purchase that has been claimed. */
export function forgetCheckoutSecret(sessionId: string): void {
  const { [sessionId]: _used, ...rest } = read();
  write(rest);
}

/** Drops the secret of a checkout that was not paid and cannot be any more. */
export function forgetStaleCheckout(sessionId: string): void {
  if ((read()[sessionId]?.at ?? 0) + PAYABLE_MS < Date.now()) forgetCheckoutSecret(sessionId);
}

function read(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return kept !== null && typeof kept === 'object' ? (kept as Kept) : {};
  } catch {
    // Storage refused or spoilt: the payment's e-mail address may still prove the claim.
    return {};
  }
}

function write(kept: Kept): void {
  try {
    if (Object.keys(kept).length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // As above: a browser without storage has nothing to forget either.
  }
}
