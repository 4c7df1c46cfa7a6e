/**
 * Makes scans and photographs of pages with known words: drawn in the fonts of pdf.js, then turned, skewed,
 * shaded and compressed as by a scanner or a phone. All names and figures are invented. The same seed gives
 * the same picture.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Canvas, createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';
import { PDFDocument } from 'pdf-lib';
import { INVOICE_LINES, type ScanLanguage, SENTENCES } from './scan-texts.fixture.ts';

const FONTS = path.join(
  path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')),
  'standard_fonts',
);
GlobalFonts.registerFromPath(path.join(FONTS, 'LiberationSans-Regular.ttf'), 'Scan Sans');
GlobalFonts.registerFromPath(path.join(FONTS, 'FoxitSerif.pfb'), 'Scan Serif');
GlobalFonts.registerFromPath(path.join(FONTS, 'FoxitFixed.pfb'), 'Scan Fixed');

/** An A4 page at 150 dots per inch, pixels. */
const PAGE = { width: 1240, height: 1754 } as const;
const DPI = 150;

export type ScanLayout = 'letter' | 'columns' | 'invoice';
export type Damage =
  | 'clean'
  | 'noise'
  | 'skew'
  | 'quarter'
  | 'half'
  | 'three-quarters'
  | 'small'
  | 'pale'
  | 'shadow'
  | 'perspective'
  | 'faded';

export interface Scan {
  readonly canvas: Canvas;
  /** Every printed word, in reading order. */
  readonly words: readonly string[];
}

/** A small generator of random numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Draws a clean page. */
export function drawPage(language: ScanLanguage, layout: ScanLayout, seed: number): Scan {
  const random = seeded(seed);
  const canvas = createCanvas(PAGE.width, PAGE.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, PAGE.width, PAGE.height);
  context.fillStyle = '#111';
  const words: string[] = [];
  const family = random() < 0.5 ? 'Scan Sans' : 'Scan Serif';
  const print = (text: string, x: number, y: number, points: number): void => {
    context.font = `${(points * DPI) / 72}px "${family}"`;
    context.fillText(text, x, y);
    words.push(...text.split(/\s+/));
  };
  if (layout === 'invoice') drawInvoice(print, context, language, random);
  else drawProse(print, context, { language, columns: layout === 'columns' ? 2 : 1, random });
  return { canvas, words };
}

type Print = (text: string, x: number, y: number, points: number) => void;

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T;
}

function drawProse(
  print: Print,
  context: SKRSContext2D,
  { language, columns, random }: { language: ScanLanguage; columns: 1 | 2; random: () => number },
): void {
  const points = columns === 2 ? 9.5 : 10 + Math.floor(random() * 3);
  const leading = (points * DPI * 1.35) / 72;
  const gutter = 60;
  const width = (PAGE.width - 240 - (columns - 1) * gutter) / columns;
  const heading = pick(SENTENCES[language], random).split(' ').slice(0, 4).join(' ').replace(/[.,]$/, '');
  print(heading, 120, 170, 18);
  for (let column = 0; column < columns; column += 1) {
    const left = 120 + column * (width + gutter);
    let y = 250;
    while (y < PAGE.height - 260) {
      const paragraph = Array.from({ length: 3 }, () => pick(SENTENCES[language], random)).join(' ');
      context.font = `${(points * DPI) / 72}px "Scan Sans"`;
      for (const line of wrapped(paragraph, width * 0.96, context)) {
        if (y > PAGE.height - 160) break;
        print(line, left, y, points);
        y += leading;
      }
      y += leading;
    }
  }
}

function wrapped(text: string, width: number, context: SKRSContext2D): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && context.measureText(longer).width > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}

