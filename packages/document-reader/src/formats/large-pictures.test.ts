import { crc32, deflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import { PDFDocument } from 'pdf-lib';
import { describe, expect, test } from 'vitest';
import { greyOf, type Picture } from '../ocr/picture.ts';
import { drawPage } from '../samples/make-scans.fixture.ts';
import { openReducedPage } from './giant-pictures.ts';
import { paintPage } from './page-painting.ts';
import { openPdf } from './pdf-opening.ts';
import { openPicture } from './picture-decoding.ts';
import { decodePng } from './png-pixels.ts';

/** A4 at 600 dpi, and the sensor of a phone with 48 megapixels. */
const A4 = { width: 4961, height: 7016 } as const;
const PHONE = { width: 6000, height: 8000 } as const;

/** White, with a black upper left quarter. */
function quartered({ width, height }: { width: number; height: number }) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#000';
  context.fillRect(0, 0, width / 2, height / 2);
  return canvas;
}

/** Grey at a place, given as shares of width and height. */
const greyAt = ({ width, height, data }: Picture, x: number, y: number): number | undefined =>
  data[Math.floor(y * height) * width + Math.floor(x * width)];

function expectQuartered(picture: Picture | undefined): void {
  if (picture === undefined) throw new Error('there is no picture');
  expect(picture.width * picture.height).toBeLessThanOrEqual(6_100_000);
  expect(greyAt(picture, 0.25, 0.25)).toBeLessThan(5);
  for (const [x, y] of [
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ] as const)
    expect(greyAt(picture, x, y)).toBeGreaterThan(250);
}

describe('large pictures are decoded reduced', () => {
  test('A4 at 600 dpi and a photo of 48 megapixels, as JPEG, PNG and TIFF', async () => {
    for (const [kind, bytes] of [
      ['jpg', quartered(PHONE).toBuffer('image/jpeg', 90)],
      ['png', quartered(A4).toBuffer('image/png')],
      ['tif', quarteredTiff(A4)],
    ] as const)
      expectQuartered(await (await openPicture(bytes, kind)).decode(0));
  });

  test('inside a PDF, as JPEG and as pixels with and without PNG filters', async () => {
    const file = await PDFDocument.create();
    const image = await file.embedJpg(quartered(PHONE).toBuffer('image/jpeg', 90));
    file.addPage([600, 800]).drawImage(image, { x: 0, y: 0, width: 600, height: 800 });
    for (const isFiltered of [false, true]) {
      const row = (black: boolean): Buffer => {
        const pixels = Buffer.alloc(PHONE.width, 255);
        if (black) pixels.fill(0, 0, PHONE.width / 2);
        return isFiltered ? Buffer.concat([Buffer.from([0]), pixels]) : pixels;
      };
      const rows = Array.from({ length: PHONE.height }, (_, y) => row(y < PHONE.height / 2));
      const stream = file.context.stream(deflateSync(Buffer.concat(rows), { level: 1 }), {
        Type: 'XObject',
        Subtype: 'Image',
        ...{ Width: PHONE.width, Height: PHONE.height, BitsPerComponent: 8 },
        ColorSpace: 'DeviceGray',
        Filter: 'FlateDecode',
        ...(isFiltered ? { DecodeParms: { Predictor: 15, Colors: 1, Columns: PHONE.width } } : {}),
      });
      const page = file.addPage([600, 800]);
      const name = page.node.newXObject('Giant', file.context.register(stream));
      const paint = file.context.stream(`q 600 0 0 800 0 0 cm ${name.asString()} Do Q`);
      page.node.addContentStream(file.context.register(paint));
    }
    const document = await openPdf(new Uint8Array(await file.save()));
    for (const number of [1, 2, 3]) {
      expect((await paintPage(await document.getPage(number))).leftOut).toBe(1);
      const reduced = await openReducedPage(document, number);
      expectQuartered(reduced && (await paintPage(await reduced.getPage(1))).picture);
    }
  });
});

