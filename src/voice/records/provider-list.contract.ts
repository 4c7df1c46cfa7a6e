/** The parts of an assistant that a provider can supply. */
export type ProvidedEngine = 'model' | 'voice' | 'transcriber';

/** A provider that an assistant can name, and where it is. */
export interface ProviderRow {
  readonly provider: string;
  /** Its address, unless a credential's `url` names another server with the same API. */
  readonly url: string;
  /** The model that is used where the assistant names none. */
  readonly model: string;
  readonly wire: 'openai' | 'anthropic' | 'elevenlabs' | 'cartesia' | 'deepgram';
  /** Whether it may be called without a credential. */
  readonly keyless?: boolean;
}

const chat = (provider: string, url: string, model = ''): ProviderRow => ({
  provider,
  url,
  model,
  wire: 'openai',
});

/** The providers of each part of an assistant, named as the published clients name them. */
export const PROVIDERS: Readonly<Record<ProvidedEngine, readonly ProviderRow[]>> = {
  model: [
    chat('openai', 'https://api.openai.com/v1', 'gpt-4o-mini'),
    {
      provider: 'anthropic',
      url: 'https://api.anthropic.com',
      model: 'claude-3-5-haiku-latest',
      wire: 'anthropic',
    },
    { ...chat('custom-llm', ''), keyless: true },
    chat('groq', 'https://api.groq.com/openai/v1'),
    chat('openrouter', 'https://openrouter.ai/api/v1'),
    chat('together-ai', 'https://api.together.xyz/v1'),
    chat('deepinfra', 'https://api.deepinfra.com/v1/openai'),
    chat('perplexity-ai', 'https://api.perplexity.ai'),
    chat('xai', 'https://api.x.ai/v1'),
    chat('deep-seek', 'https://api.deepseek.com/v1'),
    chat('cerebras', 'https://api.cerebras.ai/v1'),
    chat('mistral', 'https://api.mistral.ai/v1'),
  ],
  voice: [
    { provider: 'openai', url: 'https://api.openai.com/v1', model: 'gpt-4o-mini-tts', wire: 'openai' },
    { provider: '11labs', url: 'https://api.elevenlabs.io', model: '', wire: 'elevenlabs' },
    { provider: 'cartesia', url: 'https://api.cartesia.ai', model: '', wire: 'cartesia' },
  ],
  transcriber: [
    { provider: 'deepgram', url: 'wss://api.deepgram.com/v1/listen', model: 'nova-3', wire: 'deepgram' },
    { provider: 'openai', url: 'https://api.openai.com/v1', model: 'gpt-4o-mini-transcribe', wire: 'openai' },
  ],
};

/** The row of a provider; undefined for one that is not connected here. */
export function providerRow(engine: ProvidedEngine, provider: string): ProviderRow | undefined {
  return PROVIDERS[engine].find((row) => row.provider === provider);
}

/** Providers whose credentials are read besides those of the engines: numbers and trunks. */
const OTHER_READ: readonly string[] = ['vonage', 'byo-sip-trunk'];

/** Whether anything here reads a credential of that provider. */
export const isCredentialRead = (provider: string): boolean =>
  OTHER_READ.includes(provider) ||
  Object.values(PROVIDERS).some((rows) => rows.some((row) => row.provider === provider));

/** Why a credential of another provider does nothing. */
export const unreadCredential = (provider: string): string =>
  `nothing here reads a credential of ${provider}; a function tool reaches an automation of yours`;
