import { greyOf, type Picture, readingSize, releaseMemory, type Size } from '../ocr/picture.ts';

/** One of the components of pdf.js's decoded JPEG: samples in blocks of 8 × 8, 0 to 255. */
interface JpegComponent {
  readonly output: Int16Array;
  /** Width and height as a share of the picture's. */
  readonly scaleX: number;
  readonly scaleY: number;
  readonly blocksPerLine: number;
}

/** The part of pdf.js's decoder that we use; this entry of the library ships no types. */
interface JpegImage {
  parse(bytes: Uint8Array): void;
  getData(size: Size & { forceRGB: boolean }): Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly components: readonly JpegComponent[];
  /** Whether the components are brightness and two colours, not RGB or CMYK. */
  readonly _isColorConversionNeeded: boolean;
}

const decoders: string = 'pdfjs-dist/legacy/image_decoders/pdf.image_decoders.mjs';
let library: Promise<{ JpegImage: new () => JpegImage; setVerbosityLevel(level: number): void }> | undefined;

/**
 * Decodes a JPEG to grey with the decoder of pdf.js. Nearly every JPEG stores its brightness apart, so its colours are
 * never computed; other JPEGs get colours only for the pixels that we read.
 *
 * @returns the whole picture, or one of the size for reading
 * @throws Error if the JPEG is damaged
 */
export async function decodeJpeg(bytes: Uint8Array): Promise<Picture> {
  library ??= import(decoders);
  const { JpegImage, setVerbosityLevel } = await library;
  setVerbosityLevel(0);
  const image = new JpegImage();
  image.parse(bytes);
  const [brightness, , third, fourth] = image.components;
  const hasBrightness = third === undefined || (fourth === undefined && image._isColorConversionNeeded);
  const size = readingSize(image);
  const picture =
    hasBrightness && brightness?.scaleX === 1 && brightness.scaleY === 1
      ? brightnessOf(image, brightness)
      : greyOf(image.getData({ ...size, forceRGB: true }), size, 3);
  for (const { output } of image.components) releaseMemory(output);
  return picture;
}

/** Brightness, row by row. A line of blocks has one block more than `blocksPerLine`. */
function brightnessOf({ width, height }: Size, { output, blocksPerLine }: JpegComponent): Picture {
  const data = new Uint8Array(width * height);
  const lineOfBlocks = (blocksPerLine + 1) * 64;
  for (let y = 0; y < height; y += 1) {
    const start = (y >> 3) * lineOfBlocks + ((y & 7) << 3);
    const row = y * width;
    for (let x = 0; x < width; x += 1) data[row + x] = output[start + ((x & ~7) << 3) + (x & 7)] ?? 0;
  }
  return { width, height, data };
}
