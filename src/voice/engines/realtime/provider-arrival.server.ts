import { PROVIDER_TIMEOUT_MS } from '../providers/provider-access.server.ts';

/** Lets one reader wait for what a provider sends next. */
export class ProviderArrival {
  #wake: () => void = () => {};

  /** Something has come, or nothing more will. */
  notify(): void {
    this.#wake();
  }

  /**
   * Resolves when something has come or the signal is aborted; calls `late` first if neither happens in time.
   */
  async wait(signal: AbortSignal, late: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const stop = (): void => resolve();
    const timer = setTimeout(() => {
      late();
      resolve();
    }, PROVIDER_TIMEOUT_MS);
    signal.addEventListener('abort', stop);
    if (signal.aborted) resolve();
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
