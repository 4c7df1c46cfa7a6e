/** Local storage key of the secrets, a JSON object by checkout session. */
const KEY = 'northline-checkouts';

/**
 * Keeps what proves that this browser started a checkout, until the purchase is claimed
 * (`spec/readings.md`, link-customer). Without storage it is claimed by the payment's e-mail instead.
 */
export function keepCheckoutSecret(sessionId: string, secret: string): void {
  write({ ...read(), [sessionId]: secret });
}

/** The secret of a checkout that this browser started as a visitor and nobody has claimed here yet. */
export function checkoutSecretOf(sessionId: string): string | undefined {
  return read()[sessionId];
}

/** Drops the secret of a purchase that has been claimed. */
export function forgetCheckoutSecret(sessionId: string): void {
  const { [sessionId]: _used, ...rest } = read();
  write(rest);
}

function read(): Record<string, string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return kept !== null && typeof kept === 'object' ? (kept as Record<string, string>) : {};
  } catch {
    // Storage refused or spoilt: the payment's e-mail address may still prove the claim.
    return {};
  }
}

function write(secrets: Record<string, string>): void {
  try {
    if (Object.keys(secrets).length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(secrets));
  } catch {
    // As above: a browser without storage has nothing to forget either.
  }
}
