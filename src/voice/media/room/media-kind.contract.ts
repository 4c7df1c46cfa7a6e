/** What somebody in a room sends, in the call library's names (docs/contracts/voice.md §2). */
export const MEDIA_KINDS = ['audio', 'video', 'screenAudio', 'screenVideo'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];
