import { createCanvas } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { citeHolds } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { buildReport } from '../report/report-building.ts';
import { type MadeReceipt, makeReceipt } from '../samples/make-receipts.fixture.ts';
import { asJpeg, drawReceipt } from '../samples/make-scans.fixture.ts';
import { layOut, type PhotoOptions } from './make-receipt-photo.fixture.ts';
import { createOcrSession } from './ocr-session.ts';
import { findPapers } from './paper-finding.ts';
import { greyOf, type Picture } from './picture.ts';

/** British and Irish receipts and others in plain letters. */
const receipts = (seed: number, count: number): MadeReceipt[] =>
  Array.from({ length: count }, (_, index) => makeReceipt(seed + index * 3, 0, 'unseen'));

const photoOf = (made: readonly MadeReceipt[], options: PhotoOptions) =>
  layOut(
    made.map(({ lines }) => drawReceipt(lines)),
    options,
  );

function greyPicture(canvas: ReturnType<typeof layOut>): Picture {
  const { width, height } = canvas;
  return greyOf(canvas.getContext('2d').getImageData(0, 0, width, height).data, { width, height }, 4);
}

async function reportOf(photo: ReturnType<typeof layOut>) {
  const document = await readFileContent(
    asJpeg(photo, 85),
    createOcrSession(20, () => {}),
  );
  const report = buildReport(document, {
    fileName: 'till.jpg',
    sha256: '',
    createdAt: '2026-03-10T09:00:00.000Z',
  });
  return { document, report };
}

test('papers on a table are found, row by row, up to six and turned by up to six degrees', () => {
  for (const [count, columns] of [
    [2, 2],
    [3, 3],
    [4, 2],
    [5, 3],
    [6, 3],
  ] as const)
    for (const turn of [0, 3, 6]) {
      const made = receipts(count * 10 + turn, count);
      const photo = photoOf(made, { seed: turn + count, columns, turn, gap: 60 });
      const papers = findPapers(greyPicture(photo));
      expect(papers.length, `${count} turned by ${turn}`).toBe(count);
      expect(papers.every(({ isFlat }) => isFlat)).toBe(true);
      for (const [index, { width, height }] of papers.entries()) {
        const { canvas } = drawReceipt(made[index]?.lines ?? []);
        expect(Math.abs(width / canvas.width - 1)).toBeLessThan(0.05);
        expect(Math.abs(height / canvas.height - 1)).toBeLessThan(0.05);
      }
    }
});

test('one paper is one: alone on a table, filling the picture, crossed by a dark band, or on a bright ground', () => {
  const [made] = receipts(5, 1);
  if (made === undefined) throw new Error('there is no receipt');
  const { canvas } = drawReceipt(made.lines);
  expect(findPapers(greyPicture(photoOf([made], { seed: 1, columns: 1, turn: 4, gap: 50 })))).toHaveLength(1);
  expect(findPapers(greyPicture(canvas))).toEqual([]);
  const banded = createCanvas(canvas.width + 300, canvas.height + 300);
  const context = banded.getContext('2d');
  context.fillStyle = '#777';
  context.fillRect(0, 0, banded.width, banded.height);
  context.drawImage(canvas, 150, 150);
  context.fillStyle = '#222';
  context.fillRect(150, 400, canvas.width, 60);
  expect(findPapers(greyPicture(banded))).toEqual([]);
  const bright = photoOf(receipts(5, 2), { seed: 2, columns: 2, turn: 2, gap: 50, ground: '#e9e6e0' });
  expect(findPapers(greyPicture(bright))).toEqual([]);
});

test('receipts that cannot be cut out are said to be several, and no fact of one stands with another', async () => {
  // White receipts in a scanner with a white lid.
  const photo = photoOf(receipts(7, 2), { seed: 9, columns: 2, turn: 0, gap: 90, ground: '#f4f2ec' });
  const { report } = await reportOf(photo);
  expect(report.attention.map(({ code }) => code)).toEqual(['papers_together']);
  expect([report.fields, report.items, report.parts]).toEqual([[], undefined, undefined]);
  expect(report.document.kind).toBe('other');
});

test('each receipt of a photo is a part with its own date and total, and its words lie on the picture where they are printed', async () => {
  const made = receipts(7, 3);
  const photo = photoOf(made, { seed: 4, columns: 3, turn: 4, gap: 60 });
  const { document, report } = await reportOf(photo);
  expect(report.parts?.map(({ name }) => name)).toEqual(['Paper 1', 'Paper 2', 'Paper 3']);
  expect([report.fields, report.items, report.split]).toEqual([[], undefined, undefined]);
  expect(report.attention.map(({ code }) => code)).toContain('several_documents');
  const texts = new Map(document.blocks.map((block) => [block.id, block.text]));
  const blocksOf = report.parts?.map(
    ({ fields }) => new Set(fields.flatMap(({ cites }) => cites.map(({ block }) => block))),
  );
  for (const [index, part] of (report.parts ?? []).entries()) {
    const read = (key: string) => part.fields.find((field) => field.key === key)?.normalized;
    expect(made[index]?.truth.total, `total of ${index}`).toContain(read('total'));
    expect(made[index]?.truth.issue_date, `date of ${index}`).toContain(read('issue_date'));
    expect(part.document?.kind).toBe('receipt');
    for (const cite of part.fields.flatMap(({ cites }) => cites)) {
      expect(citeHolds(cite, texts)).toBe(true);
      // No other part cites this text.
      expect(blocksOf?.filter((blocks) => blocks.has(cite.block))).toHaveLength(1);
    }
    const words = document.blocks
      .filter(({ id }) => blocksOf?.[index]?.has(id))
      .flatMap((block) => block.words ?? []);
    expect(words.length).toBeGreaterThan(5);
    for (const [, , left, , width] of words) {
      expect(left + width / 2).toBeGreaterThan((10_000 * index) / 3);
      expect(left + width / 2).toBeLessThan((10_000 * (index + 1)) / 3);
    }
  }
});
