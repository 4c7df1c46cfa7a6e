import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';

/**
 * The encoder and decoder of Moonshine tiny for English, quantised to eight bits (MIT, Useful Sensors 2025).
 */
export interface MoonshineWeights {
  readonly encoder: Uint8Array;
  readonly decoder: Uint8Array;
}

const FOLDER = path.join(PROJECT_ROOT, 'node_modules/@moonshine-ai/moonshine-js/dist/model/tiny/quantized');
/** The weights of version 0.1.29. Other weights have other shapes, and were not measured here. */
const ENCODER = {
  file: 'encoder_model.onnx',
  sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
} as const;
const DECODER = {
  file: 'decoder_model_merged.onnx',
  sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
} as const;

/** Whether the package that carries the weights is installed; without it callers type. */
export function weightsInstalled(): boolean {
  return [ENCODER, DECODER].every(({ file }) => existsSync(path.join(FOLDER, file)));
}

/**
 * Reads the weights, 28 MB, and compares their hashes.
 *
 * @param folder where they lie; only tests name another
 * @throws Error naming the file that is missing or is not the one that was measured
 */
export async function readWeights(folder: string = FOLDER): Promise<MoonshineWeights> {
  // One after the other, so that of two wrong files the error always names the same one.
  const encoder = await readChecked(folder, ENCODER);
  return { encoder, decoder: await readChecked(folder, DECODER) };
}

async function readChecked(
  folder: string,
  { file, sha256 }: { readonly file: string; readonly sha256: string },
): Promise<Uint8Array> {
  const bytes = await readFile(path.join(folder, file)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The weights of the recogniser cannot be read (${file}): ${error.message}`);
  });
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`The weights of the recogniser are not those expected: ${file}.`);
  return bytes;
}
