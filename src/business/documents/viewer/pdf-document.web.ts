import type { PDFDocumentProxy } from 'pdfjs-dist';
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?worker&url';

type Library = typeof import('pdfjs-dist');

/** An open PDF. */
export interface OpenPdf {
  readonly document: PDFDocumentProxy;
  readonly library: Library;
  close(): void;
}

/** The browser's factory of Trusted Types policies, if it has one. */
interface ScriptPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

/**
 * Opens the PDF at `address` with pdf.js, which the browser loads only now. If the server supports ranges, only the pages
 * that are shown are fetched.
 *
 * @throws Error if the file cannot be drawn, or needs a password
 */
export async function openPdf(address: string, signal: AbortSignal): Promise<OpenPdf> {
  const library = await import('pdfjs-dist');
  signal.throwIfAborted();
  const port = new Worker(workerUrl(), { type: 'module', name: 'pdf' });
  const worker = library.PDFWorker.create({ port });
  const task = library.getDocument({
    url: address,
    worker,
    // The page's policy forbids evaluation; fonts and pictures work without.
    useWasm: false,
    disableWorkerRendering: true,
    enableXfa: false,
    verbosity: 0,
  });
  const close = (): void => {
    void task.destroy().finally(() => {
      worker.destroy();
      port.terminate();
    });
  };
  signal.addEventListener('abort', close, { once: true });
  task.onPassword = () => {
    throw new Error('The file is locked by a password.');
  };
  try {
    return { document: await task.promise, library, close };
  } catch (error) {
    if (!signal.aborted) close();
    throw error;
  }
}

let policy: { createScriptURL(address: string): string } | undefined;

/** The address of the worker. The page's policy requires a Trusted Types policy for each script. */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: ScriptPolicies };
  policy ??= trustedTypes?.createPolicy('northline-pdf', {
    createScriptURL: (given) => {
      if (given === workerAddress) return given;
      throw new TypeError(`${given} is no script of ours`);
    },
  });
  return policy?.createScriptURL(workerAddress) ?? workerAddress;
}
