import type { ModelRuntime } from '@northline/speech/model-runtime';
import {
  embeddedVoices,
  FORMER_VOICES,
  USUAL_VOICE,
  USUAL_VOICE_FOLDER,
} from '../../../kernel/config/embedded-voices.ts';
import type { CallAssistant, TtsStream } from '../engines.server.ts';
import { SoundCache } from './sound-cache.server.ts';
import { SpeechHost, type SpeechOrder } from './speech-host.server.ts';
import { createPieces } from './speech-pieces.server.ts';

/** How a call's texts are said. */
export interface SpokenAs {
  /** The name of an embedded voice; another name means the usual one. */
  readonly voice?: string | undefined;
  readonly speed?: number | undefined;
  /** Words, and how they are said: plain spelling, or phonemes between slashes. */
  readonly pronunciations?: Readonly<Record<string, string>> | undefined;
}

/** The embedded voices of this server, shared by all calls. */
export interface Speaker {
  /** Whether an embedded voice has this name, now or in an earlier version. */
  has(name: string): boolean;
  /** Starts the process, says the first text in advance, and the others when there is nothing else to do. */
  warm(spoken: SpokenAs, texts: readonly string[]): Promise<void>;
  /** Opens a voice for one call. */
  open(spoken: SpokenAs): TtsStream;
  close(): Promise<void>;
}

export interface SpeakerOptions {
  /** The data folder, with the agency's own voices. */
  readonly dataDir?: string | undefined;
  /** For tests: another runtime, another process, other times. */
  readonly runtime?: ModelRuntime | undefined;
  readonly entry?: string | undefined;
  readonly patienceMs?: number | undefined;
  readonly idleMs?: number | undefined;
}

type Said = Pick<SpeechOrder, 'folder' | 'speed' | 'pronunciations'>;

const LONGEST_TEXT = 2000;

/** The embedded voice that an assistant names; undefined where it names none, or another provider's. */
export function ownVoiceNamed(
  { voice }: Pick<CallAssistant, 'voice'>,
  speaker: Pick<Speaker, 'has'>,
): string | undefined {
  const isOurs = voice?.provider === undefined || voice.provider === 'embedded';
  return isOurs && typeof voice?.voiceId === 'string' && speaker.has(voice.voiceId)
    ? voice.voiceId
    : undefined;
}

/** Nothing runs before the first `warm` or text. */
export function createSpeaker({ dataDir, ...host }: SpeakerOptions = {}): Speaker {
  const voices = (): ReadonlyMap<string, string> =>
    new Map(embeddedVoices(dataDir).map(({ folder, manifest }) => [manifest.name, folder]));
  const folderOf = ({ voice = USUAL_VOICE }: SpokenAs): string => voices().get(voice) ?? USUAL_VOICE_FOLDER;
  const saidAs = (spoken: SpokenAs): Said => ({
    folder: folderOf(spoken),
    speed: spoken.speed ?? 1,
    pronunciations: spoken.pronunciations ?? {},
  });
  const process = new SpeechHost({ ...host, usualFolder: USUAL_VOICE_FOLDER });
  const cache = new SoundCache();

  function begin(said: Said, text: string, idle: boolean) {
    const order = { ...said, text: text.slice(0, LONGEST_TEXT) };
    const key = JSON.stringify(order);
    const kept = cache.get(key);
    const pieces = createPieces((sound, ended) => process.say({ ...order, idle, sound, ended }), kept);
    pieces.whole.then(
      (pcm) => cache.put(key, pcm),
      () => {},
    ); // a failure is thrown where the sound is awaited
    return pieces;
  }

  return {
    has: (name) => FORMER_VOICES.includes(name) || voices().has(name),
    async warm(spoken, [first = '', ...others]) {
      process.warm();
      const said = saidAs(spoken);
      const made = first === '' ? undefined : begin(said, first, false).whole;
      for (const text of others) if (text !== '') begin(said, text, true).whole.catch(() => {}); // said again when it is needed
      await made;
    },
    open(spoken) {
      const said = saidAs(spoken);
      return {
        name: 'embedded',
        speak: (text, signal) => begin(said, text, false).heard(signal),
        close() {},
      };
    },
    close: async () => process.close(),
  };
}
