import { NoiseReducer } from './noise-reducer.ts';

/** The part of the browser's worklet scope that is used here; no library declares its types. */
declare const AudioWorkletProcessor: new () => { readonly port: MessagePort };
declare function registerProcessor(name: string, processor: unknown): void;

class NoiseCancellation extends AudioWorkletProcessor {
  readonly #reducer = new NoiseReducer();

  /** Processes one block of 128 samples. */
  process(inputs: Float32Array[][], outputs: Float32Array<ArrayBuffer>[][]): boolean {
    const [input] = inputs[0] ?? [];
    const [output] = outputs[0] ?? [];
    if (input !== undefined && output !== undefined) output.set(this.#reducer.process(input));
    return true;
  }
}

registerProcessor('northline-noise-cancellation', NoiseCancellation);
