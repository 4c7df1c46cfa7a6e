/** Limits of an account's picture (decision 0510). */
export const AVATAR_LIMITS = {
  /** Largest stored picture in bytes: the limit of its bucket. */
  bytes: 256 * 1024,
  /** Longest side of a stored picture, pixels. */
  pixels: 512,
  /** Side of the picture that the page makes from a chosen file, pixels. */
  side: 256,
  /** Largest file that the page accepts, bytes. */
  chosenBytes: 20 * 1024 * 1024,
} as const;

/** Why a picture is refused. */
export const AVATAR_REFUSALS = {
  type: 'Choose a JPEG, PNG or WebP file.',
  large: 'The file is larger than 20 MB. Please choose a smaller one.',
  broken: 'This picture cannot be opened. Please choose another one.',
  notStored: 'A picture has at most 512 pixels a side and does not move.',
} as const;
