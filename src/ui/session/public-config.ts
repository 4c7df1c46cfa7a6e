import { SERVICES } from '../../kernel/contract/routes.ts';

/** The content of `/config.json`, which every browser may read (docs/contracts/platform.md §1). */
export interface PublicConfig {
  readonly siteUrl: string;
  /** Bearer token of callers without a session. */
  readonly publicKey: string;
  readonly brand: string;
  /** Bearer token for POST /voice/v1/call/web from the site's pages; it works for `voiceAssistantId` only. */
  readonly voicePublicKey: string;
  readonly voiceAssistantId: string;
}

let loading: Promise<PublicConfig> | undefined;

/** The site's public settings, fetched once per page. @throws Error when the server does not answer */
export function publicConfig(): Promise<PublicConfig> {
  loading ??= fetch(SERVICES.config).then((reply) => {
    if (!reply.ok) throw new Error(`config.json answered ${reply.status}`);
    return reply.json() as Promise<PublicConfig>;
  });
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}
