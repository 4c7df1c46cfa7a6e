import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ModelRuntime, openRuntime } from '@northline/speech/model-runtime';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { WordPieces } from './word-pieces.server.ts';

const FOLDER = path.join(PROJECT_ROOT, 'src', 'voice', 'dialogue', 'likeness', 'minilm');
/** The files that were measured: the published vectors, with two of six layers taught anew (decision 0860). */
const MODEL = {
  file: 'sentences.onnx',
  sha256: '345b02609ce56d4dbcf200ec065011dd607bc443e332645dac91c6ea53a0a5fe',
} as const;
const VOCABULARY = {
  file: 'vocab.txt',
  sha256: '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
} as const;

/** Turns texts into vectors of 384 numbers and length one; the product of two says how alike they mean. */
export interface MeaningModel {
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/**
 * Loads all-MiniLM-L6-v2 in eight bits (Reimers and Gurevych, sentence-transformers, Apache-2.0), 78 MB once
 * it runs. A sentence takes some 4 ms native and 23 ms in WebAssembly.
 *
 * @param runtime the one to use; without it the native one, where this platform has it
 * @param folder where the files lie; only tests name another
 * @throws Error naming the file that is missing or is not the one that was measured
 */
export async function openMeaningModel(runtime?: ModelRuntime, folder = FOLDER): Promise<MeaningModel> {
  const pieces = new WordPieces((await readChecked(folder, VOCABULARY)).toString('utf8'));
  const { onnx, options } = await openRuntime(runtime);
  const session = await onnx.InferenceSession.create(await readChecked(folder, MODEL), options);

  async function vectorOf(text: string): Promise<Float32Array> {
    const ids = pieces.numbersOf(text);
    const tensor = (values: readonly number[]) =>
      new onnx.Tensor('int64', BigInt64Array.from(values, BigInt), [1, ids.length]);
    const { vectors } = await session.run({ ids: tensor(ids), mask: tensor(ids.map(() => 1)) });
    return Float32Array.from(vectors?.data as Float32Array);
  }

  return {
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await vectorOf(text));
      return vectors;
    },
  };
}

async function readChecked(
  folder: string,
  { file, sha256 }: { readonly file: string; readonly sha256: string },
): Promise<Buffer> {
  const bytes = await readFile(path.join(folder, file)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The vectors of meaning cannot be read (${file}): ${error.message}`);
  });
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error(`The vectors of meaning are not those expected: ${file}.`);
  return bytes;
}

/** Product of two vectors, which is their likeness where both are of length one. */
export function product(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
