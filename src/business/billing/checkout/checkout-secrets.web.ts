import { CLAIM_FRAGMENT } from './checkout-start.contract.ts';

/** Local storage key: a JSON object of `{secret, at}` by checkout session, `at` in epoch milliseconds. */
const KEY = 'northline-checkouts';
const MOST = 10;
/** Longer than a provider's payment page stays open (24 hours). */
const PAYABLE_MS = 26 * 3600 * 1000;

type Kept = Record<string, { readonly secret: string; readonly at: number }>;

/**
 * Saves the proof that this browser started a checkout, until the purchase is claimed
 * (docs/specification/site.md §10, link-customer). Without storage the payment's e-mail address proves the
 * claim.
 */
export function saveCheckoutSecret(sessionId: string, secret: string): void {
  const others = Object.entries(read()).slice(1 - MOST);
  write({ ...Object.fromEntries(others), [sessionId]: { secret, at: Date.now() } });
}

/**
 * Saves the secret from the link that was mailed to a payer (`#claim=…`) as if this browser had started the
 * purchase, and removes it from the address.
 */
export function saveMailedClaim(sessionId: string): void {
  if (!location.hash.startsWith(CLAIM_FRAGMENT)) return;
  const secret = location.hash.slice(CLAIM_FRAGMENT.length);
  history.replaceState(history.state, '', location.pathname + location.search);
  if (/^[\w-]{20,100}$/.test(secret)) saveCheckoutSecret(sessionId, secret);
}

/** The secret of a checkout that a visitor started in this browser and nobody has claimed here yet. */
export function checkoutSecretOf(sessionId: string): string | undefined {
  return read()[sessionId]?.secret;
}

/** The sessions of all such checkouts, paid or not. */
export function savedCheckouts(): readonly string[] {
  return Object.keys(read());
}

/** Deletes the secret of a purchase that has been claimed. */
export function forgetCheckoutSecret(sessionId: string): void {
  const { [sessionId]: _used, ...rest } = read();
  write(rest);
}

/** Deletes the secret of a checkout that was not paid and cannot be paid any more. */
export function forgetStaleCheckout(sessionId: string): void {
  if ((read()[sessionId]?.at ?? 0) + PAYABLE_MS < Date.now()) forgetCheckoutSecret(sessionId);
}

function read(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return kept !== null && typeof kept === 'object' ? (kept as Kept) : {};
  } catch {
    // Storage is refused or damaged: the payment's e-mail address may still prove the claim.
    return {};
  }
}

function write(kept: Kept): void {
  try {
    if (Object.keys(kept).length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser without storage has nothing to delete either.
  }
}
