import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** Scripts of the call package with their own address, each complete in itself. */
const OF_THE_PACKAGE = {
  'call-machine': 'packages/call/src/adapter/serve-as-bundle.ts',
  'noise-cancellation': 'packages/call/src/web-rtc/noise-cancellation.worklet.ts',
  background: 'packages/call/src/background/background.worker.ts',
};
/** What finds the person in a camera's picture, of TensorFlow Lite and MediaPipe, as a package brings it. */
const PERSON_MODEL = path.join(ROOT, 'node_modules/@twilio/video-processors/dist/build');
const OF_THE_MODEL = {
  'background-model.js': 'tflite-simd-1-0-0.js',
  'background-model.wasm': 'tflite-simd-1-0-0.wasm',
  'background-person.tflite': 'selfie_segmentation_landscape.tflite',
};
/** What a page imports for a call through LiveKit: a module. */
const IMPORTED_FOR_LIVEKIT = { livekit: 'packages/call/src/web-rtc/livekit-room.ts' };
/** The assistant on other sites. */
const ON_SITES = { 'on-site': 'src/voice/widget/on-site.web.ts' };
/** What it imports when a visitor wants to talk: a module, which keeps what it exports. */
const IMPORTED_ON_SITES = { 'on-site-call': 'src/voice/widget/spoken-call.web.ts' };
const OF_THE_CONSOLE = { headset: 'src/voice/console/headset/headset-worklet.web.ts' };

/**
 * Builds what the voice platform serves besides the site: the adapter that the published call library loads
 * as its bundle, the worklet for noise cancellation, the worker for backgrounds with its model, and LiveKit's client.
 */
export async function buildVoiceScripts(outDir: string): Promise<void> {
  await buildScripts(OF_THE_PACKAGE, outDir);
  await buildScripts(IMPORTED_FOR_LIVEKIT, outDir, 'es');
  for (const [name, file] of Object.entries(OF_THE_MODEL))
    copyFileSync(path.join(PERSON_MODEL, file), path.join(outDir, name));
}

/** Builds the worklet for an operator's headset, and the assistant on other sites. */
export async function buildConsoleScripts(outDir: string): Promise<void> {
  await buildScripts(OF_THE_CONSOLE, outDir);
  await buildScripts(ON_SITES, outDir);
  await buildScripts(IMPORTED_ON_SITES, outDir, 'es');
}

async function buildScripts(
  scripts: Readonly<Record<string, string>>,
  outDir: string,
  format: 'iife' | 'es' = 'iife',
): Promise<void> {
  for (const [name, file] of Object.entries(scripts)) {
    const source = path.join(ROOT, file);
    await build({
      root: path.dirname(source),
      configFile: false,
      publicDir: false,
      logLevel: 'warn',
      resolve: {
        alias: {
          '@northline/call': path.join(ROOT, 'packages/call/src/public.ts'),
          '@northline/voice': path.join(ROOT, 'packages/voice/src/public.ts'),
        },
      },
      build: {
        outDir,
        emptyOutDir: false,
        target: 'es2022',
        // LiveKit's client is one file of that size.
        chunkSizeWarningLimit: 800,
        rolldownOptions: {
          // Vite's loader of modules asks for `import.meta`, which a classic script has not; it does not use it here.
          onLog: (level, log, report) => (log.code === 'EMPTY_IMPORT_META' ? undefined : report(level, log)),
          input: source,
          preserveEntrySignatures: format === 'es' ? 'strict' : false,
          output: { format, entryFileNames: `${name}.js` },
        },
      },
    });
  }
}
