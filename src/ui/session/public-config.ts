import { SERVICES } from '../../kernel/contract/routes.ts';

/** What `/config.json` serves to every browser (docs/contracts/platform.md §1). */
export interface PublicConfig {
  readonly siteUrl: string;
  /** Bearer of callers without a session. */
  readonly publicKey: string;
  readonly brand: string;
  /** Bearer of POST /voice/v1/call/web from the site's pages, good for `voiceAssistantId` only. */
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
