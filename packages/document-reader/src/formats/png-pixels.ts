import type { Picture } from '../ocr/picture.ts';
import { inflateGrey, type SampleLayout } from './row-pixels.ts';

/** Samples of a pixel by the colour type of the header (PNG specification, section 11.2.2). */
const CHANNELS: Readonly<Record<number, 1 | 2 | 3 | 4>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const INDEXED = 3;
const SIGNATURE_BYTES = 8;
/** Length and type before the content of a chunk, and the check sum after it. */
const HEAD_BYTES = 8;
const CHECK_BYTES = 4;

/**
 * Decodes a PNG to grey, the first frame of an animated one. A file that ends in the middle gives its upper part.
 *
 * @throws Error if the file has no header or no pixels
 */
export function decodePng(bytes: Buffer): Promise<Picture> {
  const chunks = [...chunksOf(bytes)];
  const contentOf = (type: string): Buffer | undefined =>
    chunks.find((chunk) => chunk.type === type)?.content;
  const header = contentOf('IHDR');
  if (header === undefined || header.length < 13) throw new Error('the PNG has no header');
  const colour = header[9] ?? 0;
  const channels = CHANNELS[colour];
  if (channels === undefined) throw new Error(`the PNG has the unknown colour type ${colour}`);
  const layout: SampleLayout = {
    channels,
    bits: header[8] ?? 8,
    isFiltered: true,
    isInterlaced: header[12] === 1,
    ...(colour === INDEXED ? { palette: greysOf(contentOf('PLTE'), contentOf('tRNS')) } : {}),
  };
  const size = { width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
  return inflateGrey(
    chunks.filter(({ type }) => type === 'IDAT').map(({ content }) => content),
    size,
    layout,
  );
}

function* chunksOf(bytes: Buffer): Generator<{ type: string; content: Buffer }> {
  for (let at = SIGNATURE_BYTES; at + HEAD_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const start = at + HEAD_BYTES;
    yield { type: bytes.toString('latin1', at + 4, start), content: bytes.subarray(start, start + length) };
    at = start + length + CHECK_BYTES;
  }
}

/** The grey of each colour of a palette, on white paper. */
function greysOf(colours: Buffer = Buffer.alloc(0), opacities: Buffer = Buffer.alloc(0)): Uint8Array {
  return Uint8Array.from({ length: Math.floor(colours.length / 3) }, (_, index) => {
    const [red = 0, green = 0, blue = 0] = colours.subarray(index * 3, index * 3 + 3);
    const grey = (red * 77 + green * 150 + blue * 29) >> 8;
    const opacity = opacities[index] ?? 255;
    return opacity === 255 ? grey : 255 - (((255 - grey) * opacity) >> 8);
  });
}
