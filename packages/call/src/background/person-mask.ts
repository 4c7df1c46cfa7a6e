/** The model, compiled to WebAssembly by the package that contains it: its memory, and where things are in it. */
interface PersonModel {
  readonly HEAPU8: Uint8Array;
  readonly HEAPF32: Float32Array;
  _getModelBufferMemoryOffset(): number;
  _loadModel(bytes: number): number;
  _getInputMemoryOffset(): number;
  _getOutputMemoryOffset(): number;
  _getInputWidth(): number;
  _getInputHeight(): number;
  _runInference(): number;
}

/** What the package's script puts into the scope of a worker. */
export interface ModelScope {
  importScripts(address: string): void;
  readonly createTwilioTFLiteSIMDModule: (options: { wasmBinary: ArrayBuffer }) => Promise<PersonModel>;
}

const BYTES_OF_FLOAT = 4;

/** Finds the person in a picture. */
export class PersonMask {
  readonly #model: PersonModel;
  readonly #width: number;
  readonly #height: number;
  /** The picture in the model's size; afterwards the person, as opaque as the model is sure. */
  readonly #canvas: OffscreenCanvas;
  readonly #context: OffscreenCanvasRenderingContext2D;

  private constructor(model: PersonModel) {
    this.#model = model;
    this.#width = model._getInputWidth();
    this.#height = model._getInputHeight();
    this.#canvas = new OffscreenCanvas(this.#width, this.#height);
    this.#context = contextOf(this.#canvas, true);
  }

  /** Loads the model from `base`, the folder of the worker's own script. @throws Error if that fails */
  static async load(base: string, scope: ModelScope): Promise<PersonMask> {
    const bytes = async (name: string): Promise<ArrayBuffer> => {
      const reply = await fetch(new URL(name, base));
      if (!reply.ok) throw new Error(`${name} has status ${reply.status}.`);
      return await reply.arrayBuffer();
    };
    scope.importScripts(new URL('background-model.js', base).href);
    const [wasmBinary, weights] = await Promise.all([
      bytes('background-model.wasm'),
      bytes('background-person.tflite'),
    ]);
    const model = await scope.createTwilioTFLiteSIMDModule({ wasmBinary });
    model.HEAPU8.set(new Uint8Array(weights), model._getModelBufferMemoryOffset());
    if (model._loadModel(weights.byteLength) !== 0) throw new Error('The model of a person is damaged.');
    return new PersonMask(model);
  }

  /** A canvas that is opaque where a person is; valid until the next call. */
  find(picture: VideoFrame): OffscreenCanvas {
    const context = this.#context;
    context.globalCompositeOperation = 'copy';
    context.drawImage(picture, 0, 0, this.#width, this.#height);
    const image = context.getImageData(0, 0, this.#width, this.#height);
    const { data } = image;
    const { HEAPF32: numbers } = this.#model;
    const input = this.#model._getInputMemoryOffset() / BYTES_OF_FLOAT;
    const output = this.#model._getOutputMemoryOffset() / BYTES_OF_FLOAT;
    for (let from = 0, to = input; from < data.length; from += 4, to += 3)
      for (let colour = 0; colour < 3; colour += 1) numbers[to + colour] = (data[from + colour] ?? 0) / 255;
    if (this.#model._runInference() !== 0) throw new Error('The model could not read a picture.');
    for (let pixel = 0; pixel * 4 < data.length; pixel += 1)
      data[pixel * 4 + 3] = 255 * (numbers[output + pixel] ?? 0);
    context.putImageData(image, 0, 0);
    return this.#canvas;
  }
}

/** @throws Error if the browser draws nothing */
export function contextOf(canvas: OffscreenCanvas, isRead = false): OffscreenCanvasRenderingContext2D {
  const context = canvas.getContext('2d', { willReadFrequently: isRead });
  if (context === null) throw new Error('This browser draws no pictures in a worker.');
  return context;
}
