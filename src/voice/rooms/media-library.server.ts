import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { OutboundHttp } from '../../kernel/resources/outbound-http/outbound-http.ts';
import { fetchPlayable, onceLimits, SoundRefused } from '../calls/background/fetched-sound.server.ts';
import type { MediaLibrary } from './meeting-players.server.ts';

/** Limits for sound that is played in meetings. */
const PLAYED = onceLimits(600, 20, 'ten minutes');
/** Most sounds that this process fetches at once. */
const MOST_AT_ONCE = 2;

/** Sound for meetings, fetched with the outbound client and its address checks. */
export function openMediaLibrary(outbound: Pick<OutboundHttp, 'request'>): MediaLibrary {
  let fetching = 0;
  return async (url) => {
    if (fetching >= MOST_AT_ONCE)
      throw new ServiceError(503, 'busy', 'Other sounds are being fetched. Please try again in a moment.');
    fetching += 1;
    try {
      return await fetchPlayable(outbound, url, PLAYED);
    } catch (error) {
      if (error instanceof SoundRefused) throw new ServiceError(400, error.fault, error.message);
      throw error;
    } finally {
      fetching -= 1;
    }
  };
}
