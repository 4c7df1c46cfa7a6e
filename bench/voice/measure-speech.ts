import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { spokenText } from '@northline/speech/spoken-text';
import { openVoice } from '@northline/speech/voice';
import { readVoiceFolder } from '@northline/speech/voice-folder';
import { joined } from '../../packages/telephone-audio/src/sounds.fixture.ts';
import { USUAL_VOICE_FOLDER } from '../../src/kernel/config/embedded-voices.ts';
import { spokenKnowledge } from '../../src/voice/dialogue/agency-knowledge.server.ts';
import { prepareModels } from '../../src/voice/engines/recognition/model-preparation.server.ts';
import { createSpeaker, type Speaker } from '../../src/voice/engines/speech/speech-client.server.ts';
import { type Figure, median, residentBytes, shown } from '../support/figure.ts';
import type { Product } from '../support/product.ts';
import { silence } from './support/caller-sounds.ts';
import { countErrors } from './support/error-count.ts';
import { KNOWN } from './support/known-agency.ts';
import { overTelephone } from './support/sound-change.ts';
import { openSoundReader } from './support/sound-reader.ts';

const SENTENCES = readFileSync(path.join(import.meta.dirname, 'speech-sentences.txt'), 'utf8')
  .trim()
  .split('\n');
const MEGABYTE = 1_000_000;

/** The embedded voice: words that the recogniser mishears, first sound, work, and memory. */
export async function measureSpeech({ dataDir }: Product): Promise<Figure[]> {
  const speaker = createSpeaker();
  await speaker.warm({}, ['Hello.']);
  try {
    const words = await wrongWords(speaker, dataDir);
    const ones: number[] = [];
    for (const text of SENTENCES.slice(0, 20)) ones.push(await firstSound(speaker, `So, ${text}`));
    const together = async (count: number): Promise<number> => {
      const runs: number[] = [];
      for (let run = 0; run < 5; run += 1) {
        const texts = SENTENCES.slice(20 + run, 20 + run + count).map(
          (text) => `${count} and ${run}, ${text}`,
        );
        runs.push(Math.max(...(await Promise.all(texts.map((text) => firstSound(speaker, text))))));
      }
      return median(runs);
    };
    const [four, ten] = [await together(4), await together(10)];
    const memory = (await residentBytes(voiceProcess())) / MEGABYTE;
    const [native, web] = [await workOf('onnxruntime-node', 12), await workOf('onnxruntime-web', 4)];
    return [
      figure('Words wrong, clean', words.clean * 100, '%', 1),
      figure('Words wrong, telephone', words.telephone * 100, '%', 2),
      figure('First sound, one call', median(ones), 'ms', 80),
      figure('First sound, the last of four begun together', four, 'ms', 250),
      figure('First sound, the last of ten', ten, 'ms', 400),
      figure('First sound in WebAssembly, one call', web.first, 'ms', 200),
      figure('Work for a second of sound, in pieces', native.work, 's', 0.06),
      figure('Memory of the process', memory, 'MB', 120),
    ];
  } finally {
    await speaker.close();
  }
}

const figure = (name: string, value: number, unit: string, most: number): Figure => ({
  name: `Voice: ${name}`,
  measured: shown(value, unit),
  against: '',
  aim: `at most ${most} ${unit}`,
  met: value <= most,
});

async function wrongWords(speaker: Speaker, dataDir: string): Promise<{ clean: number; telephone: number }> {
  const reader = await openSoundReader(
    await prepareModels(spokenKnowledge(KNOWN), path.join(dataDir, 'bench-models')),
  );
  const wrong = { clean: 0, telephone: 0 };
  let words = 0;
  for (const text of SENTENCES) {
    const pieces: Int16Array[] = [];
    for await (const pcm of speaker.open({}).speak(text, new AbortController().signal)) pieces.push(pcm);
    const sound = joined([silence(0.3), ...pieces, silence(0.3)]);
    const said = spokenText(text);
    for (const [line, heardSound] of [
      ['clean', sound],
      ['telephone', overTelephone(sound)],
    ] as const) {
      const heard = (await reader.read(Int16Array.from(heardSound), 'whole')).text;
      // Figures may stand for digits or for a number: `1209`, `£5`.
      const [plain, written] = [countErrors(said, heard), countErrors(said, spokenText(heard))];
      const counted = written.errors < plain.errors ? written : plain;
      wrong[line] += counted.errors;
      if (line === 'clean') words += counted.words;
      if (counted.errors > 0) console.log(`  ${line}: ${said} | ${heard}`);
    }
  }
  return { clean: wrong.clean / words, telephone: wrong.telephone / words };
}

async function firstSound(speaker: Speaker, text: string): Promise<number> {
  const begun = performance.now();
  let first = Number.NaN;
  for await (const _ of speaker.open({}).speak(text, new AbortController().signal))
    if (Number.isNaN(first)) first = performance.now() - begun;
  return first;
}

/** Seconds of processor time for a second of sound, and milliseconds until the first piece. */
async function workOf(runtime: 'onnxruntime-node' | 'onnxruntime-web', count: number) {
  const voice = await openVoice(readVoiceFolder(USUAL_VOICE_FOLDER), runtime);
  const [works, firsts]: [number[], number[]] = [[], []];
  for (const text of ['Hello there.', ...SENTENCES.slice(0, count)]) {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    const utterance = voice.utter(text);
    let samples = 0;
    for (let piece = await utterance.next(); piece !== undefined; piece = await utterance.next()) {
      if (samples === 0) firsts.push(performance.now() - begun);
      samples += piece.length;
    }
    const { user, system } = process.cpuUsage(used);
    works.push((user + system) / 1e6 / (samples / 24_000));
  }
  return { work: median(works.slice(1)), first: median(firsts.slice(1)) };
}

/** The process of the voices, a child of this one. */
function voiceProcess(): number {
  const found = readdirSync('/proc').find((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return (
        parent === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('speech-process')
      );
    } catch {
      return false; // It has ended meanwhile, or is no process.
    }
  });
  if (found === undefined) throw new Error('The process of the voices does not run.');
  return Number(found);
}
