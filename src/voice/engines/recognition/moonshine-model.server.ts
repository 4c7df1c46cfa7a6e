import { type ModelRuntime, openRuntime } from '@northline/speech/model-runtime';
import type { Tensor } from 'onnxruntime-web';
import type { MoonshineWeights } from './moonshine-weights.server.ts';

/** Sound as the encoder leaves it: `frames` rows of `WIDTH` features. */
export interface EncodedSound {
  readonly features: Tensor;
  readonly frames: number;
}

/** The decoder's state for the hypotheses that have been decoded so far, one row for each. */
export interface DecoderMemory {
  readonly sound: EncodedSound;
  readonly rows: number;
  readonly past: ReadonlyMap<string, Tensor>;
}

/** One step of the decoder: for each row, a score for each of the pieces that may come next. */
export interface DecoderStep {
  readonly memory: DecoderMemory;
  readonly logits: Float32Array;
}

/** Moonshine (Jeffries et al. 2024): sound in, scores of word pieces out. One call at a time. */
export interface MoonshineModel {
  readonly runtime: ModelRuntime;
  /** @param samples -1 to 1, 16 000 a second, at least `LEAST_SAMPLES` */
  encode(samples: Float32Array): Promise<EncodedSound>;
  /** Reads pieces from the beginning, in one row. The scores are those after the last of them. */
  begin(sound: EncodedSound, pieces: readonly number[]): Promise<DecoderStep>;
  /** Goes on with row `from[n]` and piece `pieces[n]` in row n. */
  extend(memory: DecoderMemory, from: readonly number[], pieces: readonly number[]): Promise<DecoderStep>;
}

/** Sizes of Moonshine tiny. */
const LAYERS = 6;
const HEADS = 8;
const HEAD_WIDTH = 36;
/** Number of word pieces; the last 768 stand for nothing. */
export const PIECES = 32_768;
/** Shorter sound gives the encoder no frame. */
export const LEAST_SAMPLES = 1600;

const NAMES = Array.from({ length: LAYERS }, (_, layer) =>
  ['decoder', 'encoder'].flatMap((side) =>
    ['key', 'value'].map((what) => `past_key_values.${layer}.${side}.${what}`),
  ),
).flat();

/**
 * Loads the model, 0.4 s of work native and some 4 s in WebAssembly.
 *
 * @param runtime the one to use; without it the native one, where this platform has it
 */
export async function openMoonshine(
  weights: MoonshineWeights,
  runtime?: ModelRuntime,
): Promise<MoonshineModel> {
  const { name, onnx, options } = await openRuntime(runtime);
  const encoder = await onnx.InferenceSession.create(weights.encoder, options);
  const decoder = await onnx.InferenceSession.create(weights.decoder, options);

  async function run(
    sound: EncodedSound,
    past: ReadonlyMap<string, Tensor>,
    pieces: readonly number[],
    first: boolean,
  ): Promise<DecoderStep> {
    const rows = first ? 1 : pieces.length;
    const length = first ? pieces.length : 1;
    const result = await decoder.run({
      input_ids: new onnx.Tensor('int64', BigInt64Array.from(pieces, BigInt), [rows, length]),
      encoder_hidden_states: repeated(sound.features, rows),
      use_cache_branch: new onnx.Tensor('bool', [!first]),
      ...Object.fromEntries(past),
    });
    // The cached encoder part is the same in every step; the merged graph returns it in the first step only.
    const next = new Map(
      NAMES.map((key) => {
        const kept =
          first || key.includes('decoder')
            ? result[key.replace('past_key_values', 'present')]
            : past.get(key);
        return [key, kept as Tensor];
      }),
    );
    const all = result.logits?.data as Float32Array;
    const logits = first ? all.subarray(all.length - PIECES) : all;
    return { memory: { sound, rows, past: next }, logits };
  }

  /** The same tensor once for each row. */
  function repeated(tensor: Tensor, rows: number): Tensor {
    return rows === 1 ? tensor : picked(tensor, Array<number>(rows).fill(0));
  }

  function picked(tensor: Tensor, from: readonly number[]): Tensor {
    const data = tensor.data as Float32Array;
    const size = data.length / (tensor.dims[0] ?? 1);
    const chosen = new Float32Array(from.length * size);
    for (const [row, source] of from.entries())
      chosen.set(data.subarray(source * size, (source + 1) * size), row * size);
    return new onnx.Tensor('float32', chosen, [from.length, ...tensor.dims.slice(1)]);
  }

  return {
    runtime: name,
    async encode(samples) {
      const input = new onnx.Tensor('float32', samples, [1, samples.length]);
      const features = (await encoder.run({ input_values: input })).last_hidden_state as Tensor;
      return { features, frames: features.dims[1] ?? 0 };
    },
    begin(sound, pieces) {
      const none = new onnx.Tensor('float32', new Float32Array(0), [0, HEADS, 1, HEAD_WIDTH]);
      return run(sound, new Map(NAMES.map((key) => [key, none])), pieces, true);
    },
    extend(memory, from, pieces) {
      const same = from.length === memory.rows && from.every((source, row) => source === row);
      const past = same
        ? memory.past
        : new Map(
            [...memory.past].map(([key, tensor]) => [
              key,
              // All rows share one sound: only the number of rows changes.
              key.includes('encoder') && from.length === memory.rows ? tensor : picked(tensor, from),
            ]),
          );
      return run(memory.sound, past, pieces, false);
    },
  };
}
