/** A window for the detector of one call, or the end of that call's detector. */
export type ActivityRequest =
  | { readonly kind: 'window'; readonly id: number; readonly detector: number; readonly pcm: Int16Array }
  | { readonly kind: 'reset' | 'close'; readonly detector: number };

/** How likely the window is speech, 0 to 1; or why that is not known. */
export type ActivityReply =
  | { readonly id: number; readonly probability: number }
  | { readonly id: number; readonly failure: string };
