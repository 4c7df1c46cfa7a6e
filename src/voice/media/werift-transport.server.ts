import type { Settings } from '../../kernel/config/settings.ts';
import { iceServersFor, mediaAddresses } from './media-addresses.server.ts';
import type { MediaTransport } from './media-transport.server.ts';
import { createOpusCodec } from './opus-codec.server.ts';
import { WeriftSession } from './werift-session.server.ts';

type MediaSettings = Pick<
  Settings,
  'HOST' | 'VOICE_PUBLIC_ADDRESS' | 'VOICE_UDP_PORTS' | 'VOICE_ICE_SERVERS' | 'VOICE_TURN_SECRET'
>;

/** The media of calls by WebRTC in this process. Nothing is loaded before the first call. */
export function createWeriftTransport(settings: MediaSettings): MediaTransport {
  const sessions = new Set<WeriftSession>();
  const addresses = mediaAddresses(settings);
  return {
    peerServers: (callId) => iceServersFor(callId, settings),
    async warm() {
      await Promise.all([import('werift'), createOpusCodec()]);
    },
    async createSession() {
      const [werift, codec] = await Promise.all([import('werift'), createOpusCodec()]);
      const session: WeriftSession = new WeriftSession({
        werift,
        codec,
        connect: (alive) =>
          new werift.RTCPeerConnection({
            codecs: { audio: [opus(werift)] },
            bundlePolicy: 'max-bundle',
            // Never sends to an address before it was asked from there (docs/security-attacks.md, attack 43).
            iceLite: true,
            iceServers: [],
            iceUseTcp: false,
            // Only the address that is named here is used; none is looked for.
            iceUseIpv4: false,
            iceUseIpv6: false,
            iceAdditionalHostAddresses: [addresses.bind],
            iceInterfaceAddresses: { udp4: addresses.bind },
            icePortRange: addresses.ports === undefined ? undefined : [...addresses.ports],
            iceFilterStunResponse: () => {
              alive();
              return true;
            },
          }),
        present: (sdp) => announce(sdp, addresses.bind, addresses.announce),
        closed: () => sessions.delete(session),
      });
      sessions.add(session);
      return session;
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()));
    },
  };
}

function opus({ RTCRtpCodecParameters }: typeof import('werift')) {
  return new RTCRtpCodecParameters({
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    payloadType: 111,
    parameters: 'minptime=10;useinbandfec=1;stereo=0',
  });
}

/** Candidates with the bound address are sent with the public one (1:1 network translation). */
function announce(sdp: string, bind: string, announced: string): string {
  if (bind === announced) return sdp;
  return sdp.replaceAll(/^(a=candidate:(?:\S+ ){4})(\S+)/gm, (line, start: string, address: string) =>
    address === bind ? `${start}${announced}` : line,
  );
}
