import type { RTCDtlsTransport } from 'werift';

/** The message by which a DTLS server makes a client prove its address (RFC 6347 §4.2.1). */
const HELLO_VERIFY_REQUEST = 3;

/**
 * Heeds only the first cookie of the other end's DTLS server. That server sends one for each greeting, and
 * the client repeats its greeting when reading the reply took half a second, as on a busy machine. At the
 * second cookie werift 0.25 would give the connection up.
 */
export function ignoreRepeatedCookies({ dtls }: Pick<RTCDtlsTransport, 'dtls'>): void {
  if (dtls === undefined) return;
  const handle = dtls.onHandleHandshakes;
  let proved = false;
  dtls.onHandleHandshakes = async (messages) => {
    const fresh = messages.filter(({ msg_type: type }) => type !== HELLO_VERIFY_REQUEST || !proved);
    proved ||= messages.some(({ msg_type: type }) => type === HELLO_VERIFY_REQUEST);
    if (fresh.length > 0) await handle(fresh);
  };
}
