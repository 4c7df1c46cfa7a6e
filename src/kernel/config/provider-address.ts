/**
 * Where a provider is and how it is reached, read from an address such as `https://:KEY@host/v1?model=name`.
 */
export interface ProviderAddress {
  /** Without the key and the query. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** The voice of a speech provider; empty for the provider's own choice. */
  readonly voice: string;
}

/** Splits a configured address into its parts. The settings have checked that it is a URL. */
export function providerAddress(configured: string): ProviderAddress {
  const url = new URL(configured);
  const key = decodeURIComponent(url.password || url.username);
  const model = url.searchParams.get('model') ?? '';
  const voice = url.searchParams.get('voice') ?? '';
  url.username = '';
  url.password = '';
  url.search = '';
  return { url: url.href.replace(/\/$/, ''), key, model, voice };
}
