import type { ChargedPart } from '../engines/call-meter.server.ts';
import type {
  CallContext,
  DialogueManager,
  EnginePrices,
  SttStream,
  TtsStream,
} from '../engines/engines.server.ts';
import type { ProviderAccess } from '../engines/providers/provider-access.server.ts';
import type { RealtimeSession } from '../engines/realtime/realtime-session.server.ts';

const SAMPLES_A_MINUTE = 16_000 * 60;

/** Puts a provider on the call's meter, where its credential says what it charges. */
function charge(
  { meter }: CallContext,
  { credentialId }: ProviderAccess,
  part: ChargedPart,
  dollars: () => number,
): void {
  meter?.add({ part, credentialId, dollars });
}

/** The ear of a realtime session: its tokens pay for it, it costs nothing by the minute. */
export function meteredHearing({ meter }: CallContext): void {
  meter?.add({ part: 'stt', credentialId: undefined, dollars: () => 0 });
}

/**
 * The voice of a realtime session: its tokens pay for it, it costs nothing by the letter. Where no dialogue counts the
 * tokens, as in a preview, the voice does.
 */
export function meteredSpeech(
  session: Pick<RealtimeSession, 'counted' | 'usage'>,
  { credentialId, prices }: Pick<ProviderAccess, 'credentialId' | 'prices'>,
  { meter }: CallContext,
): void {
  meter?.add({
    part: 'tts',
    get credentialId() {
      return session.counted ? undefined : credentialId;
    },
    dollars: () => (session.counted ? 0 : tokenDollars(session.usage(), prices)),
  });
}

function tokenDollars(
  { promptTokens, completionTokens }: ReturnType<DialogueManager['usage']>,
  {
    llmPer1000PromptTokens: prompt = 0,
    llmPer1000CompletionTokens: completion = 0,
  }: Partial<EnginePrices> = {},
): number {
  return (promptTokens * prompt + completionTokens * completion) / 1000;
}

/** A recogniser whose sound is counted by its credential's price. */
export function meteredRecogniser(stream: SttStream, access: ProviderAccess, call: CallContext): SttStream {
  const price = access.prices?.sttPerMinute;
  if (price === undefined) return stream;
  let samples = 0;
  charge(call, access, 'stt', () => (samples / SAMPLES_A_MINUTE) * price);
  return {
    name: stream.name,
    beginUtterance: (expected) => stream.beginUtterance(expected),
    push(pcm) {
      samples += pcm.length;
      stream.push(pcm);
    },
    pauseUtterance: () => stream.pauseUtterance?.(),
    resumeUtterance: () => stream.resumeUtterance?.(),
    onPartial: (listener) => stream.onPartial(listener),
    endUtterance: () => stream.endUtterance(),
    close: () => stream.close(),
  };
}

/** A voice whose letters are counted by its credential's price. */
export function meteredVoice(stream: TtsStream, access: ProviderAccess, call: CallContext): TtsStream {
  const price = access.prices?.ttsPer1000Characters;
  if (price === undefined) return stream;
  let characters = 0;
  charge(call, access, 'tts', () => (characters / 1000) * price);
  return {
    name: stream.name,
    async *speak(sentence, signal) {
      characters += sentence.length;
      yield* stream.speak(sentence, signal);
    },
    close: () => stream.close(),
  };
}

/** The embedded voice, which costs nothing: also where the installation's own provider charges for letters. */
export function freeVoice(stream: TtsStream, { meter }: CallContext): TtsStream {
  meter?.add({ part: 'tts', credentialId: undefined, dollars: () => 0 });
  return stream;
}

/** The same dialogue; its tokens are counted by its credential's prices. */
export function meteredDialogue(
  dialogue: DialogueManager,
  access: ProviderAccess,
  call: CallContext,
): DialogueManager {
  const { llmPer1000PromptTokens: prompt, llmPer1000CompletionTokens: completion }: Partial<EnginePrices> =
    access.prices ?? {};
  if (prompt === undefined && completion === undefined) return dialogue;
  charge(call, access, 'llm', () => tokenDollars(dialogue.usage(), access.prices));
  return dialogue;
}
