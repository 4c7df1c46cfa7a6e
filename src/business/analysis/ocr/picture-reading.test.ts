import { crc32, deflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import utif from 'utif2';
import { expect, test } from 'vitest';
import { expectRead, readDocument, share, textOf } from '../../../../tests/documents/document-reader.ts';
import { asJpeg, damage, drawPage, drawReceipt, scansAsPdf } from '../../../../tests/documents/make-scans.ts';
import type { ReaderProgress } from '../reader/reader-messages.server.ts';

test('a scanned PDF is read; its words keep their places, and the report says how it was read', async () => {
  const scan = damage(drawPage('en', 'letter', 1), 'skew', 1);
  const reply = expectRead(await readDocument('scan.pdf', await scansAsPdf([scan])));
  expect(share(scan, textOf(reply))).toBeGreaterThan(0.95);
  const { coverage, warnings, document } = reply.report;
  expect(document.pages).toBe(1);
  expect(coverage.pagesOcr).toMatchObject([{ page: 1, turned: 0, linesUnread: 0 }]);
  expect(Math.abs(coverage.pagesOcr?.[0]?.skew ?? 0)).toBeGreaterThan(0.5);
  expect(warnings.map(({ code }) => code)).toContain('ocr');
  const words = reply.blocks.flatMap((block) =>
    (block.words ?? []).map(([start, end, ...box]) => ({ text: block.text.slice(start, end), box })),
  );
  expect(words.length).toBeGreaterThan(scan.words.length * 0.95);
  expect(words.every(({ text }) => text !== '' && !/^\s|\s$/.test(text))).toBe(true);
  // The heading stands at the top of the page, the last line at its foot.
  expect(words[0]?.box[1]).toBeLessThan(2000);
  expect(words.at(-1)?.box[1]).toBeGreaterThan(5000);
});

test('a camera’s note of its direction (EXIF) is obeyed', async () => {
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

test('a PDF of two printed pages and a scan is read whole, each page in its own way', async () => {
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
  // Cut into seven strips, it is one page again: no line is lost at a cut.
  expect(share(scan, textOf(reply, 2))).toBeGreaterThan(0.95);
  expect(textOf(reply, 3)).toContain('Printed page 2, line 11');
  expect(reply.blocks.map((block) => block.page)).toEqual(
    [...reply.blocks.map((block) => block.page)].sort(),
  );
  expect(progress).toEqual([{ done: 0, of: 1 }]);
});

test('scans over the limit are named by number, and the report is partial', async () => {
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

test('a picture without text, a giant and a damaged one end in their own sentences', async () => {
  const picture = createCanvas(800, 600);
  const context = picture.getContext('2d');
  for (const [index, colour] of ['#3a6', '#ca4', '#47b'].entries()) {
    context.fillStyle = colour;
    context.beginPath();
    context.arc(200 + index * 200, 300, 150, 0, 7);
    context.fill();
  }
  expect(await readDocument('balls.jpg', asJpeg(picture))).toMatchObject({
    outcome: 'unreadable',
    code: 'no_text',
  });
  const giant = await readDocument('giant.png', emptyPng(60_000, 60_000));
  expect(giant).toMatchObject({ outcome: 'unreadable', code: 'too_large' });
  expect(JSON.stringify(giant)).toContain('60000 × 60000 pixels');
  const broken = asJpeg(drawPage('en', 'letter', 7).canvas).subarray(0, 300);
  expect(await readDocument('broken.jpg', broken)).toMatchObject({ outcome: 'unreadable', code: 'corrupt' });
  const page = asJpeg(drawPage('en', 'letter', 7).canvas);
  const half = expectRead(await readDocument('half.jpg', page.subarray(0, page.length * 0.6)));
  expect(half.report.status).toBe('partial');
  expect(half.report.warnings.map(({ code }) => code)).toContain('text_lost');
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

/** A JPEG with an EXIF block that says how the camera was held. */
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

/** A PNG that claims a size and holds nothing. */
function emptyPng(width: number, height: number): Buffer {
  const chunk = (type: string, content: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), content]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(content.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(100))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
