import type net from 'node:net';
import type { ProviderAddress } from '../../../kernel/config/provider-address.ts';
import type { ProvidedEngine } from '../../records/provider-list.contract.ts';
import type { CallContext, EnginePrices } from '../engines.server.ts';

/** How a provider is reached for one call. */
export interface ProviderAccess {
  /** Its name, as assistants and credentials spell it. */
  readonly provider: string;
  readonly address: ProviderAddress;
  /** The assistant's other settings for it: language, speed and so on. */
  readonly options: Readonly<Record<string, unknown>>;
  /**
   * Set for an address that the operator did not choose: its requests and sockets refuse private addresses.
   */
  readonly guard?: ProviderGuard;
  /** The credential that pays for it, and the provider's prices. */
  readonly credentialId?: string;
  readonly prices?: Partial<EnginePrices>;
}

/** Connections to addresses that come with an assistant, or that an operator wrote at the console. */
export interface ProviderGuard {
  readonly fetch: typeof fetch;
  /** @throws Error where the address may not be called */
  socket(url: string): { readonly lookup?: net.LookupFunction };
}

/**
 * Chooses the provider of an engine for one call; undefined where the assistant names none that can be
 * reached.
 */
export interface ProviderChooser {
  (call: CallContext, engine: ProvidedEngine): Promise<ProviderAccess | undefined>;
  /** The guard of the installation's own provider; undefined where the environment names it. */
  guardOf?(setting: ProviderSetting): ProviderGuard | undefined;
}

/** The settings that name the installation's own providers. */
export type ProviderSetting = 'VOICE_LLM_URL' | 'VOICE_STT_URL' | 'VOICE_TTS_URL';

/** A provider that has not begun to answer after this many ms counts as failed. */
export const PROVIDER_TIMEOUT_MS = 8000;

/** A text of the options, or the fallback where there is none. */
export function optionText(
  options: Readonly<Record<string, unknown>>,
  name: string,
  otherwise: string,
): string {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

/**
 * Sends a request that has to begin to be answered in time; reading the answer may take as long as the sound
 * plays.
 */
export async function fetchInTime(
  send: typeof fetch,
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error('The provider did not answer in time.')),
    PROVIDER_TIMEOUT_MS,
  );
  try {
    const reply = await send(url, { ...init, signal: AbortSignal.any([init.signal, late.signal]) });
    if (!reply.ok) {
      await reply.body?.cancel();
      throw new Error(`it answered ${reply.status}`);
    }
    return reply;
  } finally {
    clearTimeout(timer);
  }
}
