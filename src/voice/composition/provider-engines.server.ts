import OpenAI from 'openai';
import type { Settings } from '../../kernel/config/settings.ts';
import { modelAnalyst } from '../dialogue/model/call-analysis.server.ts';
import { createModelDialogue } from '../dialogue/model/model-dialogue.server.ts';
import type { ModelTool } from '../dialogue/model/model-tools.server.ts';
import type { CallContext, SttStream, VoiceEngines } from '../engines/engines.server.ts';
import { DeepgramRecogniser } from '../engines/providers/deepgram-recogniser.server.ts';
import { type ProviderAddress, providerAddress } from '../engines/providers/provider-address.server.ts';
import { providerRecogniser } from '../engines/providers/provider-recogniser.server.ts';
import { providerVoice } from '../engines/providers/provider-voice.server.ts';

/** A provider that has not begun to answer by then counts as failed. */
const TIMEOUT_MS = 8000;

/** What a model knows of the agency, and its tools, for one call. */
export interface ModelBriefing {
  system(call: CallContext): string;
  tools(call: CallContext): Readonly<Record<string, ModelTool>>;
  /** What the assistant's files say to a question; undefined for an assistant without files. */
  context(call: CallContext): ((question: string) => Promise<string>) | undefined;
}

type ProviderSettings = Pick<Settings, 'VOICE_LLM_URL' | 'VOICE_STT_URL' | 'VOICE_TTS_URL'>;

/**
 * Puts the configured providers before the embedded engines, which answer when a provider fails in
 * mid-call. Without any provider these are the embedded engines themselves.
 */
export function withProviders(
  settings: ProviderSettings,
  embedded: VoiceEngines,
  briefing: ModelBriefing,
): VoiceEngines {
  const { VOICE_LLM_URL: llm, VOICE_STT_URL: stt, VOICE_TTS_URL: tts } = settings;
  return {
    ...embedded,
    recognition: stt === '' ? embedded.recognition : 'speech',
    ...(stt === '' ? {} : { openRecogniser: (call) => openRecogniser(providerAddress(stt), embedded, call) }),
    ...(tts === ''
      ? {}
      : {
          openVoice: async (call) => {
            const address = providerAddress(tts);
            return providerVoice(
              clientOf(address),
              { ...address, voice: voiceOf(call, address) },
              await embedded.openVoice(call),
              warnOf(call),
            );
          },
        }),
    ...(llm === ''
      ? {}
      : {
          openDialogue: async (call) => {
            const address = providerAddress(llm);
            const { model } = call.assistant;
            const client = clientOf(address);
            return createModelDialogue({
              client,
              analyse: modelAnalyst(client, address.model, call.assistant),
              model: address.model,
              system: briefing.system(call),
              tools: briefing.tools(call),
              context: briefing.context(call),
              temperature: model?.temperature,
              maxTokens: model?.maxTokens,
              fallback: await embedded.openDialogue(call),
              warn: warnOf(call),
            });
          },
        }),
  };
}

async function openRecogniser(
  address: ProviderAddress,
  embedded: VoiceEngines,
  call: CallContext,
): Promise<SttStream> {
  const fallback = embedded.recognition === 'speech' ? await embedded.openRecogniser(call) : null;
  return address.url.startsWith('ws')
    ? new DeepgramRecogniser(address, fallback, warnOf(call))
    : providerRecogniser(clientOf(address), address.model, fallback, warnOf(call));
}

function clientOf({ url, key }: ProviderAddress): OpenAI {
  return new OpenAI({ baseURL: url, apiKey: key || 'none', timeout: TIMEOUT_MS, maxRetries: 0 });
}

function voiceOf({ assistant }: CallContext, { voice }: ProviderAddress): string {
  const asked = assistant.voice?.provider === 'openai' ? assistant.voice.voiceId : undefined;
  return typeof asked === 'string' ? asked : voice;
}

const warnOf =
  (call: CallContext) =>
  (line: string): void =>
    call.log('WARN', line);
