import {
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RTCRtpHeaderExtensionParameters,
  RTP_EXTENSION_URI,
} from 'werift';

/** One of the two connections of a participant: the server is the lite side of both, on the loopback. */
export function openPeer(): RTCPeerConnection {
  return new RTCPeerConnection({
    bundlePolicy: 'max-bundle',
    iceLite: true,
    iceServers: [],
    iceUseTcp: false,
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ['127.0.0.1'],
    iceInterfaceAddresses: { udp4: '127.0.0.1' },
    codecs: {
      audio: [
        new RTCRtpCodecParameters({
          mimeType: 'audio/opus',
          clockRate: 48_000,
          channels: 2,
          payloadType: 111,
          parameters: 'minptime=10;useinbandfec=1',
        }),
      ],
    },
    headerExtensions: {
      audio: [new RTCRtpHeaderExtensionParameters({ uri: RTP_EXTENSION_URI.sdesMid })],
    },
  });
}
