import { crc32, deflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import { PDFDocument } from 'pdf-lib';
import { expect, test } from 'vitest';
import type { KeptPage } from '../reader/reader-messages.ts';
import { expectRead, readDocument, share, textOf } from '../samples/document-reader.fixture.ts';
import { asJpeg, damage, drawPage, scansAsPdf } from '../samples/make-scans.fixture.ts';
import { partsOfWord, writeZip } from '../samples/write-zip.fixture.ts';

// Each page costs seconds of both cores; `npm run soak -- picture-reading` reads the others.
test('a scanned PDF is read; its words keep their places, and the report says how it was read', async () => {
  const scan = damage(drawPage('en', 'letter', 1), 'skew', 1);
  const file = await scansAsPdf([scan]);
  const pages: KeptPage[] = [];
  const reply = expectRead(await readDocument('scan.pdf', file, { onPage: (page) => pages.push(page) }));
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
  // The heading is at the top of the page, and the last line at its foot.
  expect(words[0]?.box[1]).toBeLessThan(2000);
  expect(words.at(-1)?.box[1]).toBeGreaterThan(5000);
  // What another reading would go on with.
  expect(pages.map(({ page, outcome }) => [page, JSON.parse(outcome).outcome])).toEqual([[1, 'text']]);
});

test('a photo of 48 megapixels in a PDF is read word by word, within the limit of memory', async () => {
  const scan = drawPage('en', 'letter', 4);
  const canvas = createCanvas(6000, 8000);
  canvas.getContext('2d').drawImage(scan.canvas, 0, 0, 6000, 8000);
  const file = await PDFDocument.create();
  const image = await file.embedJpg(asJpeg(canvas));
  file.addPage([595, 793]).drawImage(image, { x: 0, y: 0, width: 595, height: 793 });
  const reply = expectRead(await readDocument('photo.pdf', Buffer.from(await file.save())));
  expect(share(scan, textOf(reply))).toBeGreaterThan(0.95);
  expect(reply.report.coverage.pagesSkipped).toEqual([]);
});

test('a picture without text, a giant one and a damaged one are refused with their own sentences', async () => {
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
});

test('pictures inside a Word file are read below its text; logos are passed over, and drawings are said', async () => {
  const scan = drawPage('en', 'letter', 11);
  const logo = createCanvas(120, 60).toBuffer('image/png');
  const file = writeZip([
    ...partsOfWord(),
    {
      name: 'word/document.xml',
      content:
        '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>The letter is below. It came on Monday.</w:t></w:r></w:p></w:body></w:document>',
    },
    { name: 'word/media/image1.png', content: logo },
    { name: 'word/media/image2.jpeg', content: asJpeg(scan.canvas) },
    { name: 'word/media/image3.png', content: emptyPng(60_000, 60_000) },
  ]);
  const reply = expectRead(await readDocument('letter.docx', file));
  expect(reply.blocks[0]?.text).toBe('The letter is below. It came on Monday.');
  expect(share(scan, textOf(reply))).toBeGreaterThan(0.95);
  expect(reply.blocks.every(({ page, words }) => page === undefined && words === undefined)).toBe(true);
  expect(reply.report.warnings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        code: 'ocr',
        text: 'One picture in this file was read: compare names and figures with the original.',
      }),
      expect.objectContaining({
        code: 'pictures_unread',
        text: 'One picture in this file could not be read. To have one read, upload it by itself.',
      }),
    ]),
  );
});

/** A PNG that declares a size and holds no pixels. */
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
