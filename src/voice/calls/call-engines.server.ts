import { CallMeter } from '../engines/call-meter.server.ts';
import type {
  CallAnalysis,
  CallContext,
  DialogueManager,
  SpokenTurn,
  SttStream,
  VoiceEngines,
} from '../engines/engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import { AudioInput, type AudioInputListener } from './audio-input.server.ts';
import { type DialogueListener, DialogueTurns } from './dialogue-turns.server.ts';
import type { FirstSoundOf } from './first-sound.server.ts';
import { type SpeechListener, SpeechPlayer } from './speech-player.server.ts';

/** The engines of one call, each in the form that the call uses. */
export interface OpenEngines {
  /** Undefined where speech is not recognised: callers type. */
  readonly audioInput: AudioInput | undefined;
  readonly player: SpeechPlayer;
  readonly dialogueTurns: DialogueTurns;
  readonly dialogue: DialogueManager;
  /** What the call's providers have charged. */
  readonly meter: CallMeter;
  /** Opens an input for somebody other than the caller; undefined where speech is not recognised. */
  openInput(listener: AudioInputListener): Promise<AudioInput | undefined>;
  /** Milliseconds of sound that were recognised, from all speakers; for the cost. */
  recognisedMs(): number;
}

/** Who receives what the engines produce. */
export interface EngineListeners {
  readonly audioInput: AudioInputListener;
  readonly speech: SpeechListener;
  readonly dialogue: DialogueListener;
}

/** What the engines of a call are opened with. */
interface EngineOptions {
  readonly context: CallContext;
  readonly session: MediaSession;
  readonly listeners: EngineListeners;
  /** The sounds that assistants play as their first message. */
  readonly soundOf?: FirstSoundOf | undefined;
  /** Milliseconds since 1970; never goes back. */
  readonly now: () => number;
}

/** Opens all engines at once. @throws Error when there is no voice or no dialogue */
export async function openEngines(
  engines: VoiceEngines,
  { context: given, session, listeners, soundOf, now }: EngineOptions,
): Promise<OpenEngines> {
  const meter = new CallMeter();
  const context = { ...given, meter };
  const [recogniser, voice, dialogue] = await Promise.all([
    openRecogniser(engines, context),
    engines.openVoice(context),
    engines.openDialogue(context),
  ]);
  const inputs: AudioInput[] = [];
  const inputOf = async (
    stream: SttStream | undefined,
    listener: AudioInputListener,
  ): Promise<AudioInput | undefined> => {
    if (stream === undefined) return undefined;
    const input = new AudioInput(await engines.openDetector(), stream, listener);
    inputs.push(input);
    return input;
  };
  const audioInput = await inputOf(recogniser, listeners.audioInput);
  context.log(
    'INFO',
    `voice ${voice.name}, recogniser ${recogniser?.name ?? 'none'}, dialogue ${dialogue.name}`,
  );
  return {
    openInput: async (listener) => inputOf(await openRecogniser(engines, context), listener),
    recognisedMs: () => inputs.reduce((sum, input) => sum + input.recognisedMs, 0),
    audioInput,
    player: new SpeechPlayer(session, voice, listeners.speech, { now, soundOf }),
    dialogueTurns: new DialogueTurns(dialogue, listeners.dialogue),
    dialogue,
    meter,
  };
}

async function openRecogniser(engines: VoiceEngines, context: CallContext): Promise<SttStream | undefined> {
  if (engines.recognition === 'typed-only') return undefined;
  return engines.openRecogniser(context).catch((error: unknown) => {
    // The call goes on with typed turns.
    context.log('WARN', `speech is not recognised in this call: ${String(error)}`);
    return undefined;
  });
}

const ANALYSIS_MS = 10_000;

/** The dialogue's summary of a call, if it gives one in time. */
export async function sumUp(
  dialogue: DialogueManager | undefined,
  history: readonly SpokenTurn[],
  log: CallContext['log'],
): Promise<CallAnalysis | undefined> {
  const summing = dialogue?.analyse?.(history);
  if (summing === undefined) return undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ANALYSIS_MS, undefined);
  });
  try {
    return await Promise.race([summing, late]);
  } catch (error) {
    log('WARN', `the call was not summed up by its dialogue: ${String(error)}`);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
