/** What a detector is asked: how likely a window is speech, or to forget what it has heard. */
export type ActivityRequest =
  | { readonly kind: 'window'; readonly detector: number; readonly pcm: Int16Array }
  | { readonly kind: 'forget'; readonly detector: number };
