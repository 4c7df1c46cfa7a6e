import path from 'node:path';
import { build } from 'vite';

const SOURCES = path.join(import.meta.dirname, '..', '..', 'packages', 'call', 'src');
/** Scripts with an address of their own, each whole in itself. */
const SCRIPTS = {
  'call-machine': 'adapter/serve-as-bundle.ts',
  'noise-cancellation': 'web-rtc/noise-cancellation.worklet.ts',
} as const;

/**
 * Builds what the voice platform serves beside the site: the adapter that the published call library
 * loads as its bundle, and the noise cancellation's worklet.
 */
export async function buildVoiceScripts(outDir: string): Promise<void> {
  for (const [name, source] of Object.entries(SCRIPTS)) {
    await build({
      root: SOURCES,
      configFile: false,
      publicDir: false,
      logLevel: 'warn',
      build: {
        outDir,
        emptyOutDir: false,
        target: 'es2022',
        rolldownOptions: {
          input: path.join(SOURCES, source),
          output: { format: 'iife', entryFileNames: `${name}.js` },
        },
      },
    });
  }
}
