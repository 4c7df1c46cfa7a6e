/**
 * The voices of all calls, in a process of their own: a fault in native code would otherwise end the server
 * with every call, and the memory is free when the process ends. It ends with the server.
 */
import { flushCompileCache } from 'node:module';
import type { ModelRuntime } from '@northline/speech/model-runtime';
import { openVoice, type Voice } from '@northline/speech/voice';
import { readVoiceFolder } from '@northline/speech/voice-folder';
import type { SpeechReply, SpeechRequest } from './speech-messages.server.ts';
import { SpeechQueue } from './speech-queue.server.ts';

const [usualFolder = '', runtime] = process.argv.slice(2) as [string?, ModelRuntime?];
const voices = new Map<string, Promise<Voice>>();

function voiceIn(folder: string): Promise<Voice> {
  const opened = voices.get(folder) ?? openWarm(folder);
  voices.set(folder, opened);
  // A folder that was mended may be tried again.
  opened.catch(() => voices.delete(folder));
  return opened;
}

/** The first sentence of a session takes longer than later ones, so it is one that nobody waits for. */
async function openWarm(folder: string): Promise<Voice> {
  const voice = await openVoice(readVoiceFolder(folder), runtime);
  const utterance = voice.utter('One moment, please.');
  while ((await utterance.next()) !== undefined);
  // The files' bytes are garbage now, some 24 MB.
  globalThis.gc?.();
  return voice;
}

function reply(message: SpeechReply): void {
  process.send?.(message);
}

const queue = new SpeechQueue(async ({ folder, text, speed, pronunciations }) => {
  const voice = await voiceIn(folder);
  return voice.utter(text, { speed, pronunciations });
}, reply);
const early: SpeechRequest[] = [];
let take = (request: SpeechRequest): void => void early.push(request);
process.on('message', (request: SpeechRequest) => take(request));
// Without the server nobody needs the sound.
process.on('disconnect', () => process.exit(0));

try {
  const voice = await voiceIn(usualFolder);
  reply({ kind: 'ready', runtime: voice.runtime });
  // We are ended without a warning, and Node would keep compiled modules only at the end.
  flushCompileCache();
  take = (request) => queue.take(request);
  for (const request of early) queue.take(request);
} catch (error) {
  reply({ kind: 'unusable', why: error instanceof Error ? error.message : String(error) });
  process.disconnect();
}
