import type { RTCDataChannel } from 'werift';

/** Most that waits to be sent to one peer, bytes: who takes nothing must not fill the memory. */
const MOST_WAITING = 1024 * 1024;

/**
 * Sends a text on a peer's channel; false where it is not open or does not take it: too much waits already, or the
 * text is longer than the peer said that it reads (RFC 8841 §6).
 */
export function sendText(channel: RTCDataChannel | undefined, text: string): boolean {
  if (channel?.readyState !== 'open' || channel.bufferedAmount > MOST_WAITING) return false;
  try {
    channel.send(text);
    return true;
  } catch {
    // The length is the only reason to throw.
    return false;
  }
}
