import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { degrees, PDFDocument } from 'pdf-lib';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRead, type Read, readDocument, share } from '../samples/document-reader.fixture.ts';
import {
  asJpeg,
  type Damage,
  damage,
  drawPage,
  type Scan,
  scansAsPdf,
} from '../samples/make-scans.fixture.ts';
import { writeSearchable } from './searchable-run.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-searchable-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const has = (tool: string): boolean => spawnSync(tool, ['--version']).error === undefined;
const POPPLER = has('pdftotext');
const QPDF = has('qpdf');

async function write(document: Buffer, { report, blocks }: Pick<Read, 'report' | 'blocks'>) {
  const [source, target] = [path.join(folder, 'document'), path.join(folder, 'searchable.pdf')];
  writeFileSync(source, document);
  const scan = { blocks, pagesOcr: report.coverage.pagesOcr ?? [] };
  const reply = await writeSearchable({ document: source, scan, target }, new AbortController().signal);
  return { reply, target };
}

/** A word and its box in parts of the page, from the top left. */
interface FoundWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The words of page 1 as our own reader of PDF finds them. */
async function runsOf(file: string): Promise<FoundWord[]> {
  const pdf = await getDocument({ data: new Uint8Array(readFileSync(file)), verbosity: 0 }).promise;
  const page = await pdf.getPage(1);
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = transform;
  const { items } = await page.getTextContent({ disableNormalization: true });
  return items.flatMap((item) => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [ux = 0, uy = 0, vx = 0, vy = 0, x = 0, y = 0] = item.transform as number[];
    const size = Math.hypot(vx, vy);
    const corner = (along: number, up: number): [number, number] => {
      const px = x + (ux / Math.hypot(ux, uy)) * along + (vx / size) * up;
      const py = y + (uy / Math.hypot(ux, uy)) * along + (vy / size) * up;
      return [(a * px + c * py + e) / width, (b * px + d * py + f) / height];
    };
    const corners = [corner(0, -0.2 * size), corner(item.width, 0.8 * size)];
    const [xs, ys] = [corners.map(([px]) => px), corners.map(([, py]) => py)];
    return [
      {
        text: item.str,
        left: Math.min(...xs),
        right: Math.max(...xs),
        top: Math.min(...ys),
        bottom: Math.max(...ys),
      },
    ];
  });
}

/** The words of page 1 as poppler finds them. */
function popplerWords(file: string): FoundWord[] {
  const html = execFileSync('pdftotext', ['-bbox', '-l', '1', file, '-'], { encoding: 'utf8' });
  const [, width = 1, height = 1] = /<page width="([\d.]+)" height="([\d.]+)"/.exec(html)?.map(Number) ?? [];
  return [...html.matchAll(/<word xMin="(.+?)" yMin="(.+?)" xMax="(.+?)" yMax="(.+?)">(.*?)<\/word>/g)].map(
    ([, left, top, right, bottom, text = '']) => ({
      text: text
        .replaceAll('&amp;', '&')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"'),
      left: Number(left) / width,
      right: Number(right) / width,
      top: Number(top) / height,
      bottom: Number(bottom) / height,
    }),
  );
}

/** The words as they were recognised, of a page that is level and upright. */
function readWords({ blocks }: Read): FoundWord[] {
  return blocks.flatMap(({ text, words = [] }) =>
    words.map(([start, end, x, y, width, height]) => ({
      text: text.slice(start, end),
      left: x / 10_000,
      top: y / 10_000,
      right: (x + width) / 10_000,
      bottom: (y + height) / 10_000,
    })),
  );
}

/** How far two boxes are apart at their worst side, in parts of the page. */
const apart = (a: FoundWord, b: FoundWord, sides: readonly ('left' | 'top' | 'right' | 'bottom')[]): number =>
  Math.max(...sides.map((side) => Math.abs(a[side] - b[side])));

