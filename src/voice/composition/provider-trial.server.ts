import { waveHeader } from '@northline/speech/wave-file';
import { shownSecret } from '../../kernel/config/console-settings.ts';
import { providerAddress } from '../../kernel/config/provider-address.ts';
import type { Settings } from '../../kernel/config/settings.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { openaiModel } from '../engines/providers/chat-model.server.ts';
import { openaiClient } from '../engines/providers/openai-client.server.ts';
import {
  PROVIDER_TIMEOUT_MS,
  type ProviderAccess,
  type ProviderSetting,
} from '../engines/providers/provider-access.server.ts';
import { providerGuard } from './call-providers.server.ts';

/** How one provider of the installation did. */
interface ProviderTrial {
  readonly ok: boolean;
  readonly sentence: string;
}

const QUESTION = 'Answer with one word: are you there?';
const SENTENCE = 'One, two, three, this is a trial.';
const USUAL_VOICE = 'alloy';
/** Voices send 24 000 samples a second; recognisers get them as they are, since a wave file says its rate. */
const VOICE_RATE = 24_000;
const LONGEST_ANSWER = 120;
const LONGEST_ERROR = 400;

/**
 * Tries the providers of calls that the settings name: the model answers one question, the voice says one sentence, and
 * the recogniser writes it down. Each costs its provider's price for that.
 */
export async function tryProviders(
  { VOICE_LLM_URL: model, VOICE_TTS_URL: voice, VOICE_STT_URL: recogniser }: Settings,
  { outbound, settingsStore }: Pick<Resources, 'outbound' | 'settingsStore'>,
): Promise<readonly ProviderTrial[]> {
  const results: ProviderTrial[] = [];
  const guard = providerGuard(outbound);
  const access = (setting: ProviderSetting, url: string): ProviderAccess => ({
    provider: 'openai',
    address: providerAddress(url),
    options: {},
    ...(settingsStore.wanted().originOf(setting) === 'console' && { guard }),
  });
  const attempt = async (what: string, url: string, work: () => Promise<string>): Promise<void> => {
    try {
      results.push({ ok: true, sentence: `${what} at ${shownSecret(url)}: ${await work()}` });
    } catch (error) {
      const reason = (error as Error).message.slice(0, LONGEST_ERROR);
      results.push({ ok: false, sentence: `${what} at ${shownSecret(url)}: ${reason}` });
    }
  };
  let said: Buffer | undefined;
  if (model !== '') await attempt('The model', model, () => ask(access('VOICE_LLM_URL', model)));
  if (voice !== '')
    await attempt('The voice', voice, async () => {
      said = await say(access('VOICE_TTS_URL', voice));
      return `it said one sentence in ${(said.length / 2 / VOICE_RATE).toFixed(1)} seconds of sound.`;
    });
  if (recogniser !== '')
    await attempt('The recogniser', recogniser, () => hear(access('VOICE_STT_URL', recogniser), said));
  if (results.length > 0) return results;
  return [{ ok: true, sentence: 'No provider is named: the embedded engines take every call.' }];
}

async function ask(provider: ProviderAccess): Promise<string> {
  const { model } = provider.address;
  if (/realtime/.test(model))
    throw new Error('only a call can try a realtime model: press Test Now on the site.');
  const request = { messages: [{ role: 'user' as const, content: QUESTION }], tools: [], maxTokens: 50 };
  let words = '';
  for await (const { text = '' } of openaiModel(await openaiClient(provider), model).stream(
    request,
    AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
  ))
    words += text;
  if (words.trim() === '') throw new Error('it answered without a word.');
  return `it answers “${words.trim().slice(0, LONGEST_ANSWER)}”.`;
}

async function say(provider: ProviderAccess): Promise<Buffer> {
  const { model, voice } = provider.address;
  const client = await openaiClient(provider);
  const reply = await client.audio.speech.create({
    model,
    voice: voice || USUAL_VOICE,
    input: SENTENCE,
    response_format: 'pcm',
  });
  const sound = Buffer.from(await reply.arrayBuffer());
  if (sound.length === 0) throw new Error('it sent no sound.');
  return sound;
}

async function hear(provider: ProviderAccess, said: Buffer | undefined): Promise<string> {
  if (provider.address.url.startsWith('ws'))
    throw new Error('only a call can try a recogniser that listens to a stream: press Test Now on the site.');
  const sound = said ?? Buffer.alloc(VOICE_RATE * 2);
  const wave = new Uint8Array(Buffer.concat([waveHeader(1, sound.length, VOICE_RATE), sound]));
  const file = new File([wave], 'trial.wav', { type: 'audio/wav' });
  const client = await openaiClient(provider);
  const { text } = await client.audio.transcriptions.create({
    model: provider.address.model,
    file,
  });
  return said === undefined
    ? 'it listened to a second of silence.'
    : `it heard “${text.trim().slice(0, LONGEST_ANSWER)}”.`;
}
