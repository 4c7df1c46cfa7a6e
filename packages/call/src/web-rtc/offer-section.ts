import { NAMED_BITRATE, USUAL_SIZES } from './send-settings.ts';
import { type SentKind, trackKind } from './track-kinds.ts';

/** Adds a section to an offer, for sending or receiving Opus or VP8 (the camera in three sizes). */
export function addSection(
  connection: RTCPeerConnection,
  kind: SentKind,
  direction: 'sendonly' | 'recvonly',
): RTCRtpTransceiver {
  const track = trackKind(kind);
  const transceiver = connection.addTransceiver(track, { direction, ...sizesOf(kind, direction) });
  const wanted = track === 'audio' ? 'audio/opus' : 'video/vp8';
  const known = RTCRtpReceiver.getCapabilities(track)?.codecs ?? [];
  transceiver.setCodecPreferences(known.filter(({ mimeType }) => mimeType.toLowerCase() === wanted));
  return transceiver;
}

function sizesOf(kind: SentKind, direction: string): Pick<RTCRtpTransceiverInit, 'sendEncodings'> {
  if (direction === 'recvonly') return {};
  // The room orders sizes by their names: 0 is the smallest.
  if (kind === 'video')
    return { sendEncodings: USUAL_SIZES.map((size, at) => ({ ...size, rid: String(at) })) };
  return kind.startsWith('customVideo') ? { sendEncodings: [{ maxBitrate: NAMED_BITRATE }] } : {};
}
