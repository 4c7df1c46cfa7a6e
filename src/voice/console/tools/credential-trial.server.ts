import type { Resources } from '../../../kernel/resources/resources.ts';
import { PROVIDERS, type ProviderRow } from '../../records/provider-list.contract.ts';
import type { CredentialTrial } from './tools.contract.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a provider of a kind is asked whether it accepts a key, without a charge. */
interface Question {
  /** The address below that of the provider. */
  readonly path: string;
  headers(key: string): Readonly<Record<string, string>>;
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const QUESTIONS: Readonly<Record<ProviderRow['wire'], Question>> = {
  openai: { path: '/models', headers: bearer },
  anthropic: {
    path: '/v1/models',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  elevenlabs: { path: '/v1/voices', headers: (key) => ({ 'xi-api-key': key }) },
  cartesia: {
    path: '/voices',
    headers: (key) => ({ 'x-api-key': key, 'cartesia-version': '2025-04-16' }),
  },
  deepgram: { path: '/v1/projects', headers: (key) => ({ authorization: `Token ${key}` }) },
};
const REPLY_BYTES = 64 * 1024;
const PATIENCE_MS = 10_000;

const rowOf = (provider: string): ProviderRow | undefined =>
  Object.values(PROVIDERS)
    .flat()
    .find((row) => row.provider === provider);

/** Whether a provider can be asked from here. */
export const canTry = (provider: string): boolean => rowOf(provider) !== undefined;

/** Asks a credential's provider for a list that every key may read; it costs nothing. */
export async function tryCredential(
  { outbound }: Pick<Resources, 'outbound'>,
  credential: Fields,
): Promise<CredentialTrial['results'][number]> {
  const provider = String(credential.provider);
  const row = rowOf(provider);
  if (row === undefined) return failed(`Only a call or a number can try a credential of ${provider}.`);
  const own = typeof credential.url === 'string' ? credential.url : '';
  const base = baseOf(own === '' ? row.url : own, row);
  if (base === undefined)
    return failed(`This credential of ${provider} names no address that could be asked.`);
  const { path, headers } = QUESTIONS[row.wire];
  const key = typeof credential.apiKey === 'string' ? credential.apiKey : '';
  try {
    const { status } = await outbound.request({
      ...{ url: `${base}${path}`, method: 'GET', headers: { ...headers(key), accept: 'application/json' } },
      ...{ maxBytes: REPLY_BYTES, headersMs: PATIENCE_MS, totalMs: PATIENCE_MS },
    });
    if (status >= 200 && status < 300) return { ok: true, sentence: `${provider} accepts the key.` };
    if (status === 401 || status === 403) return failed(`${provider} refuses the key (${status}).`);
    return failed(`${provider} answers ${status}: this says nothing about the key.`);
  } catch (error) {
    return failed(`${provider} cannot be asked: ${(error as Error).message}`);
  }
}

const failed = (sentence: string): CredentialTrial['results'][number] => ({ ok: false, sentence });

/** The address of a provider's API; its streams have the same host. */
function baseOf(url: string, { wire }: ProviderRow): string | undefined {
  if (!URL.canParse(url)) return undefined;
  if (wire === 'deepgram') return new URL(url.replace(/^ws/, 'http')).origin;
  return url.replace(/\/chat\/completions\/?$/, '').replace(/\/$/, '');
}
