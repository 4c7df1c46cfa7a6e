/** What the server tells a recogniser's process. Sound is 16-bit mono, 16 000 samples a second. */
export type RecogniserRequest =
  | { readonly kind: 'begin' }
  | { readonly kind: 'sound'; readonly pcm: Int16Array }
  | { readonly kind: 'end' };

/** What a recogniser's process answers. One `heard` for each `end`, in order. */
export type RecogniserReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'partial'; readonly text: string }
  | { readonly kind: 'heard'; readonly text: string; readonly confidence: number };
