import type { RTCRtpReceiver } from 'werift';

type Werift = typeof import('werift');

/** How often a peer that sends pictures is told the bandwidth that this server accepts, milliseconds. */
export const BANDWIDTH_MS = 250;
/** The number is sent as 18 bits and an exponent (draft-alvestrand-rmcat-remb-03). */
const BITRATE_EXPONENT = 5;
/** The feedback by which a peer would measure bandwidth packet by packet; this server does not give it. */
const MEASURED = /^a=rtcp-fb:\d+ transport-cc\r\n/gm;

/**
 * The offer without that feedback, so that the peer finds by its losses how much the network carries
 * (decision 0421).
 */
export const withoutMeasuring = (offer: string): string => offer.replaceAll(MEASURED, '');

/**
 * Tells a peer how many bits a second of its pictures this server accepts; by its losses the peer finds out
 * how much of that the network carries.
 *
 * @param bitrate bits a second
 */
export function announceBandwidth(
  { ReceiverEstimatedMaxBitrate, RtcpPayloadSpecificFeedback }: Werift,
  receiver: RTCRtpReceiver | undefined,
  bitrate: number,
): void {
  const ssrcFeedbacks = (receiver?.tracks ?? []).flatMap(({ ssrc }) => (ssrc === undefined ? [] : [ssrc]));
  const feedback = new ReceiverEstimatedMaxBitrate({
    senderSsrc: receiver?.rtcpSsrc ?? 0,
    mediaSsrc: 0,
    ssrcNum: ssrcFeedbacks.length,
    brExp: BITRATE_EXPONENT,
    brMantissa: bitrate >> BITRATE_EXPONENT,
    ssrcFeedbacks,
  });
  // A failure needs no handling: the next announcement follows soon.
  void receiver?.transport?.sendRtcp([new RtcpPayloadSpecificFeedback({ feedback })]);
}
