import path from 'node:path';
import { defineConfig } from 'vite';
import { sharedChunks } from './scripts/build/shared-chunks.ts';

/** Browsers of 2024 and later: OKLCH, `light-dark()`, nesting and layers pass through as written. */
const BROWSERS = ['chrome123', 'edge123', 'firefox128', 'safari17.5'];

/** Scripts whose address has no hash. */
const OWN_NAMES = ['push-worker', 'booking-page'];

const CHUNKS = sharedChunks();

const NOISE = ['MODULE_LEVEL_DIRECTIVE', 'INEFFECTIVE_DYNAMIC_IMPORT'];

/**
 * Two builds of the same sources, run by `scripts/build/build.ts`: the browser's
 * (hashed names, a manifest) and, with `ssr`, the one that prints the pages.
 */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: isSsrBuild ? [] : [CHUNKS.plugin],
  publicDir: isSsrBuild ? false : 'src/site/public',
  resolve: {
    alias: {
      '@northline/call': path.join(import.meta.dirname, 'packages/call/src/public.ts'),
      '@northline/voice': path.join(import.meta.dirname, 'packages/voice/src/public.ts'),
    },
  },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    target: BROWSERS,
    cssTarget: BROWSERS,
    manifest: !isSsrBuild,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // The loader reads what `start-app.tsx` exports, by its name.
      preserveEntrySignatures: 'allow-extension',
      // "use client" means something to a server of components, and the printer needs no chunks: both are noise.
      onLog: (level, log, report) => (NOISE.includes(log.code ?? '') ? undefined : report(level, log)),
      input: isSsrBuild
        ? { 'print-page': 'src/site/app/print-page.tsx' }
        : {
            'prepare-head': 'src/site/app/prepare-head.ts',
            'load-when-needed': 'src/site/app/load-when-needed.ts',
            'start-app': 'src/site/app/start-app.tsx',
            site: 'src/site/app/site.css',
            // By its own name: browsers ask for it again under the address that they installed it from.
            'push-worker': 'src/business/push/site/push-worker.web.ts',
            // By its own name: the server writes the page that names it.
            'booking-page': 'src/business/bookings/pages/booking-page.web.ts',
          },
      ...(isSsrBuild
        ? {}
        : {
            output: {
              codeSplitting: CHUNKS.codeSplitting,
              entryFileNames: ({ name }) => `${OWN_NAMES.includes(name) ? name : `assets/${name}-[hash]`}.js`,
            },
          }),
    },
  },
}));
