import type { InstalledContent, PublishedSite, SiteContent } from '../../kernel/contract/site-content.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import type { Log } from '../../kernel/resources/log/log.ts';
import type { SettingsStore } from '../../kernel/resources/stored-settings.ts';

/** Puts published content in force. */
export interface ContentStore {
  /** Number of the version in force; 0 while nothing was published. */
  version(): number;
  /** Reads the newest version and puts it in force here, with the pages; at once after publishing. */
  refresh(): Promise<void>;
  /** Calls `listener` after each change, here or in another process. */
  onChange(listener: () => Promise<void>): void;
}

interface Parts {
  readonly database: Database;
  readonly log: Log;
  readonly settingsStore: SettingsStore;
  readonly site: PublishedSite;
  /** Prints and serves the pages with the content in force. */
  renew(): Promise<void>;
}

/**
 * Opens the content of the site and follows what is published in any process.
 *
 * @param parts `renew` fails where a page cannot be printed: then the former pages stay, and it is logged
 */
export async function openContent({
  database,
  log,
  settingsStore,
  site,
  renew,
}: Parts): Promise<ContentStore> {
  let version = 0;
  const listeners: (() => Promise<void>)[] = [];
  let working = Promise.resolve();

  async function read(): Promise<void> {
    const newest = await database.maybe(
      'select id, content, plans from private.site_versions order by id desc limit 1',
    );
    if (newest === undefined || newest.id === version) return;
    site.install({
      content: newest.content as SiteContent,
      ...(newest.plans !== null && {
        plans: newest.plans as unknown as NonNullable<InstalledContent['plans']>,
      }),
    });
    await renew();
    for (const listener of listeners) await listener();
    // Last: what failed is tried again by the next who asks.
    version = newest.id;
  }
  const refresh = (): Promise<void> => {
    const next = working.then(read);
    working = next.catch(() => {});
    return next;
  };

  await refresh();
  const follow = (): void =>
    void refresh().catch((error) => log.error({ err: error }, 'the published content could not be shown'));
  await database.listen('site_content', follow, follow);
  // Pages say how many credits are free.
  settingsStore.onChange(renew);
  return {
    version: () => version,
    refresh,
    onChange: (listener) => void listeners.push(listener),
  };
}