function drawInvoice(
  print: Print,
  context: SKRSContext2D,
  language: ScanLanguage,
  random: () => number,
): void {
  const texts = INVOICE_LINES[language];
  print(texts.sender, 120, 160, 16);
  print(texts.address, 120, 200, 10);
  print(`${texts.title} ${1000 + Math.floor(random() * 8999)}`, 120, 340, 15);
  print(
    `${texts.date} ${1 + Math.floor(random() * 27)}.0${1 + Math.floor(random() * 8)}.2026`,
    120,
    400,
    10.5,
  );
  let y = 520;
  const columns = [120, 620, 800, 980];
  for (const [index, head] of texts.columns.entries()) print(head, columns[index] ?? 120, y, 10);
  context.fillRect(110, y + 14, PAGE.width - 220, 2);
  let sum = 0;
  for (let row = 0; row < 9; row += 1) {
    y += 46;
    const quantity = 1 + Math.floor(random() * 9);
    const price = Math.round(random() * 20_000) / 100 + 1;
    sum += quantity * price;
    print(pick(texts.items, random), 120, y, 10);
    print(String(quantity), 640, y, 10);
    print(price.toFixed(2), 800, y, 10);
    print((quantity * price).toFixed(2), 980, y, 10);
  }
  context.fillRect(110, y + 14, PAGE.width - 220, 2);
  print(texts.total, 800, y + 60, 11);
  print(sum.toFixed(2), 980, y + 60, 11);
  print(texts.thanks, 120, y + 160, 10.5);
}

/** Width of a character on a receipt, pixels. */
const RECEIPT_SIGN = 14.5;

/** Draws a till receipt in a fixed-width font, narrow and long. */
export function drawReceipt(lines: readonly string[]): Scan {
  const longest = Math.max(...lines.map((line) => line.length));
  const canvas = createCanvas(Math.max(620, 80 + Math.ceil(longest * RECEIPT_SIGN)), 120 + lines.length * 34);
  const context = canvas.getContext('2d');
  context.fillStyle = '#f8f6f0';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#222';
  context.font = '24px "Scan Fixed"';
  for (const [index, line] of lines.entries()) context.fillText(line, 40, 70 + index * 34);
  return { canvas, words: lines.flatMap((line) => line.trim().split(/\s+/)) };
}

/** Changes a page as a scanner or a phone does. */
export function damage({ canvas, words }: Scan, how: Damage, seed: number): Scan {
  const random = seeded(seed + 77);
  switch (how) {
    case 'quarter':
      return { canvas: turned(canvas, 90), words };
    case 'half':
      return { canvas: turned(canvas, 180), words };
    case 'three-quarters':
      return { canvas: turned(canvas, 270), words };
    case 'skew':
      return { canvas: turned(canvas, (random() < 0.5 ? -1 : 1) * (1 + random() * 4)), words };
    case 'small':
      return { canvas: scaled(canvas, 0.67), words };
    case 'noise':
      return { canvas: noisy(canvas, 55, random), words };
    case 'pale':
      return {
        canvas: noisy(
          toned(canvas, (value) => 170 + value * 0.28),
          12,
          random,
        ),
        words,
      };
    case 'shadow':
      return { canvas: shaded(turned(canvas, -2 + random() * 4), random), words };
    case 'faded':
      return { canvas: noisy(faded(canvas, random), 14, random), words };
    case 'perspective':
      return { canvas: shaded(leaned(canvas, 0.05 + random() * 0.06), random), words };
    default:
      return { canvas, words };
  }
}

/** The picture as JPEG, as phones and scanners write it. */
export function asJpeg(canvas: Canvas, quality = 72): Buffer {
  return canvas.toBuffer('image/jpeg', quality);
}

const TABLE_TOP = '#8d8578';

function turned(canvas: Canvas, degrees: number): Canvas {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const out = createCanvas(
    Math.round(canvas.width * cos + canvas.height * sin),
    Math.round(canvas.width * sin + canvas.height * cos),
  );
  const context = out.getContext('2d');
  context.fillStyle = degrees % 90 === 0 ? '#fff' : TABLE_TOP;
  context.fillRect(0, 0, out.width, out.height);
  context.translate(out.width / 2, out.height / 2);
  context.rotate(angle);
  context.drawImage(canvas, -canvas.width / 2, -canvas.height / 2);
  return out;
}

function scaled(canvas: Canvas, scale: number): Canvas {
  const out = createCanvas(Math.round(canvas.width * scale), Math.round(canvas.height * scale));
  out.getContext('2d').drawImage(canvas, 0, 0, out.width, out.height);
  return out;
}

