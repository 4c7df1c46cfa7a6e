/** What a detector is asked: how likely each window is speech, or to forget what it has heard. */
export type ActivityRequest =
  | { readonly kind: 'windows'; readonly detector: number; readonly windows: readonly Int16Array[] }
  | { readonly kind: 'forget'; readonly detector: number };
