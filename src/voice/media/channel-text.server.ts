import type { RTCDataChannel } from 'werift';

/** Longest app message, characters (docs/specification/platform.md §5). */
export const MAX_APP_MESSAGE = 4096;
/** Most texts of the caller's client about the call itself in one second; more are dropped. */
export const ROOM_TEXTS_PER_SECOND = 30;
/** Name of the channel for texts between a room and its peers (docs/voice-api.md, Rooms). */
export const ROOM_CHANNEL = 'room';
/** Most bytes that wait to be sent to one peer: a peer that reads nothing must not fill the memory. */
const MOST_WAITING = 1024 * 1024;

/**
 * Sends a text on a peer's channel. Returns false where the channel is not open, where too much waits
 * already, or where the text is longer than the peer accepts (RFC 8841 §6).
 */
export function sendText(channel: RTCDataChannel | undefined, text: string): boolean {
  if (channel?.readyState !== 'open' || channel.bufferedAmount > MOST_WAITING) return false;
  try {
    channel.send(text);
    return true;
  } catch {
    // A text that is too long is the only reason to throw.
    return false;
  }
}