function toned(canvas: Canvas, tone: (value: number, x: number, y: number) => number): Canvas {
  const out = createCanvas(canvas.width, canvas.height);
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < pixels.data.length; at += 4) {
    const [x, y] = [(at / 4) % canvas.width, Math.floor(at / 4 / canvas.width)];
    for (let channel = at; channel < at + 3; channel += 1) {
      pixels.data[channel] = tone(pixels.data[channel] ?? 0, x, y);
    }
  }
  out.getContext('2d').putImageData(pixels, 0, 0);
  return out;
}

function noisy(canvas: Canvas, strength: number, random: () => number): Canvas {
  return toned(canvas, (value) => value + (random() + random() + random() - 1.5) * strength);
}

function shaded(canvas: Canvas, random: () => number): Canvas {
  const [slopeX, slopeY] = [random() - 0.5, random() - 0.5];
  return toned(canvas, (value, x, y) => {
    const light = 0.72 + slopeX * (x / canvas.width - 0.5) + slopeY * (y / canvas.height - 0.5);
    const hand = x + y > canvas.width * 1.3 ? 0.62 : 1;
    return value * light * hand + (random() - 0.5) * 8;
  });
}

/**
 * Thermal paper after a summer: the ink fades in bands, and a streak is missing where the print head is
 * broken.
 */
function faded(canvas: Canvas, random: () => number): Canvas {
  const [waves, shift, streak] = [2 + random() * 3, random() * 6, Math.floor(random() * canvas.width)];
  return toned(canvas, (value, x, y) => {
    const band = 0.35 + 0.25 * Math.sin((y / canvas.height) * waves * Math.PI + shift);
    const gone = Math.abs(x - streak) < 2 ? 1 : band;
    return value + (238 - value) * gone;
  });
}

/** Seen from below: the top edge is shorter by `share` on both sides, so the lines converge. */
function leaned(canvas: Canvas, share: number): Canvas {
  const out = createCanvas(canvas.width, canvas.height);
  const context = out.getContext('2d');
  context.fillStyle = TABLE_TOP;
  context.fillRect(0, 0, out.width, out.height);
  // Row by row: each row of the paper has its own width and position, and a slope that grows to the right.
  const source = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const pixels = context.getImageData(0, 0, out.width, out.height);
  for (let y = 0; y < out.height; y += 1) {
    for (let x = 0; x < out.width; x += 1) {
      const down = y / out.height;
      const across = x / out.width - 0.5;
      const fromX = (across / (1 - 2 * share * (1 - down)) + 0.5) * canvas.width;
      const fromY = ((down - 0.5) * (1 + share * across) + 0.5) * canvas.height;
      if (fromX < 0 || fromY < 0 || fromX >= canvas.width - 1 || fromY >= canvas.height - 1) continue;
      const from = (Math.floor(fromY) * canvas.width + Math.floor(fromX)) * 4;
      const [fx, fy] = [fromX % 1, fromY % 1];
      const row = canvas.width * 4;
      const at = (y * out.width + x) * 4;
      for (let channel = 0; channel < 3; channel += 1) {
        const value = (offset: number): number => source.data[from + offset + channel] ?? 0;
        const upper = value(0) * (1 - fx) + value(4) * fx;
        const lower = value(row) * (1 - fx) + value(row + 4) * fx;
        pixels.data[at + channel] = upper * (1 - fy) + lower * fy;
      }
    }
  }
  context.putImageData(pixels, 0, 0);
  return out;
}

/** A PDF with one scan on each page; `strips` cuts each into this many pictures, as some scanners do. */
export async function scansAsPdf(scans: readonly Scan[], strips = 1): Promise<Buffer> {
  const file = await PDFDocument.create();
  for (const { canvas } of scans) {
    const [width, height] = [(canvas.width * 72) / DPI, (canvas.height * 72) / DPI];
    const page = file.addPage([width, height]);
    const rows = Math.ceil(canvas.height / strips);
    for (let top = 0; top < canvas.height; top += rows) {
      const strip = createCanvas(canvas.width, Math.min(rows, canvas.height - top));
      strip.getContext('2d').drawImage(canvas, 0, -top);
      const image = await file.embedJpg(asJpeg(strip, 85));
      const tall = (strip.height * 72) / DPI;
      page.drawImage(image, { x: 0, y: height - (top * 72) / DPI - tall, width, height: tall });
    }
  }
  return Buffer.from(await file.save());
}
