import type { RTCRtpReceiver } from 'werift';

type Werift = typeof import('werift');

/** How often a peer that sends pictures is told how much of them is taken, milliseconds. */
export const BANDWIDTH_MS = 250;
/** The number is sent as 18 bits and an exponent (draft-alvestrand-rmcat-remb-03). */
const BITRATE_EXPONENT = 5;
/** Bandwidth that is measured packet by packet is asked for by nobody here. */
const MEASURED = /^a=rtcp-fb:\d+ transport-cc\r\n/gm;

/** An offer whose peer finds by its losses, not packet by packet, how much the way carries (decision 0421). */
export const withoutMeasuring = (offer: string): string => offer.replaceAll(MEASURED, '');

/**
 * Tells a peer how much of its pictures this server takes: it finds by its losses how much of that the way carries.
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
  // What does not go out is sent again soon.
  void receiver?.transport?.sendRtcp([new RtcpPayloadSpecificFeedback({ feedback })]);
}
