import type net from 'node:net';
import type { ProvidedEngine } from '../../records/provider-list.contract.ts';
import type { CallContext, EnginePrices } from '../engines.server.ts';
import type { ProviderAddress } from './provider-address.server.ts';

/** How a provider is reached for one call. */
export interface ProviderAccess {
  /** Its name, as an assistant and a credential write it. */
  readonly provider: string;
  readonly address: ProviderAddress;
  /** What else the assistant says of it: language, speed and so on. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Of an address that the operator did not set: requests and sockets that refuse private ones. */
  readonly guard?: ProviderGuard;
  /** The credential that it is paid by, and what it charges. */
  readonly credentialId?: string;
  readonly prices?: Partial<EnginePrices>;
}

/** Connections to addresses that come with an assistant. */
export interface ProviderGuard {
  readonly fetch: typeof fetch;
  /** @throws Error where the address may not be called */
  socket(url: string): { readonly lookup?: net.LookupFunction };
}

/** Chooses the provider of an engine for one call; undefined where the assistant names none that can be reached. */
export type ProviderChooser = (
  call: CallContext,
  engine: ProvidedEngine,
) => Promise<ProviderAccess | undefined>;

/** A provider that has not begun to answer by then counts as failed, ms. */
export const PROVIDER_TIMEOUT_MS = 8000;

/** A text of the options, or what stands for it. */
export function optionText(
  options: Readonly<Record<string, unknown>>,
  name: string,
  otherwise: string,
): string {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

/** A request that a provider has to begin to answer in time; the answer itself may take as long as it plays. */
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
