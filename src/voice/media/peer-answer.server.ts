import type { RTCPeerConnection } from 'werift';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { ignoreRepeatedCookies } from './repeated-cookies.server.ts';

/**
 * Answers an offer, and closes as soon as the connection's encryption has ended.
 *
 * @param offer SDP that was checked
 * @throws ServiceError 400 `bad_offer`, when it was closed
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
        // Its socket is made in the same turn, right after this is told.
        if (state === 'connecting') queueMicrotask(() => ignoreRepeatedCookies(transport));
        if (state === 'closed' || state === 'failed') void close();
      });
  } catch (error) {
    await close();
    throw new ServiceError(400, 'bad_offer', 'The offer cannot be answered.', { cause: error });
  }
  return connection.localDescription?.sdp ?? '';
}
