import { HEADSET_SOUND } from './headset.contract.ts';
import { FrameCut, PlayQueue, RateChange } from './headset-sound.web.ts';

/** The part of the browser's worklet scope that is used here; no library declares its types. */
declare const AudioWorkletProcessor: new () => { readonly port: MessagePort };
declare const sampleRate: number;
declare function registerProcessor(name: string, processor: unknown): void;

const SILENCE = new Float32Array(128);

/**
 * Plays the sound that is posted to it, and posts the frames of the microphone; plays silence where there is
 * none.
 */
class HeadsetSound extends AudioWorkletProcessor {
  readonly #queue = new PlayQueue(sampleRate);
  readonly #up = new RateChange(HEADSET_SOUND.sampleRate, sampleRate);
  readonly #down = new RateChange(sampleRate, HEADSET_SOUND.sampleRate);
  readonly #cut = new FrameCut();

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<Float32Array>) => this.#queue.add(this.#up.take(data));
  }

  /** Processes one block of 128 samples. */
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const [microphone = SILENCE] = inputs[0] ?? [];
    for (const frame of this.#cut.take(this.#down.take(microphone)))
      this.port.postMessage(frame, [frame.buffer]);
    const [output] = outputs[0] ?? [];
    if (output !== undefined) this.#queue.fill(output);
    return true;
  }
}

registerProcessor('northline-headset', HeadsetSound);
