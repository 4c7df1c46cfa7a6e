import { providerAddress } from '../../kernel/config/provider-address.ts';
import type { Settings } from '../../kernel/config/settings.ts';
import { modelAnalyst } from '../dialogue/model/call-analysis.server.ts';
import { createModelDialogue } from '../dialogue/model/model-dialogue.server.ts';
import type { ModelTool } from '../dialogue/model/model-tools.server.ts';
import { createRealtimeDialogue } from '../dialogue/model/realtime-dialogue.server.ts';
import type {
  CallContext,
  DialogueManager,
  SttStream,
  TtsStream,
  VoiceEngines,
} from '../engines/engines.server.ts';
import { anthropicModel } from '../engines/providers/anthropic-model.server.ts';
import { type ChatModel, openaiModel } from '../engines/providers/chat-model.server.ts';
import { DeepgramRecogniser } from '../engines/providers/deepgram-recogniser.server.ts';
import { openaiClient } from '../engines/providers/openai-client.server.ts';
import {
  optionText,
  PROVIDER_TIMEOUT_MS,
  type ProviderAccess,
  type ProviderChooser,
  type ProviderGuard,
  type ProviderSetting,
} from '../engines/providers/provider-access.server.ts';
import { providerRecogniser } from '../engines/providers/provider-recogniser.server.ts';
import { providerVoice } from '../engines/providers/provider-voice.server.ts';
import {
  cartesiaRequest,
  elevenLabsRequest,
  requestedVoice,
} from '../engines/providers/speech-request.server.ts';
import { RealtimeRecogniser } from '../engines/realtime/realtime-recogniser.server.ts';
import { realtimeVoice } from '../engines/realtime/realtime-voice.server.ts';
import type { ProvidedEngine } from '../records/provider-list.contract.ts';
import {
  chargeOf,
  freeVoice,
  isPriced,
  meteredDialogue,
  meteredHearing,
  meteredRecogniser,
  meteredSpeech,
  meteredVoice,
} from './metered-engines.server.ts';
import { createRealtimeCalls, type RealtimeCall } from './realtime-calls.server.ts';

/** What a model knows about the agency, and its tools, for one call. */
export interface ModelBriefing {
  system(call: CallContext): string;
  tools(
    call: CallContext,
  ): Readonly<Record<string, ModelTool>> | Promise<Readonly<Record<string, ModelTool>>>;
  /**
   * Searches the assistant's files for passages about a question; undefined for an assistant without files.
   */
  context(call: CallContext): ((question: string) => Promise<string>) | undefined;
}

type ProviderSettings = Pick<Settings, ProviderSetting>;
/**
 * The text model that summarises realtime calls, paid for by their credential: the realtime API does not give
 * a text alone.
 */
const TEXT_MODEL = 'gpt-4o-mini';
const SETTING_OF = { model: 'VOICE_LLM_URL', transcriber: 'VOICE_STT_URL', voice: 'VOICE_TTS_URL' } as const;

/**
 * Puts providers before the embedded engines: those that the call's assistant names, otherwise the
 * installation's. When a provider fails during a call, the embedded engine takes over. Without any provider
 * the embedded engines are returned as they are.
 */
