/** What somebody in a room sends, in the call library's names (docs/contracts/voice.md §2). */
export const MEDIA_KINDS = ['audio', 'video', 'screenAudio', 'screenVideo'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** Places for tracks that a page names itself: two of sound and two of pictures for each person (decision 0466). */
export const CUSTOM_KINDS = ['customAudio1', 'customAudio2', 'customVideo1', 'customVideo2'] as const;
export type CustomKind = (typeof CUSTOM_KINDS)[number];

/** All that one person can send; in an offer the sections of each sort come in this order. */
export const SENT_KINDS = [...MEDIA_KINDS, ...CUSTOM_KINDS] as const;
export type SentKind = (typeof SENT_KINDS)[number];

/**
 * What somebody can be allowed to send, in the call library's names: one right covers all custom tracks of a
 * sort.
 */
export const SEND_RIGHTS = [...MEDIA_KINDS, 'customAudio', 'customVideo'] as const;
export type SendRight = (typeof SEND_RIGHTS)[number];

/** The right that sending this kind needs. */
export const rightOf = (kind: SentKind): SendRight => kind.replace(/\d$/, '') as SendRight;

/** Whether it is sound or a picture. */
export const trackKind = (kind: SentKind): 'audio' | 'video' => (/udio/.test(kind) ? 'audio' : 'video');

/** How many sections of sound and of pictures an offer has where it receives `audio` and `video` streams. */
export function sectionsOf({ audio, video }: { readonly audio: number; readonly video: number }): {
  readonly audio: number;
  readonly video: number;
} {
  const sent = (track: 'audio' | 'video'): number =>
    SENT_KINDS.filter((kind) => trackKind(kind) === track).length;
  return { audio: audio + sent('audio'), video: video + sent('video') };
}
