import type { RTCPeerConnection } from 'werift';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { ignoreRepeatedCookies } from './repeated-cookies.server.ts';

/**
 * Answers an offer, and closes the connection as soon as its encryption ends.
 *
 * @param offer SDP that was checked
 * @returns the answer, SDP
 * @throws ServiceError 400 `bad_offer`; the connection is closed then
 */
export async function answerOffer(
  connection: RTCPeerConnection,
  offer: string,
  close: () => Promise<void>,
): Promise<string> {
  try {
    await connection.setRemoteDescription({ type: 'offer', sdp: offer });
    await connection.setLocalDescription(await connection.createAnswer());
    for (const transport of connection.dtlsTransports)
      transport.onStateChange.subscribe((state) => {
        // werift creates the socket right after it reports this state.
        if (state === 'connecting') queueMicrotask(() => ignoreRepeatedCookies(transport));
        if (state === 'closed' || state === 'failed') void close();
      });
  } catch (error) {
    await close();
    throw new ServiceError(400, 'bad_offer', 'The offer cannot be answered.', { cause: error });
  }
  return connection.localDescription?.sdp ?? '';
}
