import type { OpenAI } from 'openai';
import { PROVIDER_TIMEOUT_MS, type ProviderAccess } from './provider-access.server.ts';

/**
 * A client of a provider that offers OpenAI's API. Failed requests are not repeated. The library is loaded at the first
 * call, as most installations name no provider.
 */
export async function openaiClient({ address: { url, key }, guard }: ProviderAccess): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    baseURL: url,
    apiKey: key || 'none',
    timeout: PROVIDER_TIMEOUT_MS,
    maxRetries: 0,
    ...(guard === undefined ? {} : { fetch: guard.fetch }),
  });
}
