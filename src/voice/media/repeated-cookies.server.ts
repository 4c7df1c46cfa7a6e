import type { RTCDtlsTransport } from 'werift';

/** The message with which a DTLS server has an address proved (RFC 6347 §4.2.1). */
const HELLO_VERIFY_REQUEST = 3;

/**
 * Has the first cookie of the other end's DTLS server count. It sends one for each greeting, and ours is sent again where
 * the reply took half a second to be read, as on a machine that is busy; werift 0.25 gives the connection up at the
 * second one.
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
