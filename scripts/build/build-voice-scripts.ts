import path from 'node:path';
import { build } from 'vite';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** Scripts of the call package with their own address, each complete in itself. */
const OF_THE_PACKAGE = {
  'call-machine': 'packages/call/src/adapter/serve-as-bundle.ts',
  'noise-cancellation': 'packages/call/src/web-rtc/noise-cancellation.worklet.ts',
};
const OF_THE_CONSOLE = { headset: 'src/voice/console/headset/headset-worklet.web.ts' };

/**
 * Builds what the voice platform serves besides the site: the adapter that the published call library loads
 * as its bundle, and the worklet for noise cancellation.
 */
export async function buildVoiceScripts(outDir: string): Promise<void> {
  await buildScripts(OF_THE_PACKAGE, outDir);
}

/** Builds the worklet for an operator's headset. */
export async function buildConsoleScripts(outDir: string): Promise<void> {
  await buildScripts(OF_THE_CONSOLE, outDir);
}

async function buildScripts(scripts: Readonly<Record<string, string>>, outDir: string): Promise<void> {
  for (const [name, file] of Object.entries(scripts)) {
    const source = path.join(ROOT, file);
    await build({
      root: path.dirname(source),
      configFile: false,
      publicDir: false,
      logLevel: 'warn',
      build: {
        outDir,
        emptyOutDir: false,
        target: 'es2022',
        rolldownOptions: {
          input: source,
          output: { format: 'iife', entryFileNames: `${name}.js` },
        },
      },
    });
  }
}
