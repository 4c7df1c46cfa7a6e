import type {
  CallAnalysis,
  CallContext,
  DialogueManager,
  SpokenTurn,
  SttStream,
  VoiceEngines,
} from '../engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import { DialogueCaller, type DialogueListener } from './ask-dialogue.server.ts';
import { Hearing, type HearingListener } from './hear-sound.server.ts';
import { type SpeechListener, SpeechPlayer } from './play-speech.server.ts';

/** The engines of one call, each behind what the call uses it by. */
export interface OpenEngines {
  /** Undefined where speech is not recognised: turns are typed. */
  readonly hearing: Hearing | undefined;
  readonly player: SpeechPlayer;
  readonly thinking: DialogueCaller;
  readonly dialogue: DialogueManager;
}

/** Who is told what the engines have. */
export interface EngineListeners {
  readonly hearing: HearingListener;
  readonly speech: SpeechListener;
  readonly dialogue: DialogueListener;
}

/** Opens everything at once. @throws Error when there is no voice or no dialogue */
export async function openEngines(
  engines: VoiceEngines,
  context: CallContext,
  session: MediaSession,
  listeners: EngineListeners,
  now: () => number,
): Promise<OpenEngines> {
  const [recogniser, voice, dialogue] = await Promise.all([
    openRecogniser(engines, context),
    engines.openVoice(context),
    engines.openDialogue(context),
  ]);
  const hearing =
    recogniser === undefined
      ? undefined
      : new Hearing(await engines.openDetector(), recogniser, listeners.hearing);
  context.log(
    'INFO',
    `voice ${voice.name}, recogniser ${recogniser?.name ?? 'none'}, dialogue ${dialogue.name}`,
  );
  return {
    hearing,
    player: new SpeechPlayer(session, voice, listeners.speech, now),
    thinking: new DialogueCaller(dialogue, listeners.dialogue),
    dialogue,
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

/** What a dialogue that can says of a call, in the time that it has. */
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
