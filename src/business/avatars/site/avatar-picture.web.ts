import { AVATAR_TYPES, declaredUploadType } from '../../../platform/storage/content/upload-types.contract.ts';
import { AVATAR_LIMITS, AVATAR_REFUSALS } from '../avatars.contract.ts';

const QUALITY = 0.9;

/**
 * Makes the picture to store from a chosen file: its middle as a square of 256 pixels, upright, on white, as
 * JPEG, which every browser can write. Everything else in the file, such as where it was taken, is left out.
 *
 * @throws Error with the sentence for the user
 */
export async function makeAvatar(file: File): Promise<Blob> {
  const type = declaredUploadType(file.name, file.type);
  if (type === undefined || !AVATAR_TYPES.includes(type.mimeTypes[0])) throw new Error(AVATAR_REFUSALS.type);
  if (file.size > AVATAR_LIMITS.chosenBytes) throw new Error(AVATAR_REFUSALS.large);
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(AVATAR_REFUSALS.broken);
  });
  const canvas = document.createElement('canvas');
  canvas.width = AVATAR_LIMITS.side;
  canvas.height = AVATAR_LIMITS.side;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error(AVATAR_REFUSALS.broken);
  context.fillStyle = 'white';
  context.fillRect(0, 0, AVATAR_LIMITS.side, AVATAR_LIMITS.side);
  context.imageSmoothingQuality = 'high';
  const side = Math.min(picture.width, picture.height);
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2];
  context.drawImage(picture, left, top, side, side, 0, 0, AVATAR_LIMITS.side, AVATAR_LIMITS.side);
  picture.close();
  const made = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  if (made === null) throw new Error(AVATAR_REFUSALS.broken);
  return made;
}
