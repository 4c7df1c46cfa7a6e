import { createCanvas } from '@napi-rs/canvas';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import utif from 'utif2';
import { expect, test } from 'vitest';
import type { ReaderProgress } from '../../packages/document-reader/src/reader/reader-messages.ts';
import {
  expectRead,
  readDocument,
  share,
  textOf,
} from '../../packages/document-reader/src/samples/document-reader.fixture.ts';
import {
  asJpeg,
  damage,
  drawPage,
  drawReceipt,
  scansAsPdf,
} from '../../packages/document-reader/src/samples/make-scans.fixture.ts';
import { claims } from '../support/claims.ts';

test.each([
  ['a quarter', 'quarter', 90],
  ['half', 'half', 180],
  ['three quarters', 'three-quarters', 270],
] as const)('a photo that is turned by %s is read upright', async (_name, how, turned) => {
  const scan = damage(drawPage('en', 'invoice', 2), how, 2);
  const reply = expectRead(await readDocument('photo.jpg', asJpeg(scan.canvas)));
  expect(share(scan, textOf(reply))).toBeGreaterThan(0.85);
  expect(reply.report.coverage.pagesOcr).toMatchObject([{ turned }]);
});

test.each([
  ['de', /[äöüß]/],
  ['fr', /[éèêç]/],
] as const)(
  'a scan (%s) keeps its letters: the recogniser without accents is kept off it',
  async (language, letters) => {
    const scan = damage(drawPage(language, 'letter', 4), 'shadow', 4);
    const reply = expectRead(await readDocument('scan.jpg', asJpeg(scan.canvas)));
    expect(share(scan, textOf(reply))).toBeGreaterThan(0.93);
    expect(textOf(reply)).toMatch(letters);
    expect(reply.report.document.language).toBe(language);
  },
);

test('a camera’s note of its orientation (EXIF) is used', async () => {
  const scan = damage(drawPage('en', 'invoice', 3), 'quarter', 3);
  const reply = expectRead(await readDocument('phone.jpg', withOrientation(asJpeg(scan.canvas), 8)));
  expect(reply.report.coverage.pagesOcr).toMatchObject([{ turned: 0 }]);
  expect(share(scan, textOf(reply))).toBeGreaterThan(0.85);
});

test('a receipt: its rows stay whole, and total, date and shop are in the text', async () => {
  const scan = drawReceipt([
    'HARBOUR FOODS LTD',
    '12 QUAY ROAD, WHITBY',
    'DATE 14/03/2026  10:42',
    '2 x SOURDOUGH LOAF        7.80',
    '1 x APPLE JUICE           3.15',
    'TOTAL                    10.95',
    'CASH                     20.00',
    'CHANGE                    9.05',
  ]);
  const reply = expectRead(await readDocument('receipt.png', scan.canvas.toBuffer('image/png')));
  const text = textOf(reply).replace(/\s+/g, '');
  for (const wanted of ['HARBOURFOODSLTD', '14/03/2026', 'TOTAL10.95', 'CHANGE9.05'])
    expect(text).toContain(wanted);
});

test('pages with the orientation of the page before are read like it; others, and other languages, are read too', async () => {
  const scans = [
    damage(drawPage('de', 'letter', 21), 'half', 21),
    damage(drawPage('de', 'letter', 22), 'half', 22),
    damage(drawPage('en', 'letter', 23), 'clean', 23),
  ];
  const reply = expectRead(await readDocument('scans.pdf', await scansAsPdf(scans)));
  expect(reply.report.coverage.pagesOcr).toMatchObject([{ turned: 180 }, { turned: 180 }, { turned: 0 }]);
  for (const [index, scan] of scans.entries())
    expect(share(scan, textOf(reply, index + 1)), `page ${index + 1}`).toBeGreaterThan(0.9);
  expect(textOf(reply, 2)).toMatch(/[äöüß]/);
});

