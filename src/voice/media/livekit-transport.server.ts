import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { LiveKitSettings } from './livekit-access.server.ts';
import { LiveKitSession } from './livekit-session.server.ts';
import type { MediaTransport } from './media-transport.server.ts';

/**
 * The media of calls from pages through a LiveKit server: each call is a room there, in which the caller's page and
 * the assistant meet. Rooms for several people stay with `inner`. Nothing is loaded before the first call.
 *
 * @param report called with each error in our own code that a text of a caller caused, and with LiveKit's refusals
 */
export function createLiveKitTransport(
  settings: LiveKitSettings,
  inner: MediaTransport,
  report: (fault: unknown) => void,
): MediaTransport {
  const open = new Set<LiveKitSession>();
  let loaded: Promise<typeof import('@livekit/rtc-node')> | undefined;
  const load = () => {
    loaded ??= import('@livekit/rtc-node');
    return loaded;
  };
  return {
    ...inner,
    answersWith: 'livekit',
    requireOffer(offer) {
      if (offer !== '')
        throw new ServiceError(400, 'bad_offer', 'Calls go through LiveKit here: the offer must be empty.');
    },
    async warm() {
      await load();
    },
    async createSession(callId) {
      const rtc = await load();
      const closed = (): void => void open.delete(session);
      const session: LiveKitSession = new LiveKitSession({ rtc, settings, callId, report, closed });
      open.add(session);
      return session;
    },
    async close() {
      await Promise.all([...[...open].map((one) => one.close()), inner.close()]);
      const rtc = await loaded?.catch(() => undefined);
      if (rtc === undefined) return;
      // Its threads would keep the process alive. Without its client's instance, a later transport starts it again.
      await rtc.dispose();
      Reflect.deleteProperty(globalThis, '_ffiClientInstance');
    },
  };
}