/** How far the worst read word is from the nearest found word of the same text. */
function misplaced(found: readonly FoundWord[], read: readonly FoundWord[]): number {
  const nearest = (word: FoundWord): number =>
    Math.min(
      1,
      ...found
        .filter(({ text }) => text === word.text)
        .map((each) => apart(each, word, ['left', 'top', 'right', 'bottom'])),
    );
  return Math.max(...read.map(nearest));
}

/** How far the worst found run begins from the nearest read word that it begins with: runs may hold several words. */
function misplacedRuns(runs: readonly FoundWord[], read: readonly FoundWord[]): number {
  const nearest = (run: FoundWord): number =>
    Math.min(
      1,
      ...read
        .filter(({ text }) => run.text.startsWith(text))
        .map((word) => apart(run, word, ['left', 'top', 'bottom'])),
    );
  return Math.max(...runs.map(nearest));
}

const scanOf = (how: Damage | undefined, seed = 3): Scan => {
  const page = drawPage('en', 'letter', seed);
  return how === undefined ? page : damage(page, how, seed);
};

describe('a scan as a searchable PDF', () => {
  test.each([
    ['a scanned PDF', async (scan: Scan) => scansAsPdf([scan], 3)],
    ['a JPEG', async (scan: Scan) => asJpeg(scan.canvas)],
    ['a PNG', async (scan: Scan) => scan.canvas.toBuffer('image/png')],
  ])('has the words of %s behind the picture, each at its place', async (_what, make) => {
    const scan = scanOf(undefined);
    const document = await make(scan);
    const read = expectRead(await readDocument('scan', document));
    const { reply, target } = await write(document, read);
    expect(reply).toEqual({ outcome: 'written' });
    const wanted = readWords(read);
    expect(wanted.length).toBeGreaterThan(60);
    expect(misplacedRuns(await runsOf(target), wanted)).toBeLessThan(0.004);
    if (POPPLER) {
      expect(misplaced(popplerWords(target), wanted)).toBeLessThan(0.012);
      expect(share(scan, execFileSync('pdftotext', [target, '-'], { encoding: 'utf8' }))).toBeGreaterThan(
        0.95,
      );
    }
    if (QPDF) expect(spawnSync('qpdf', ['--check', target]).status).toBe(0);
  });

  test.each(['quarter', 'half', 'three-quarters', 'skew'] as const)(
    'is upright and level: %s',
    async (how) => {
      const scan = scanOf(how);
      const document = await scansAsPdf([scan]);
      const read = expectRead(await readDocument('scan.pdf', document));
      const { reply, target } = await write(document, read);
      expect(reply).toEqual({ outcome: 'written' });
      const found = await runsOf(target);
      const text = found.map((word) => word.text).join(' ');
      expect(share(scan, text)).toBeGreaterThan(0.9);
      // The words of the longest line stand at one height, left to right.
      const pageHeight = (await PDFDocument.load(readFileSync(target))).getPage(0).getHeight();
      const lines = Map.groupBy(found, ({ bottom }) => Math.round(bottom * pageHeight * 0.25));
      const longest = [...lines.values()].sort((one, other) => other.length - one.length)[0] ?? [];
      expect(longest.length).toBeGreaterThan(5);
      expect(longest.map(({ left }) => left)).toEqual(
        longest.map(({ left }) => left).sort((one, other) => one - other),
      );
      if (POPPLER) {
        const plain = execFileSync('pdftotext', ['-layout', target, '-'], { encoding: 'utf8' });
        expect(share(scan, plain)).toBeGreaterThan(0.9);
      }
      if (QPDF) expect(spawnSync('qpdf', ['--check', target]).status).toBe(0);
    },
  );

  test('a PDF whose pages are turned and cropped by the viewer keeps its words at their places', async () => {
    const scan = scanOf(undefined);
    const pdf = await PDFDocument.load(await scansAsPdf([scan]));
    const page = pdf.getPage(0);
    page.setRotation(degrees(90));
    page.setCropBox(0, 0, page.getWidth(), page.getHeight() - 10);
    const document = Buffer.from(await pdf.save());
    const read = expectRead(await readDocument('scan.pdf', document));
    const { target } = await write(document, read);
    expect((await PDFDocument.load(readFileSync(target))).getPage(0).getRotation().angle).toBe(0);
    expect(share(scan, (await runsOf(target)).map(({ text }) => text).join(' '))).toBeGreaterThan(0.9);
  });

  test('holds any letters, also more than a simple font has', async () => {
    const letters = Array.from({ length: 600 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
    const text = `${letters} Žluťoučký ﬁ 𝒜`;
    const ends = [600, 611, 614, 616].map((end) => Math.min(end, text.length));
    const words = ends.map(
      (end, at) =>
        [at === 0 ? 0 : (ends[at - 1] ?? 0) + 1, end, 500, 1000 + at * 500, 9000, 200, 90] as const,
    );
    const blocks = [
      { id: 'b1', type: 'para' as const, page: 1, text, words: words.map((word) => [...word]) as never },
    ];
    const reading = { page: 1, turned: 0 as const, skew: 0 };
    const { target } = await write(asJpeg(scanOf(undefined).canvas), {
      blocks,
      report: { coverage: { pagesOcr: [reading] } } as never,
    });
    const found = (await runsOf(target)).map((word) => word.text).join('');
    expect(found).toContain(letters.slice(0, 300));
    expect(found).toContain('Žluťoučký');
    if (POPPLER)
      expect(execFileSync('pdftotext', [target, '-'], { encoding: 'utf8' })).toContain(
        letters.slice(580, 600),
      );
  });

  test('a scan of 300 pages is written within the reader’s memory', async () => {
    const scan = scanOf(undefined);
    const pdf = await PDFDocument.create();
    const picture = asJpeg(scan.canvas);
    for (let at = 0; at < 300; at += 1) {
      const image = await pdf.embedJpg(picture);
      pdf.addPage([595, 842]).drawImage(image, { x: 0, y: 0, width: 595, height: 842 });
    }
    const document = Buffer.from(await pdf.save());
    expect(document.length).toBeGreaterThan(30_000_000);
    const text = Array.from({ length: 400 }, (_, at) => `word${at}`).join(' ');
    const blocks = Array.from({ length: 300 }, (_, page) => ({
      id: `b${page}`,
      type: 'para' as const,
      page: page + 1,
      text,
      words: [...text.matchAll(/\S+/g)].map(({ 0: word, index }, at) => [
        ...[index, index + word.length, 500 + (at % 10) * 900, 500 + Math.floor(at / 10) * 220, 800, 150, 90],
      ]) as never,
    }));
    const pagesOcr = blocks.map(({ page }) => ({ page, turned: 0 as const, skew: 1 }));
    const { reply, target } = await write(document, { blocks, report: { coverage: { pagesOcr } } as never });
    expect(reply).toEqual({ outcome: 'written' });
    expect((await PDFDocument.load(readFileSync(target))).getPageCount()).toBe(300);
    if (QPDF) expect(spawnSync('qpdf', ['--check', target]).status).toBe(0);
  });

  test.each([
    ['a locked PDF', 'password_required', async () => readFileSync(await lockedPdf())],
    ['a damaged PDF', 'corrupt', async () => Buffer.from('%PDF-1.7\nnothing')],
    ['a text', 'unsupported', async () => Buffer.from('only words')],
  ])('%s gives a sentence', async (_what, code, make) => {
    const { reply } = await write(await make(), {
      blocks: [],
      report: { coverage: { pagesOcr: [] } } as never,
    });
    expect(reply).toMatchObject({ outcome: 'unreadable', code });
  });
});

/** The smallest PDF with an encryption dictionary. */
async function lockedPdf(): Promise<string> {
  const file = path.join(folder, 'locked.pdf');
  const pdf = await PDFDocument.create();
  pdf.addPage();
  pdf.context.trailerInfo.Encrypt = pdf.context.register(pdf.context.obj({ Filter: 'Standard', V: 1, R: 2 }));
  writeFileSync(file, await pdf.save({ useObjectStreams: false }));
  return file;
}