test('a PDF of two printed pages and a scan is read completely, each page in its own way', async () => {
  claims('Photos and scans are read there too.');
  const file = await PDFDocument.create();
  const font = await file.embedFont(StandardFonts.Helvetica);
  for (const number of [1, 2]) {
    const page = file.addPage();
    for (let line = 0; line < 12; line += 1)
      page.drawText(`Printed page ${number}, line ${line}: the terms of this agreement are binding.`, {
        x: 50,
        y: 780 - line * 16,
        size: 11,
        font,
      });
  }
  const scan = drawPage('en', 'letter', 6);
  const scanned = await PDFDocument.load(await scansAsPdf([scan], 7));
  const [page] = await file.copyPages(scanned, [0]);
  if (page === undefined) throw new Error('no page');
  file.insertPage(1, page);
  const progress: ReaderProgress[] = [];
  const reply = expectRead(
    await readDocument('mixed.pdf', Buffer.from(await file.save()), {
      onProgress: (step) => progress.push(step),
    }),
  );
  expect(reply.report.coverage).toMatchObject({ pagesRead: 3, pagesSkipped: [], pagesOcr: [{ page: 2 }] });
  expect(reply.report.status).toBe('complete');
  // Cut into seven strips, it is read as one page: no line is lost at a cut.
  expect(share(scan, textOf(reply, 2))).toBeGreaterThan(0.95);
  expect(textOf(reply, 3)).toContain('Printed page 2, line 11');
  expect(reply.blocks.map((block) => block.page)).toEqual(
    [...reply.blocks.map((block) => block.page)].sort(),
  );
  expect(progress).toEqual([{ done: 0, of: 1 }]);
});

test('scans over the limit are named by number, and the report is partial', async () => {
  claims('What could not be read is named by its page.');
  const scan = drawReceipt(['MEMO', 'The first page is read and the others are not.']);
  const reply = expectRead(
    await readDocument('three.pdf', await scansAsPdf([scan, scan, scan]), { ocrPages: 1 }),
  );
  expect(reply.report.status).toBe('partial');
  expect(reply.report.coverage.pagesSkipped.map(({ page }) => page)).toEqual([2, 3]);
  expect(reply.report.coverage.pagesSkipped[0]?.reason).toContain('limit');
});

test('a blank page is called blank, and nothing of the document is missing', async () => {
  const scan = drawReceipt(['MEMO', 'The other side of this sheet is empty.']);
  const empty = createCanvas(620, 800);
  const paper = empty.getContext('2d');
  paper.fillStyle = '#f4f2ec';
  paper.fillRect(0, 0, 620, 800);
  const reply = expectRead(
    await readDocument('duplex.pdf', await scansAsPdf([scan, { canvas: empty, words: [] }])),
  );
  expect(reply.report.coverage).toMatchObject({ pagesBlank: [2], pagesSkipped: [] });
  expect(reply.report.status).toBe('complete');
});

test('WebP and TIFF are read; every page of a TIFF', async () => {
  const scan = drawReceipt(['FERRY TICKET', 'Valid on 14 March 2026 only']);
  const webp = expectRead(await readDocument('ticket.webp', scan.canvas.toBuffer('image/webp', 90)));
  expect(textOf(webp)).toContain('Valid on 14 March 2026 only');
  const { width, height } = scan.canvas;
  const pixels = scan.canvas.getContext('2d').getImageData(0, 0, width, height).data;
  const tiff = Buffer.from(utif.encodeImage(new Uint8Array(pixels), width, height));
  const reply = expectRead(await readDocument('ticket.tif', tiff));
  expect(reply.report.document.pages).toBe(1);
  expect(textOf(reply)).toContain('Valid on 14 March 2026 only');
});

test('half a photo is read as far as it goes, and the report is partial', async () => {
  const page = asJpeg(drawPage('en', 'letter', 7).canvas);
  const half = expectRead(await readDocument('half.jpg', page.subarray(0, page.length * 0.6)));
  expect(half.report.status).toBe('partial');
  expect(half.report.warnings.map(({ code }) => code)).toContain('text_lost');
});

/** A JPEG with an EXIF block that records how the camera was held. */
function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.from(
    '457869660000' + '49492a0008000000' + '0100' + '1201030001000000' + '00000000' + '00000000',
    'hex',
  );
  exif.writeUInt16LE(orientation, 6 + 8 + 2 + 8);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(0xffe1, 0);
  head.writeUInt16BE(exif.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}
