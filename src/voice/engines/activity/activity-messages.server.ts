/** A request to a detector: how likely each window is speech, or to forget the windows before. */
export type ActivityRequest =
  | { readonly kind: 'windows'; readonly detector: number; readonly windows: readonly Int16Array[] }
  | { readonly kind: 'forget'; readonly detector: number };
