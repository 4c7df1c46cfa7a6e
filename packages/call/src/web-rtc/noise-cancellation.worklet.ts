import { NoiseReducer } from './noise-reducer.ts';

/** The part of the browser's worklet scope that is used here; its own types come with no library. */
declare const AudioWorkletProcessor: new () => { readonly port: MessagePort };
declare function registerProcessor(name: string, processor: unknown): void;

class NoiseCancellation extends AudioWorkletProcessor {
  readonly #reducer = new NoiseReducer();

  /** One block of 128 samples. */
  process(inputs: Float32Array[][], outputs: Float32Array<ArrayBuffer>[][]): boolean {
    const [heard] = inputs[0] ?? [];
    const [said] = outputs[0] ?? [];
    if (heard !== undefined && said !== undefined) said.set(this.#reducer.process(heard));
    return true;
  }
}

registerProcessor('northline-noise-cancellation', NoiseCancellation);
