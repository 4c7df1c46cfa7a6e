/** Texts whose vectors are wanted; the answer is a `MeaningReply`. */
export interface MeaningRequest {
  readonly texts: readonly string[];
}

/** A vector of length one for each text, in their order. */
export interface MeaningReply {
  readonly vectors: readonly Float32Array[];
}
