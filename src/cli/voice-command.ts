import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { joinedSamples, SAMPLES_PER_SECOND } from '@northline/speech/sound-shaping';
import { openVoice, type Voice } from '@northline/speech/voice';
import { readVoiceFolder, VOICE_FILES, type VoiceData } from '@northline/speech/voice-folder';
import { writeWave } from '@northline/speech/wave-file';
import { embeddedVoices, OWN_VOICES, USUAL_VOICE } from '../kernel/config/embedded-voices.ts';
import type { Settings } from '../kernel/config/settings.ts';
import { type Command, UsageError } from './command.ts';
import { parseOptions, typedPath } from './command-words.ts';

/** The rest of a voice's folder, where it is there. */
const PAPERS = ['voice.json', 'README.md', 'NOTICE', 'LICENSE', 'LICENSE.txt', 'LICENSE-APACHE-2.0.txt'];
const FULL = 32_767;

/** Speaks to a file, and keeps the embedded voices of an installation. */
export const voiceCommand: Command = {
  summary: 'speaks a text into a sound file, lists the voices of this server, and adds one',
  usage: [
    'say TEXT FILE [--voice NAME]  writes a WAVE file, 24,000 samples a second',
    'list  prints each voice with its language and licence',
    'add FOLDER  adds a voice of your own: voice.json and the five files that it describes',
  ],
  async run(settings, [form = '', ...words]) {
    if (form === 'say') return say(settings, words);
    if (form === 'list' && words.length === 0) return list(settings);
    if (form === 'add') return add(settings, words);
    throw new UsageError(form === '' ? '' : `There is no voice ${form}.`);
  },
};

function list({ DATA_DIR }: Settings): string {
  return embeddedVoices(DATA_DIR)
    .map(({ manifest: { name, title, language, licence } }) => `${name}  ${title}  ${language}  ${licence}`)
    .join('\n');
}

async function say({ DATA_DIR }: Settings, [text, file, ...words]: readonly string[]): Promise<string> {
  if (text === undefined || file === undefined) throw new UsageError('say needs a text and a file.');
  const { voice: name = USUAL_VOICE } = parseOptions(words, ['voice']).values;
  const found = embeddedVoices(DATA_DIR).find(({ manifest }) => manifest.name === name);
  if (found === undefined) throw new Error(`This server has no voice ${name}.`);
  const sound = await spoken(await openVoice(readVoiceFolder(found.folder)), text);
  if (sound.length === 0) throw new Error('There is nothing to say in this text.');
  const pcm = Int16Array.from(sound, (sample) => Math.round(sample * FULL));
  writeFileSync(typedPath(file), writeWave([pcm], SAMPLES_PER_SECOND));
  return `${(pcm.length / SAMPLES_PER_SECOND).toFixed(1)} s of ${name} in ${typedPath(file)}`;
}

async function spoken(voice: Voice, text: string): Promise<Float32Array> {
  const pieces: Float32Array[] = [];
  const utterance = voice.utter(text);
  for (let piece = await utterance.next(); piece !== undefined; piece = await utterance.next())
    pieces.push(piece);
  return joinedSamples(pieces);
}

async function add({ DATA_DIR }: Settings, [folder, ...words]: readonly string[]): Promise<string> {
  if (folder === undefined || words.length > 0) throw new UsageError('add needs one folder.');
  const from = typedPath(folder);
  const data = readVoiceFolder(from);
  const { name, title, language, licence } = data.manifest;
  if (embeddedVoices().some(({ manifest }) => manifest.name === name))
    throw new Error(`The product has a voice ${name} itself. Give yours another name.`);
  await mustSpeak(data);
  const voices = path.join(DATA_DIR, OWN_VOICES);
  const [draft, target] = [path.join(voices, `.${name}.${process.pid}`), path.join(voices, name)];
  mkdirSync(draft, { recursive: true });
  try {
    for (const file of [...VOICE_FILES, ...PAPERS])
      if (existsSync(path.join(from, file))) cpSync(path.join(from, file), path.join(draft, file));
    rmSync(target, { recursive: true, force: true });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return `Added ${name}: ${title}, ${language}, under ${licence}. Assistants may name it now.`;
}

/** @throws Error where the files are no models, or say nothing */
async function mustSpeak(data: VoiceData): Promise<void> {
  let sound: Float32Array;
  try {
    sound = await spoken(await openVoice(data), 'Hello, how can I help you?');
  } catch (error) {
    throw new Error(`The voice cannot speak: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!sound.some((sample) => Math.abs(sample) > 0.01)) throw new Error('The voice is silent.');
}
