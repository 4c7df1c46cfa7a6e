import { useEffect, useState } from 'react';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import { checkoutSecretOf, savedCheckouts } from './checkout-secrets.web.ts';
import type { CheckoutOutcome } from './checkout-start.contract.ts';

/** What the page after a payment can show; `unknown` when the server did not answer. */
export type PaymentState = 'checking' | 'paid' | 'unpaid' | 'unknown';

/**
 * Whether the server says that the checkout session is paid.
 *
 * @param sessionId undefined while the address is not known yet, null when it names no session
 */
export function usePayment(sessionId: string | null | undefined): { state: PaymentState; retry: () => void } {
  const [state, setState] = useState<PaymentState>('checking');
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round asks the same again.
  useEffect(() => {
    if (sessionId === undefined) return undefined;
    if (sessionId === null) {
      setState('unpaid');
      return undefined;
    }
    const leaving = new AbortController();
    setState('checking');
    callServer(SERVICES.checkoutOutcome, {
      as: 'anyone',
      body: { session_id: sessionId },
      signal: leaving.signal,
    })
      .then(async (reply) => {
        const { paid } = (await reply.json()) as CheckoutOutcome;
        if (!leaving.signal.aborted) setState(paid ? 'paid' : 'unpaid');
      })
      .catch(() => {
        if (!leaving.signal.aborted) setState('unknown');
      });
    return () => leaving.abort();
  }, [sessionId, round]);
  return { state, retry: () => setRound((before) => before + 1) };
}

/**
 * The address used to pay a checkout, if this browser has its secret; '' until it is known and otherwise. Without a session
 * in the address it is the last purchase of this browser that waits for its account.
 *
 * @param sessionOf reads the session from the address, which the printed page does not have
 */
export function usePayerEmail(sessionOf: () => string | null): string {
  const [email, setEmail] = useState('');
  useEffect(() => {
    let left = false;
    void readPayerEmail(sessionOf()).then((found) => {
      if (!left) setEmail(found);
    });
    return () => {
      left = true;
    };
  }, [sessionOf]);
  return email;
}

async function readPayerEmail(named: string | null): Promise<string> {
  const sessionId = named ?? savedCheckouts().at(-1);
  const secret = sessionId === undefined ? undefined : checkoutSecretOf(sessionId);
  if (secret === undefined) return '';
  try {
    const body = { session_id: sessionId, checkout_secret: secret };
    const reply = await callServer(SERVICES.checkoutOutcome, { as: 'anyone', body });
    return ((await reply.json()) as CheckoutOutcome).email ?? '';
  } catch {
    // A failure does not matter: the address only saves typing.
    return '';
  }
}
