import { createRequire } from 'node:module';
import type { InferenceSession } from 'onnxruntime-web';

/** What runs the models: native code where the platform has it, WebAssembly everywhere else. */
export type ModelRuntime = 'onnxruntime-node' | 'onnxruntime-web';

type Onnx = Pick<typeof import('onnxruntime-web'), 'InferenceSession' | 'Tensor'>;

/** An opened runtime, with the options of its sessions. */
export interface OpenRuntime {
  readonly name: ModelRuntime;
  readonly onnx: Onnx;
  readonly options: InferenceSession.SessionOptions;
}

/**
 * Opens a runtime for small models: one thread each, because more would take cores from calls and gain little.
 *
 * @param asked the one to use; without it the native one, where this platform has it
 * @throws Error where the native one is asked for and has no binary for this platform
 */
export async function openRuntime(asked?: ModelRuntime): Promise<OpenRuntime> {
  const native = asked === 'onnxruntime-web' ? null : openNative();
  if (native) return native;
  if (asked === 'onnxruntime-node') throw new Error('onnxruntime-node has no binary for this platform.');
  const onnx = await import('onnxruntime-web');
  onnx.env.wasm.numThreads = 1;
  return {
    name: 'onnxruntime-web',
    onnx,
    options: { executionProviders: ['wasm'], graphOptimizationLevel: 'all' },
  };
}

/** Null where the optional package has no binary: Intel Macs, musl, anything else it was not built for. */
function openNative(): OpenRuntime | null {
  try {
    const onnx = createRequire(import.meta.url)('onnxruntime-node') as Onnx;
    const options = {
      executionProviders: ['cpu'],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      enableMemPattern: false,
      graphOptimizationLevel: 'all',
    } as const;
    return { name: 'onnxruntime-node', onnx, options };
  } catch {
    return null;
  }
}
