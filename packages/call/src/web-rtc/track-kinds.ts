/** The kinds of media that a participant sends, in the library's names (docs/contracts/voice.md §2). */
export const MEDIA_KINDS = ['audio', 'video', 'screenAudio', 'screenVideo'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** The places for tracks that a page names itself: a room has two for sound and two for pictures. */
export const CUSTOM_KINDS = ['customAudio1', 'customAudio2', 'customVideo1', 'customVideo2'] as const;
export type CustomKind = (typeof CUSTOM_KINDS)[number];
/** Everything that a participant can send; an offer has its sections of each sort in this order. */
export const SENT_KINDS = [...MEDIA_KINDS, ...CUSTOM_KINDS] as const;
export type SentKind = (typeof SENT_KINDS)[number];
/** The rights to send, in the library's names. */
export const SEND_RIGHTS: readonly string[] = [...MEDIA_KINDS, 'customVideo', 'customAudio'];

/** Whether it is the place of a custom track. */
export const isCustom = (kind: SentKind): kind is CustomKind => /^custom/.test(kind);

/** Whether a kind is sound or a picture: `audio`, `screenAudio` and `customAudio1` are sound. */
export const trackKind = (kind: SentKind): 'audio' | 'video' => (/udio/.test(kind) ? 'audio' : 'video');

/**
 * Sends a track, or stops sending one.
 *
 * @param maxBitsPerSecond the usual rate where it is missing
 */
export type SendTrack = (
  kind: SentKind,
  track: MediaStreamTrack | null,
  maxBitsPerSecond?: number,
) => Promise<void>;
