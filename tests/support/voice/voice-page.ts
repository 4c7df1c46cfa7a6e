import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { build } from 'vite';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { buildVoiceScripts } from '../../../scripts/build/build-voice-scripts.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** The published call library, in the specified version and in its newest. */
export const CALL_LIBRARIES = {
  specified: 'node_modules/vapi-web-2.1.5/node_modules/@daily-co/daily-js',
  newest: 'node_modules/@daily-co/daily-js',
} as const;

/** The clients that a page may use, by the names under which the page finds them. */
const ENTRY = `
import { webRtcTransport } from '@northline/call';
import { VoiceClient } from '${ROOT}/packages/voice/src/public.ts';
import Newest from '@vapi-ai/web';
import Specified from 'vapi-web-2.1.5';
import NewestLibrary from '@daily-co/daily-js';
import SpecifiedLibrary from 'daily-js-0.66.0';
const ofPackage = (Client) => Client.default ?? Client;
const foreign = (Client) => (key) =>
  new Client(key, location.origin + '/voice/v1', {
    avoidEval: true,
    callObjectBundleUrlOverride: location.origin + '/voice/call-machine.js',
  });
window.clients = {
  own: (key) => new VoiceClient(key, { openTransport: webRtcTransport(), baseUrl: '/voice/v1' }),
  specified: foreign(ofPackage(Specified)),
  newest: foreign(ofPackage(Newest)),
};
window.libraries = { specified: SpecifiedLibrary, newest: NewestLibrary };
window.heard = [];
window.begin = async (name, key, assistant) => {
  const client = window.clients[name](key);
  window.client = client;
  const names = ['call-start', 'call-end', 'speech-start', 'speech-end', 'volume-level', 'message', 'error'];
  for (const event of names)
    client.on(event, (value) => {
      // As JSON, because an error of a client may refer to many objects.
      let told = null;
      try { told = JSON.parse(JSON.stringify(value ?? null)); } catch (error) { told = String(value); }
      window.heard.push([event, told]);
    });
  const call = await client.start(assistant);
  return call === null ? null : call.id;
};
`;

/** The page with every client, and its policy. */
export interface VoicePage {
  /** Serves the page at /voice-test.html of `origin` in this context. */
  serve(context: BrowserContext, origin: string): Promise<void>;
  remove(): void;
}

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self' ws:; media-src 'self' blob:";

/** Builds the page once; it takes a few seconds. */
export async function buildVoicePage(): Promise<VoicePage> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-voice-'));
  const entry = path.join(folder, 'entry.js');
  writeFileSync(entry, ENTRY);
  await buildVoiceScripts(path.join(folder, 'voice'));
  await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    resolve: {
      alias: {
        '@northline/call': path.join(ROOT, 'packages/call/src/public.ts'),
        '@vapi-ai/web': path.join(ROOT, 'node_modules/@vapi-ai/web'),
        'vapi-web-2.1.5': path.join(ROOT, 'node_modules/vapi-web-2.1.5'),
        '@daily-co/daily-js': path.join(ROOT, CALL_LIBRARIES.newest),
        'daily-js-0.66.0': path.join(ROOT, CALL_LIBRARIES.specified),
      },
    },
    build: {
      outDir: path.join(folder, 'page'),
      minify: false,
      rolldownOptions: { input: entry, output: { format: 'iife', entryFileNames: 'page.js' } },
    },
  });
  const files: Readonly<Record<string, readonly [type: string, file: string]>> = {
    '/voice-test.js': ['text/javascript', 'page/page.js'],
    '/voice/call-machine.js': ['text/javascript', 'voice/call-machine.js'],
    '/voice/livekit.js': ['text/javascript', 'voice/livekit.js'],
    '/voice/noise-cancellation.js': ['text/javascript', 'voice/noise-cancellation.js'],
    '/voice/background.js': ['text/javascript', 'voice/background.js'],
    '/voice/background-model.js': ['text/javascript', 'voice/background-model.js'],
    '/voice/background-model.wasm': ['application/wasm', 'voice/background-model.wasm'],
    '/voice/background-person.tflite': ['application/octet-stream', 'voice/background-person.tflite'],
  };
  return {
    async serve(context, origin) {
      await context.route(`${origin}/voice-test.html`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          headers: { 'content-security-policy': POLICY },
          body: '<!doctype html><title>Voice</title><body><script src="/voice-test.js"></script></body>',
        }),
      );
      for (const [address, [contentType, file]] of Object.entries(files)) {
        const body = readFileSync(path.join(folder, file));
        await context.route(`${origin}${address}`, (route) => route.fulfill({ contentType, body }));
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Writes pieces of 16 kHz sound as a WAV file (RIFF, PCM, mono) for a browser's fake microphone. */
export function writeWav(file: string, pieces: readonly Int16Array[]): void {
  const pcm = joined(pieces);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + pcm.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(pcm.byteLength, 40);
  writeFileSync(file, Buffer.concat([header, Buffer.from(pcm.buffer)]));
}