export function withProviders(
  settings: ProviderSettings,
  embedded: VoiceEngines,
  briefing: ModelBriefing,
  choose: ProviderChooser = async () => undefined,
): VoiceEngines {
  const accessFor = async (call: CallContext, engine: ProvidedEngine): Promise<ProviderAccess | undefined> =>
    (await choose(call, engine)) ??
    // A voice that only this server has comes before the installation's provider.
    (engine === 'voice' && embedded.ownVoice?.(call.assistant) !== undefined
      ? undefined
      : configured(settings[SETTING_OF[engine]], call, engine, choose.guardOf?.(SETTING_OF[engine])));
  const realtimeOf = createRealtimeCalls(settings, {
    accessFor,
    choose,
    ownVoice: (assistant) => embedded.ownVoice?.(assistant),
  });
  return {
    ...embedded,
    // Without a recogniser and a provider, opening fails, and callers type.
    recognition: 'speech',
    async openRecogniser(call) {
      const realtime = await realtimeOf(call);
      if (realtime?.hears === true && !realtime.session.hears)
        return realtimeRecogniserOf(realtime, embedded, call);
      const access = await accessFor(call, 'transcriber');
      if (access === undefined) return embedded.openRecogniser(call);
      const recogniser = await recogniserOf(access, await embeddedRecogniser(embedded, call), warnOf(call));
      return meteredRecogniser(recogniser, chargeOf('transcriber', access, embedded.prices), call);
    },
    async openVoice(call) {
      const realtime = await realtimeOf(call);
      if (realtime?.speaks === true && !realtime.session.speaks)
        return realtimeVoiceOf(realtime, embedded, call);
      const [access, fallback] = await Promise.all([accessFor(call, 'voice'), embedded.openVoice(call)]);
      if (access === undefined) return freeVoice(fallback, call);
      const voice = await voiceOf(access, fallback, warnOf(call));
      return meteredVoice(voice, chargeOf('voice', access, embedded.prices), call);
    },
    async openDialogue(call) {
      const realtime = await realtimeOf(call);
      if (realtime !== undefined) return realtimeDialogueOf(realtime, embedded, { briefing, call });
      const [access, fallback] = await Promise.all([accessFor(call, 'model'), embedded.openDialogue(call)]);
      if (access === undefined) return fallback;
      const dialogue = await dialogueOf(access, fallback, briefing, call);
      return meteredDialogue(dialogue, chargeOf('model', access, embedded.prices), call);
    },
    async provided(call, engine) {
      const [realtime, access] = await Promise.all([realtimeOf(call), accessFor(call, engine)]);
      return access !== undefined || realtime !== undefined;
    },
    async charges(call, engine) {
      const realtime = await realtimeOf(call);
      if (engine === 'transcriber' && realtime?.hears === true && !realtime.session.hears) return false;
      if (engine === 'voice' && realtime?.speaks === true)
        return isPriced('model', chargeOf('model', realtime.access, embedded.prices));
      const access = await accessFor(call, engine);
      return access !== undefined && isPriced(engine, chargeOf(engine, access, embedded.prices));
    },
  };
}

/** The recogniser that listens beside a provider's. */
async function embeddedRecogniser(embedded: VoiceEngines, call: CallContext): Promise<SttStream | null> {
  return embedded.recognition === 'speech' ? embedded.openRecogniser(call) : null;
}

/**
 * The recogniser of a call's realtime session. There is one only, since what others say is not a turn of the
 * caller's.
 */
async function realtimeRecogniserOf(
  { session, access }: RealtimeCall,
  embedded: VoiceEngines,
  call: CallContext,
): Promise<SttStream> {
  session.hears = true;
  meteredHearing(call);
  const fallback = await embeddedRecogniser(embedded, call);
  const recogniser = new RealtimeRecogniser(access.address.model, session, fallback);
  // Connects in advance, before the caller has spoken; the call's log shows a refusal.
  session.open().catch(() => {});
  return recogniser;
}

async function realtimeVoiceOf(
  { session, access }: RealtimeCall,
  embedded: VoiceEngines,
  call: CallContext,
): Promise<TtsStream> {
  session.speaks = true;
  meteredSpeech(session, chargeOf('model', access, embedded.prices), call);
  const fallback = await embedded.openVoice(call);
  const voice = realtimeVoice(access.address.model, session, fallback);
  session.open().catch(() => {});
  return voice;
}

