import { webRtcTransport } from '@northline/call';
import { VoiceClient } from '@northline/voice';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { hear, type Talk, type TalkListener, typedTurn } from './site-assistant.web.ts';

/**
 * Joins a spoken call that was created. A module of its own, loaded when a visitor wants to talk: the page itself loads
 * only what writing needs.
 *
 * @param server origin of the server
 * @param room address of the call's room
 */
export function talk(server: string, room: string, track: MediaStreamTrack, listener: TalkListener): Talk {
  const baseUrl = `${server}${SERVICES.voice}`;
  let began = false;
  let fault: string | undefined;
  const client = new VoiceClient('', {
    openTransport: webRtcTransport({
      baseUrl,
      noiseCancellationUrl: `${server}/voice/noise-cancellation.js`,
    }),
    baseUrl,
    audioSource: track,
    videoSource: false,
    // The call exists already.
    fetch: async () => Response.json({ webCallUrl: room }, { status: 201 }),
  });
  client
    .on('call-start', () => {
      began = true;
      listener.began();
    })
    .on('message', (message) => hear(message, listener))
    .on('error', () => {
      if (!began) fault = '';
    })
    .on('call-end', () => {
      track.stop();
      listener.over(fault);
    });
  void client.start('created');
  return {
    type: (text) => client.send(typedTurn(text)),
    end: () => client.stop(),
    mute: (muted) => client.setMuted(muted),
  };
}
