import { createRequire } from 'node:module';
import type { Extent } from './box-geometry.ts';
import type { Picture } from './picture.ts';

/** A word that a reader found; its place in pixels of the picture. */
export interface ReadWord {
  readonly text: string;
  /** 0 to 100. */
  readonly confidence: number;
  readonly place: Extent;
}

/** Words on one line, left to right. */
export interface ReadLine {
  readonly words: readonly ReadWord[];
}

/** What the picture shows: a whole page or one line. */
type Layout = 'page' | 'line';

/** Reads upright, level pictures: tesseract's core, called without a worker. */
export interface PageReader {
  /** Lines in reading order; empty if the reader sees no text. */
  read(picture: Picture, layout: Layout): ReadLine[];
}

/** Page segmentation modes of tesseract. */
const MODES: Record<Layout, string> = { page: '3', line: '7' };
const LSTM_ONLY = 1;

/** The part of the `tesseract.js-core` module that we use; it ships no types. */
interface TesseractCore {
  readonly FS: { writeFile(path: string, content: Uint8Array): void; unlink(path: string): void };
  readonly TessBaseAPI: new () => {
    Init(folder: string, languages: string, engine: number): number;
    SetVariable(name: string, value: string): boolean;
    /** Reads `/input`; returns 1 if the picture cannot be decoded. */
    SetImageFile(exif: number, angle: number): number;
    Recognize(monitor: null): number;
    GetJSONText(): string;
    Clear(): void;
  };
}

type MakeCore = (options: Record<string, () => void>) => Promise<TesseractCore>;

interface Node {
  readonly blocks?: readonly Node[];
  readonly paragraphs?: readonly Node[];
  readonly lines?: readonly Node[];
  readonly words?: readonly {
    text: string;
    confidence: number;
    bbox: { x0: number; y0: number; x1: number; y1: number };
  }[];
}

/** Tesseract's core, loaded once; readers of several languages share its memory. */
export interface PageReaders {
  /** @throws Error if the core refuses the data of a language */
  open(languages: readonly LanguageData[]): PageReader;
}

/** The data of one language, decompressed. */
interface LanguageData {
  readonly language: string;
  readonly data: Uint8Array;
}

/** Loads tesseract's core. */
export async function loadPageReaders(): Promise<PageReaders> {
  const make = createRequire(import.meta.url)('tesseract.js-core/tesseract-core-simd-lstm.js') as MakeCore;
  const quiet = (): void => {};
  const core = await make({ print: quiet, printErr: quiet, TesseractProgress: quiet });
  return { open: (languages) => openReader(core, languages) };
}

function openReader(core: TesseractCore, languages: readonly LanguageData[]): PageReader {
  for (const { language, data } of languages) core.FS.writeFile(`/${language}.traineddata`, data);
  const engine = new core.TessBaseAPI();
  const names = languages.map(({ language }) => language).join('+');
  if (engine.Init('/', names, LSTM_ONLY) !== 0) throw new Error(`tesseract refuses the data of ${names}`);
  // The engine has its own copy of the data.
  for (const { language } of languages) core.FS.unlink(`/${language}.traineddata`);
  engine.SetVariable('user_defined_dpi', '200');
  return {
    read(picture, layout) {
      core.FS.writeFile('/input', asPgm(picture));
      engine.SetVariable('tessedit_pageseg_mode', MODES[layout]);
      if (engine.SetImageFile(1, 0) === 1) throw new Error('tesseract refuses the picture');
      engine.Recognize(null);
      const lines = linesOf(JSON.parse(engine.GetJSONText()) as Node);
      engine.Clear();
      return lines;
    },
  };
}

/** A grey picture as PGM, the simplest file format for it. */
function asPgm({ width, height, data }: Picture): Uint8Array {
  const head = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
  const file = new Uint8Array(head.length + data.length);
  file.set(head);
  file.set(data, head.length);
  return file;
}

function linesOf({ blocks = [] }: Node): ReadLine[] {
  const lines = blocks.flatMap(({ paragraphs = [] }) => paragraphs.flatMap((part) => part.lines ?? []));
  return lines.flatMap(({ words = [] }) => {
    const read = words
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, confidence, bbox: { x0, y0, x1, y1 } }) => ({
        text,
        confidence,
        place: { left: x0, top: y0, right: x1, bottom: y1 },
      }));
    return read.length === 0 ? [] : [{ words: read }];
  });
}
