import type { ModelRuntime } from './model-runtime.ts';

/** Signals that end native code which this processor cannot run. */
const FAULTS: ReadonlySet<string> = new Set(['SIGILL', 'SIGSEGV', 'SIGBUS', 'SIGABRT']);

/**
 * The runtime for a process that is started again when it ends. Native code that ends a process before it was ready
 * cannot run here, and WebAssembly, which runs everywhere, takes its place.
 */
export class RuntimeChoice {
  #runtime: ModelRuntime | undefined;

  /** @param asked the one to use; without it the native one, where there is one */
  constructor(asked?: ModelRuntime) {
    this.#runtime = asked;
  }

  /** What the process is told on its command line. */
  get words(): readonly ModelRuntime[] {
    return this.#runtime === undefined ? [] : [this.#runtime];
  }

  /**
   * Learns from the end of a process.
   *
   * @returns whether the next process gets another runtime
   */
  ended(signal: string | null, wasReady: boolean): boolean {
    if (wasReady || this.#runtime !== undefined || signal === null || !FAULTS.has(signal)) return false;
    this.#runtime = 'onnxruntime-web';
    return true;
  }
}
