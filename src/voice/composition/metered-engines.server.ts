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
import type { ProvidedEngine } from '../records/provider-list.contract.ts';

const SAMPLES_A_MINUTE = 16_000 * 60;
const PRICES_OF = {
  transcriber: ['sttPerMinute'],
  model: ['llmPer1000PromptTokens', 'llmPer1000CompletionTokens'],
  voice: ['ttsPer1000Characters'],
} as const;

/** What one engine of a call charges, and who pays for it. */
export interface EngineCharge {
  readonly prices: Partial<EnginePrices>;
  /**
   * The stored credential that pays, where it has prices of its own; undefined where the installation's
   * prices apply.
   */
  readonly credentialId: string | undefined;
}

/** The charge of an engine: a credential's own prices for it, otherwise the installation's. */
export function chargeOf(
  engine: ProvidedEngine,
  { prices: own = {}, credentialId }: Pick<ProviderAccess, 'prices' | 'credentialId'>,
  usual: Partial<EnginePrices> = {},
): EngineCharge {
  const isOwn = PRICES_OF[engine].some((name) => own[name] !== undefined);
  return isOwn ? { prices: own, credentialId } : { prices: usual, credentialId: undefined };
}

/** Whether an engine costs something at all. */
export function isPriced(engine: ProvidedEngine, { prices }: EngineCharge): boolean {
  return PRICES_OF[engine].some((name) => (prices[name] ?? 0) > 0);
}

/**
 * Adds a provider to the call's meter. Where several providers do the same part, as in a call of several
 * assistants, each is charged by its own prices.
 */
function charge(
  { meter }: CallContext,
  { credentialId }: EngineCharge,
  part: ChargedPart,
  dollars: () => number,
): void {
  meter?.add({ part, credentialId, dollars });
}

/**
 * The recogniser of a realtime session: the session's tokens pay for it, so it costs nothing by the minute.
 */
export function meteredHearing({ meter }: CallContext): void {
  meter?.add({ part: 'stt', credentialId: undefined, dollars: () => 0 });
}

/**
 * The voice of a realtime session: the session's tokens pay for it, so it costs nothing by the letter. Where
 * no dialogue counts the tokens, as in a preview, the voice counts them.
 */
export function meteredSpeech(
  session: Pick<RealtimeSession, 'counted' | 'usage'>,
  { credentialId, prices }: EngineCharge,
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
  { llmPer1000PromptTokens: prompt = 0, llmPer1000CompletionTokens: completion = 0 }: Partial<EnginePrices>,
): number {
  return (promptTokens * prompt + completionTokens * completion) / 1000;
}

/** Counts the sound of a recogniser, at its price. */
export function meteredRecogniser(stream: SttStream, charged: EngineCharge, call: CallContext): SttStream {
  const { sttPerMinute: price = 0 } = charged.prices;
  let samples = 0;
  charge(call, charged, 'stt', () => (samples / SAMPLES_A_MINUTE) * price);
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

/** Counts the letters of a voice, at its price. */
export function meteredVoice(stream: TtsStream, charged: EngineCharge, call: CallContext): TtsStream {
  const { ttsPer1000Characters: price = 0 } = charged.prices;
  let characters = 0;
  charge(call, charged, 'tts', () => (characters / 1000) * price);
  return {
    name: stream.name,
    async *speak(sentence, signal) {
      characters += sentence.length;
      yield* stream.speak(sentence, signal);
    },
    close: () => stream.close(),
  };
}

/** The embedded voice, which is free even where the installation's provider charges for letters. */
export function freeVoice(stream: TtsStream, { meter }: CallContext): TtsStream {
  meter?.add({ part: 'tts', credentialId: undefined, dollars: () => 0 });
  return stream;
}

/** Counts the tokens of a dialogue, at their price. */
export function meteredDialogue(
  dialogue: DialogueManager,
  charged: EngineCharge,
  call: CallContext,
): DialogueManager {
  charge(call, charged, 'llm', () => tokenDollars(dialogue.usage(), charged.prices));
  return dialogue;
}