describe('PNG files of every form', () => {
  test('RGB with opacity, in all filters that an encoder chooses', async () => {
    const canvas = drawPage('en', 'letter', 2).canvas;
    const { width, height } = canvas;
    const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
    expect(await decodePng(canvas.toBuffer('image/png'))).toEqual(greyOf(pixels, { width, height }, 4));
  });

  test('1, 2, 4 and 16 bits, a palette with opacity, and the seven passes of Adam7', async () => {
    const grey = async (file: Buffer) => [...(await decodePng(file)).data];
    expect(await grey(pngOf([3, 1], [1, 0], [[0b01000000]]))).toEqual([0, 255, 0]);
    expect(await grey(pngOf([3, 1], [2, 0], [[0b00011100]]))).toEqual([0, 85, 255]);
    expect(await grey(pngOf([3, 1], [4, 0], [[0x0f, 0x80]]))).toEqual([0, 255, 136]);
    expect(await grey(pngOf([2, 1], [16, 0], [[0x80, 0xff, 0x00, 0xff]]))).toEqual([128, 0]);
    const palette = { PLTE: [0, 0, 0, 255, 0, 0], tRNS: [0, 255] };
    expect(await grey(pngOf([2, 1], [8, 3], [[0, 1]], palette))).toEqual([255, 76]);
    // A picture of 5 × 3, in which pixel number n has the grey 10 n. It has no row in the third pass.
    const at = (...numbers: number[]): number[] => numbers.map((number) => number * 10);
    const rows = [at(0), at(4), at(2), at(10, 12, 14), at(1, 3), at(11, 13), at(5, 6, 7, 8, 9)];
    expect(await grey(pngOf([5, 3], [8, 0], rows, {}, 1))).toEqual(
      at(...Array.from({ length: 15 }, (_, index) => index)),
    );
  });

  test('a file that ends in the middle gives its upper part, and one without pixels an error', async () => {
    const whole = quartered({ width: 400, height: 400 }).toBuffer('image/png');
    const cut = await decodePng(whole.subarray(0, whole.length - 200));
    expect(greyAt(cut, 0.1, 0.05)).toBe(0);
    await expect(decodePng(whole.subarray(0, 40))).rejects.toThrow();
  });
});

/** A PNG whose rows have the filter 0. */
function pngOf(
  [width, height]: [number, number],
  [bits, colour]: [number, number],
  rows: number[][],
  extra: Record<string, number[]> = {},
  interlace = 0,
): Buffer {
  const chunk = (type: string, content: Buffer): Buffer => {
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(content.length, 0);
    const body = Buffer.concat([Buffer.from(type), content]);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, colour, 0, 0, interlace], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...Object.entries(extra).map(([type, content]) => chunk(type, Buffer.from(content))),
    chunk('IDAT', deflateSync(Buffer.from(rows.flatMap((row) => [0, ...row])))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** An uncompressed RGB TIFF in strips of 64 rows. */
function quarteredTiff({ width, height }: { width: number; height: number }): Buffer {
  const STRIP = 64;
  const strips = Math.ceil(height / STRIP);
  const pixels = Buffer.alloc(width * height * 3, 255);
  for (let y = 0; y < height / 2; y += 1) pixels.fill(0, y * width * 3, y * width * 3 + (width >> 1) * 3);
  const offsets = Buffer.alloc(strips * 4);
  const counts = Buffer.alloc(strips * 4);
  for (let strip = 0; strip < strips; strip += 1) {
    offsets.writeUInt32LE(8 + strip * STRIP * width * 3, strip * 4);
    counts.writeUInt32LE(Math.min(STRIP, height - strip * STRIP) * width * 3, strip * 4);
  }
  const bits = Buffer.from([8, 0, 8, 0, 8, 0, 0, 0]);
  const [offsetsAt, countsAt] = [8 + pixels.length, 8 + pixels.length + strips * 4];
  const bitsAt = countsAt + strips * 4;
  const entries = [
    ...[
      [256, 4, 1, width],
      [257, 4, 1, height],
      [258, 3, 3, bitsAt],
      [259, 3, 1, 1],
      [262, 3, 1, 2],
    ],
    ...[
      [273, 4, strips, offsetsAt],
      [277, 3, 1, 3],
      [278, 4, 1, STRIP],
      [279, 4, strips, countsAt],
    ],
  ];
  const folder = Buffer.alloc(2 + entries.length * 12 + 4);
  folder.writeUInt16LE(entries.length, 0);
  for (const [index, [tag = 0, type = 0, count = 0, value = 0]] of entries.entries()) {
    folder.writeUInt16LE(tag, 2 + index * 12);
    folder.writeUInt16LE(type, 4 + index * 12);
    folder.writeUInt32LE(count, 6 + index * 12);
    folder.writeUInt32LE(value, 10 + index * 12);
  }
  const head = Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(bitsAt + 8, 4);
  return Buffer.concat([head, pixels, offsets, counts, bits, folder]);
}
