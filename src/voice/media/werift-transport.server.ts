import { createOpusCodec } from '@northline/telephone-audio/opus-codec';
import type { PeerConfig, RTCPeerConnection } from 'werift';
import type { Settings } from '../../kernel/config/settings.ts';
import { iceServersFor, type MediaAddresses, mediaAddresses } from './media-addresses.server.ts';
import type { MediaTransport } from './media-transport.server.ts';
import { checkOffer } from './offer-check.server.ts';
import { WeriftRoom } from './room/werift-room.server.ts';
import { WeriftSession } from './werift-session.server.ts';

type Werift = typeof import('werift');
type MediaSettings = Pick<
  Settings,
  'HOST' | 'VOICE_PUBLIC_ADDRESS' | 'VOICE_UDP_PORTS' | 'VOICE_ICE_SERVERS' | 'VOICE_TURN_SECRET'
>;

/**
 * The media of calls and rooms by WebRTC in this process. Nothing is loaded before the first call.
 *
 * @param report called with each error in our own code that a peer's packet or text caused
 */
export function createWeriftTransport(
  settings: MediaSettings,
  report: (fault: unknown) => void,
): MediaTransport {
  const open = new Set<{ close(): Promise<void> }>();
  const addresses = mediaAddresses(settings);
  const present = (sdp: string): string => announce(sdp, addresses.bind, addresses.announce);
  return {
    answersWith: 'sdp',
    requireOffer: checkOffer,
    peerServers: (callId) => iceServersFor(callId, settings),
    async warm() {
      await Promise.all([import('werift'), createOpusCodec()]);
    },
    async createSession(_callId, { camera = false } = {}) {
      const [werift, codec] = await Promise.all([import('werift'), createOpusCodec()]);
      const session: WeriftSession = new WeriftSession({
        werift,
        codec,
        connect: (alive) =>
          connect(
            werift,
            addresses,
            camera ? pictureMedia(werift, false) : { codecs: { audio: [opus(werift)] } },
            alive,
          ),
        camera,
        present,
        report,
        closed: () => open.delete(session),
      });
      open.add(session);
      return session;
    },
    async createRoom(layout) {
      const werift = await import('werift');
      const room: WeriftRoom = new WeriftRoom(
        {
          werift,
          createCodec: createOpusCodec,
          connect: (alive) => connect(werift, addresses, pictureMedia(werift, true), alive),
          present,
          report,
          closed: () => open.delete(room),
        },
        layout,
      );
      open.add(room);
      return room;
    },
    async close() {
      await Promise.all([...open].map((one) => one.close()));
    },
  };
}

/**
 * A connection that answers to the address that a request came from; `alive` is called for every check of the
 * peer.
 */
function connect(
  werift: Werift,
  { bind, ports }: MediaAddresses,
  media: Partial<PeerConfig>,
  alive: () => void,
): RTCPeerConnection {
  return new werift.RTCPeerConnection({
    ...media,
    bundlePolicy: 'max-bundle',
    // Never sends to an address that has not sent something first (docs/security-attacks.md, attack 43).
    iceLite: true,
    iceServers: [],
    iceUseTcp: false,
    // Only the address that is set here is used; werift does not search for others.
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: [bind],
    iceInterfaceAddresses: { udp4: bind },
    icePortRange: ports === undefined ? undefined : [...ports],
    iceFilterStunResponse: () => {
      alive();
      return true;
    },
  });
}

/**
 * Opus and VP8, which every browser has (RFC 7742 §5); lost packets are requested again.
 *
 * @param sizes whether a picture may come in several sizes, each with a name
 */
function pictureMedia(werift: Werift, sizes: boolean): Partial<PeerConfig> {
  const { RTCRtpCodecParameters, RTCRtpHeaderExtensionParameters, RTP_EXTENSION_URI: uris } = werift;
  const vp8 = new RTCRtpCodecParameters({
    mimeType: 'video/VP8',
    clockRate: 90_000,
    payloadType: 96,
    rtcpFeedback: [{ type: 'nack' }, { type: 'nack', parameter: 'pli' }],
  });
  const extensions = (...given: string[]) => given.map((uri) => new RTCRtpHeaderExtensionParameters({ uri }));
  return {
    codecs: { audio: [opus(werift)], video: [vp8] },
    headerExtensions: {
      audio: extensions(uris.sdesMid),
      video: sizes ? extensions(uris.sdesMid, uris.sdesRTPStreamID) : extensions(uris.sdesMid),
    },
  };
}

function opus({ RTCRtpCodecParameters }: Werift) {
  return new RTCRtpCodecParameters({
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    payloadType: 111,
    parameters: 'minptime=10;useinbandfec=1;stereo=0',
  });
}

/**
 * Where the bound address is not the announced one, the candidates' addresses are replaced (1:1 network
 * translation).
 */
function announce(sdp: string, bind: string, announced: string): string {
  if (bind === announced) return sdp;
  return sdp.replaceAll(/^(a=candidate:(?:\S+ ){4})(\S+)/gm, (line, start: string, address: string) =>
    address === bind ? `${start}${announced}` : line,
  );
}
