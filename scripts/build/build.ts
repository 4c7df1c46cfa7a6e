import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Manifest } from 'vite';
import { sitePages } from '../../src/kernel/contract/service-pages.ts';
import type { PageFiles } from '../../src/site/app/print-document.ts';
import { buildConsoleScripts, buildVoiceScripts } from './build-voice-scripts.ts';

const root = path.join(import.meta.dirname, '..', '..');
const dist = path.join(root, 'dist');
/** Smaller files gain nothing from compression. */
const COMPRESS_FROM = 300;
const LARGE = 1_000_000;
const OUTER_PACKAGES = [
  '@node-rs/argon2',
  '@napi-rs/canvas',
  'pg-native',
  'pdfjs-dist',
  '@hyzyla/pdfium',
  'officeparser',
  'werift',
  '@evan/opus',
  '@livekit/rtc-node',
  'onnxruntime-node',
  'onnxruntime-web',
  'tesseract.js-core',
  '@cf-wasm/photon',
  '@resvg/resvg-wasm',
];

/**
 * Without comments and with letters beyond ASCII escaped, V8 keeps a byte for each character of a source and not two.
 * Lines and names stay, for the traces of errors; the licences of packages lie in `node_modules`.
 */
const SERVER_OUTPUT = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
} as const;

/** Builds the browser's files, prints every page, compresses the files, and replaces `dist` in one step. */
async function buildSite(): Promise<void> {
  const startedAt = performance.now();
  process.env.NODE_ENV = 'production';
  const fresh = path.join(root, `dist.${process.pid}`);
  const options = { root, configFile: path.join(root, 'vite.config.ts'), logLevel: 'warn' as const };
  try {
    await build({ ...options, build: { outDir: path.join(fresh, 'client'), emptyOutDir: true } });
    await build({
      ...options,
      build: { ssr: true, outDir: path.join(fresh, 'printer'), emptyOutDir: true },
    });
    await buildVoiceScripts(path.join(fresh, 'client', 'voice'));
    await buildConsoleScripts(path.join(fresh, 'client', 'voice'));
    await printPages(fresh);
    await buildServer(path.join(fresh, 'server'), { start: 'src/cli/start.ts' });
    // Of their own, so that the server shares no chunk with them.
    await buildServer(path.join(fresh, 'server'), workerPrograms());
    await compressFiles(path.join(fresh, 'client'));
    const old = `${dist}.old.${process.pid}`;
    rmSync(old, { recursive: true, force: true });
    try {
      renameSync(dist, old);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    renameSync(fresh, dist);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  process.stderr.write(`Site built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/**
 * Bundles the server, or the programs of its workers: they start sooner and need some 30 MB less than the same sources
 * and packages loaded one by one. What is imported when it is used stands in files of its own. Packages with native code or files of their own stay outside.
 */
async function buildServer(outDir: string, input: Readonly<Record<string, string>>): Promise<void> {
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: OUTER_PACKAGES, target: 'node' },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'node24',
      minify: false,
      rolldownOptions: { input: { ...input }, output: SERVER_OUTPUT },
    },
  });
}

/** The programs that `programFile` and `readerProgram` name, by their name without an ending. */
function workerPrograms(): Record<string, string> {
  const files = globSync(['src/**/*-process.server.ts', 'packages/document-reader/src/reader/*-process.ts'], {
    cwd: root,
  });
  return Object.fromEntries(files.map((file) => [path.basename(file).replace(/(\.server)?\.ts$/, ''), file]));
}

/**
 * The printer stays in the build, with the files that each page refers to, because the server prints an
 * agency's own content.
 */
async function printPages(fresh: string): Promise<void> {
  const manifestFile = path.join(fresh, 'client', '.vite', 'manifest.json');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
  const pages = sitePages({});
  const files = Object.fromEntries(Object.values(pages).map(({ page }) => [page, filesOf(page, manifest)]));
  const printer = await import(pathToFileURL(path.join(fresh, 'printer', 'print-page.js')).href);
  mkdirSync(path.join(fresh, 'pages'));
  writeFileSync(path.join(fresh, 'printer', 'files.json'), JSON.stringify(files));
  for (const [name, html] of Object.entries<string>(printer.printDocuments(Object.keys(pages), files)))
    writeFileSync(path.join(fresh, 'pages', `${name}.html`), html);
  rmSync(path.dirname(manifestFile), { recursive: true });
}

/** @param name the page's module */
function filesOf(name: string, manifest: Manifest): PageFiles {
  const address = (key: string): string => {
    const entry = manifest[key];
    if (entry === undefined) throw new Error(`The build has no ${key}.`);
    return `/${entry.file}`;
  };
  const page = `src/site/pages/${name}.tsx`;
  const reached = new Set<string>();
  const reach = (key: string): void => {
    if (reached.has(key)) return;
    reached.add(key);
    for (const next of manifest[key]?.imports ?? []) reach(next);
  };
  reach('src/site/app/start-app.tsx');
  reach(page);
  const client = Object.keys(manifest).find((key) => key.includes('@supabase/supabase-js/')) ?? '';
  const entries = [...reached].map((key) => manifest[key]).filter((entry) => entry !== undefined);
  return {
    head: address('src/site/app/prepare-head.ts'),
    loader: address('src/site/app/load-when-needed.ts'),
    app: address('src/site/app/start-app.tsx'),
    modules: entries.map((entry) => `/${entry.file}`),
    client: address(client),
    styles: [
      address('src/site/app/site.css'),
      ...entries.flatMap((entry) => entry.css ?? []).map((file) => `/${file}`),
    ],
    font: address('src/ui/fonts/archivo-latin.woff2'),
  };
}

async function compressFiles(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(js|css|svg|json|txt|mjs|wasm)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(file);
      if (bytes.length < COMPRESS_FROM) return;
      const size = {
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        // The best quality would take seconds for a file of megabytes.
        [constants.BROTLI_PARAM_QUALITY]: bytes.length > LARGE ? 6 : constants.BROTLI_MAX_QUALITY,
      };
      writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params: size }));
      writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

await buildSite();