async function realtimeDialogueOf(
  { session, access }: RealtimeCall,
  embedded: VoiceEngines,
  { briefing, call }: { readonly briefing: ModelBriefing; readonly call: CallContext },
): Promise<DialogueManager> {
  const fallback = await embedded.openDialogue(call);
  const { maxTokens, temperature } = call.assistant.model ?? {};
  if (temperature !== undefined) call.log('WARN', 'model.temperature: a realtime session has none');
  const dialogue = createRealtimeDialogue({
    name: access.address.model,
    session,
    analyse: modelAnalyst(openaiModel(await openaiClient(access), TEXT_MODEL), call.assistant),
    system: briefing.system(call),
    tools: await briefing.tools(call),
    context: briefing.context(call),
    maxTokens,
    fallback,
  });
  return meteredDialogue(dialogue, chargeOf('model', access, embedded.prices), call);
}

/** The installation's own provider, with the voice that the assistant asks for. */
function configured(
  setting: string,
  { assistant }: CallContext,
  engine: ProvidedEngine,
  guard: ProviderGuard | undefined,
): ProviderAccess | undefined {
  if (setting === '') return undefined;
  const address = providerAddress(setting);
  const voice: Readonly<Record<string, unknown>> = assistant.voice ?? {};
  const asked =
    engine === 'voice' && voice.provider === 'openai'
      ? optionText(voice, 'voiceId', address.voice)
      : address.voice;
  const wire = address.url.startsWith('ws') ? 'deepgram' : 'openai';
  return { provider: wire, address: { ...address, voice: asked }, options: {}, ...(guard && { guard }) };
}

async function recogniserOf(
  access: ProviderAccess,
  fallback: SttStream | null,
  warn: (line: string) => void,
): Promise<SttStream> {
  const { provider, address, options, guard } = access;
  if (provider !== 'deepgram') {
    const language = optionText(options, 'language', 'en');
    return providerRecogniser(await openaiClient(access), { model: address.model, language }, fallback, warn);
  }
  const words = (name: string): (readonly [string, string])[] => {
    const given = options[name];
    return (Array.isArray(given) ? given : []).flatMap((one) =>
      typeof one === 'string' ? [[name, one] as const] : [],
    );
  };
  const language = optionText(options, 'language', '');
  const query = [
    ...(language === '' ? [] : [['language', language] as const]),
    ...words('keywords'),
    ...words('keyterm'),
  ];
  return new DeepgramRecogniser(address, fallback, warn, {
    query,
    ...(guard === undefined ? {} : { socket: guard.socket }),
  });
}

async function voiceOf(
  access: ProviderAccess,
  fallback: TtsStream,
  warn: (line: string) => void,
): Promise<TtsStream> {
  const { provider, address, options } = access;
  if (provider === '11labs') return requestedVoice(access, elevenLabsRequest(access), fallback, warn);
  if (provider === 'cartesia') return requestedVoice(access, cartesiaRequest(access), fallback, warn);
  const speed = typeof options.speed === 'number' ? options.speed : undefined;
  return providerVoice(await openaiClient(access), { ...address, speed }, fallback, warn);
}

async function dialogueOf(
  access: ProviderAccess,
  fallback: DialogueManager,
  briefing: ModelBriefing,
  call: CallContext,
): Promise<DialogueManager> {
  const model = await modelOf(access);
  const { temperature, maxTokens } = call.assistant.model ?? {};
  return createModelDialogue({
    model,
    analyse: modelAnalyst(model, call.assistant),
    system: briefing.system(call),
    tools: await briefing.tools(call),
    context: briefing.context(call),
    temperature,
    maxTokens,
    fallback,
    warn: warnOf(call),
  });
}

async function modelOf(access: ProviderAccess): Promise<ChatModel> {
  const { provider, address, guard } = access;
  if (provider !== 'anthropic') return openaiModel(await openaiClient(access), address.model);
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    baseURL: address.url,
    apiKey: address.key,
    timeout: PROVIDER_TIMEOUT_MS,
    maxRetries: 0,
    ...(guard === undefined ? {} : { fetch: guard.fetch }),
  });
  return anthropicModel(client, address.model);
}

const warnOf =
  (call: CallContext) =>
  (line: string): void =>
    call.log('WARN', line);
