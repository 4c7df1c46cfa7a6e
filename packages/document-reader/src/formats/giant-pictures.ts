import type { PDFDict, PDFDocument, PDFObject, PDFRawStream } from 'pdf-lib';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { MAX_PIXELS, type Picture, readingSize, releaseMemory, resize, type Size } from '../ocr/picture.ts';
import { decodeJpeg } from './jpeg-pixels.ts';
import { openPdf } from './pdf-opening.ts';
import { inflateGrey, type SampleLayout } from './row-pixels.ts';

/** Most pixels of a picture with colours or greys, which we decode ourselves, and of a black-and-white one. */
const MOST_OF_COLOURS = 64_000_000;
const MOST_OF_BITS = 160_000_000;

/**
 * A copy of one page whose giant pictures are reduced, opened by pdf.js. JPEG and zlib pictures are decoded in grey; a
 * black-and-white picture has so few bytes that pdf.js reads it as it is.
 *
 * @param number the page's number, from 1
 * @returns undefined if the file is encrypted or damaged, or a picture is of another kind or larger still
 */
export async function openReducedPage(
  document: PDFDocumentProxy,
  number: number,
): Promise<PDFDocumentProxy | undefined> {
  const library = await import('pdf-lib');
  try {
    const source = await library.PDFDocument.load(await document.getData(), { updateMetadata: false });
    const copy = await library.PDFDocument.create();
    const [page] = await copy.copyPages(source, [number - 1]);
    copy.addPage(page);
    for (const [reference, object] of copy.context.enumerateIndirectObjects()) {
      if (!(object instanceof library.PDFRawStream) || !isGiant(library, object)) continue;
      const picture = await reducedPicture(library, copy, object);
      if (picture === undefined) continue;
      copy.context.assign(reference, greyImage(copy, picture));
    }
    return await openPdf(new Uint8Array(await copy.save()), undefined, MOST_OF_BITS);
  } catch {
    // pdf-lib reads fewer damaged files than pdf.js; the page is then reported as too large.
    return undefined;
  }
}

type Library = typeof import('pdf-lib');

function numberOf({ PDFName, PDFNumber }: Library, dict: PDFDict, name: string): number | undefined {
  return dict.lookupMaybe(PDFName.of(name), PDFNumber)?.asNumber();
}

function sizeOf(library: Library, { dict }: PDFRawStream): Size {
  return {
    width: numberOf(library, dict, 'Width') ?? 0,
    height: numberOf(library, dict, 'Height') ?? 0,
  };
}

function isGiant(library: Library, stream: PDFRawStream): boolean {
  const { PDFName } = library;
  if (stream.dict.lookup(PDFName.of('Subtype')) !== PDFName.of('Image')) return false;
  const { width, height } = sizeOf(library, stream);
  return width * height > MAX_PIXELS;
}

/** @throws Error if a picture that is no black-and-white one cannot be reduced */
async function reducedPicture(
  library: Library,
  document: PDFDocument,
  stream: PDFRawStream,
): Promise<Picture | undefined> {
  const { PDFName, PDFArray, PDFBool, PDFDict: Dict } = library;
  const { dict } = stream;
  const size = sizeOf(library, stream);
  const bits = numberOf(library, dict, 'BitsPerComponent') ?? 8;
  const isMask = dict.lookupMaybe(PDFName.of('ImageMask'), PDFBool)?.asBoolean() === true;
  if (isMask || bits === 1) return undefined;
  if (size.width * size.height > MOST_OF_COLOURS) throw new Error('the picture is too large');
  const only = (value: PDFObject | undefined): PDFObject | undefined =>
    value instanceof PDFArray ? (value.size() === 1 ? value.lookup(0) : undefined) : value;
  const filter = only(dict.lookup(PDFName.of('Filter')));
  let picture: Picture;
  if (filter === PDFName.of('DCTDecode')) picture = await decodeJpeg(stream.contents);
  else if (filter === PDFName.of('FlateDecode')) {
    const channels = channelsOf(library, document, dict.lookup(PDFName.of('ColorSpace')));
    const options = only(dict.lookup(PDFName.of('DecodeParms')));
    const predictor = options instanceof Dict ? (numberOf(library, options, 'Predictor') ?? 1) : 1;
    // 2 is TIFF's predictor, which hardly any program writes.
    if (channels === undefined || predictor === 2) throw new Error('the picture has an unknown form');
    const layout: SampleLayout = { channels, bits, isFiltered: predictor >= 10 };
    picture = await inflateGrey([stream.contents], size, layout);
  } else throw new Error('the picture has an unknown form');
  const reduced = resize(picture, readingSize(picture));
  if (reduced !== picture) releaseMemory(picture.data);
  return reduced;
}

/** Samples of a pixel; undefined for a palette, CMYK and other rare spaces. */
function channelsOf(
  { PDFName, PDFArray, PDFRawStream: Stream, PDFNumber }: Library,
  document: PDFDocument,
  space: PDFObject | undefined,
): 1 | 3 | undefined {
  const name = space instanceof PDFArray ? space.lookup(0) : space;
  if (name === PDFName.of('DeviceGray') || name === PDFName.of('CalGray')) return 1;
  if (name === PDFName.of('DeviceRGB') || name === PDFName.of('CalRGB')) return 3;
  if (name !== PDFName.of('ICCBased') || !(space instanceof PDFArray)) return undefined;
  const profile = document.context.lookup(space.get(1));
  const count =
    profile instanceof Stream ? profile.dict.lookupMaybe(PDFName.of('N'), PDFNumber)?.asNumber() : undefined;
  return count === 1 || count === 3 ? count : undefined;
}

function greyImage(document: PDFDocument, { width, height, data }: Picture): PDFRawStream {
  return document.context.stream(data, {
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    ColorSpace: 'DeviceGray',
    BitsPerComponent: 8,
  });
}
