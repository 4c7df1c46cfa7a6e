import { readFile } from 'node:fs/promises';
import { imageSize } from 'image-size';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { BucketRules } from '../../platform/storage/storage-scope.server.ts';
import { AVATAR_LIMITS, AVATAR_REFUSALS } from './avatars.contract.ts';

/** Offset of the flags in an extended WebP, and the flag of an animation (WebP container specification). */
const WEBP_FLAGS = 20;
const WEBP_MOVES = 0x02;

/**
 * The rules of the bucket of avatars for a file of the right type (decision 0510). Its size is limited, so
 * that a few kilobytes cannot unpack to gigabytes in other people's browsers; and it must not be animated
 * (WCAG 2.2 §2.2.2). Only the headers are read.
 */
export const AVATAR_RULES: BucketRules = {
  noPlace: AVATAR_REFUSALS.notStored,
  admit: async () => {},
  async examine(_caller, file) {
    const bytes = await readFile(file);
    const size = sizeOf(bytes);
    const most = AVATAR_LIMITS.pixels;
    if (size === undefined || size.width > most || size.height > most || moves(bytes))
      throw new ServiceError(422, 'InvalidPicture', AVATAR_REFUSALS.notStored);
    return size;
  },
};

/** Width and height in pixels; undefined when the headers have none. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } | undefined {
  try {
    const { width, height } = imageSize(bytes);
    return width > 0 && height > 0 ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

function moves(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 8, 16) === 'WEBPVP8X') return ((bytes[WEBP_FLAGS] ?? 0) & WEBP_MOVES) !== 0;
  // The chunk that makes a PNG an animation comes before its image data.
  const picture = bytes.indexOf('IDAT', 0, 'latin1');
  return bytes.toString('latin1', 1, 4) === 'PNG' && bytes.subarray(0, picture).includes('acTL', 0, 'latin1');
}
