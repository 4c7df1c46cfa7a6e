import { mkdirSync } from 'node:fs';
import type { Settings } from '../config/settings.ts';
import { withSiteContent } from '../config/site-settings.ts';
import { PublishedSite } from '../contract/site-content.ts';
import { waitAtMost } from './bounded-wait.ts';
import { type Keys, loadKeys, watchKeys } from './crypto/keys.ts';
import { createTokens, type Tokens } from './crypto/tokens.ts';
import type { Database } from './database/database.ts';
import { openDatabase } from './database/database-open.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import type { Log } from './log/log.ts';
import { createMailer, type Mailer } from './mailer/mail-queue.ts';
import { type NewObjects, rememberNewObjects } from './object-store/new-objects.ts';
import type { ObjectStore } from './object-store/object-store.ts';
import { openObjectStore, storageAddress } from './object-store/object-store-open.ts';
import { approveAddress, createOutboundHttp, type OutboundHttp } from './outbound-http/outbound-http.ts';
import { type Outbox, openOutbox } from './outbound-http/outbox.ts';
import { configuredTargets } from './outbound-http/webhook-targets.ts';
import { createPush, type Push } from './push/push.ts';
import type { Sms } from './sms/sms.ts';
import { createSms } from './sms/sms-open.ts';
import { openSettingsStore, type SettingsStore } from './stored-settings.ts';
import type { Tracing } from './tracing/tracing.ts';
import { openTracing } from './tracing/tracing-open.ts';

/**
 * Milliseconds that running jobs have when the process stops. A job that takes longer loses its connection,
 * and is repeated at the next start.
 */
const JOBS_CLOSE_MS = 500;

/** What all features use. Opened once; `app.ts` passes it to each feature. */
export interface Resources {
  /** Those of the console among them may change while the process runs: read them at each use. */
  readonly settings: Settings;
  /** The content in force: read it at each use. */
  readonly site: PublishedSite;
  /** What operators decided at the console. */
  readonly settingsStore: SettingsStore;
  /** Public address of the site, without a trailing slash. */
  readonly siteUrl: string;
  readonly keys: Keys;
  readonly tokens: Tokens;
  readonly database: Database;
  readonly jobs: Jobs;
  readonly objects: ObjectStore;
  /** Objects that an archive of the write-ahead log has to copy before it names them. */
  readonly newObjects: NewObjects;
  readonly mailer: Mailer;
  /** Notices to browsers. */
  readonly push: Push;
  /** Text messages to phones. */
  readonly sms: Sms;
  /** Calls to other servers, private addresses refused. */
  readonly outbound: OutboundHttp;
  /** Events for other servers, delivered at least once. */
  readonly outbox: Outbox;
  readonly log: Log;
  readonly tracing: Tracing;
  /** Closes everything, in an order that loses nothing. */
  close(): Promise<void>;
}

/** The agency as its pages, mails and files name and show it. */
export interface Agency extends Pick<Resources, 'site'> {
  readonly settings: Pick<Settings, 'BRAND' | 'CONTACT_EMAIL'>;
}

/**
 * Opens every resource that the settings name.
 *
 * @throws Error with one sentence that the operator can act on
 */
export async function openResources(environment: Settings, log: Log): Promise<Resources> {
  const site = new PublishedSite();
  const given = withSiteContent(environment, site);
  // Throws for a mistake in AUTOMATION_URLS, before anything is opened.
  configuredTargets(given);
  try {
    // As root the database runs as another account, which has to pass through, and never reads a list of the files.
    mkdirSync(given.DATA_DIR, { recursive: true, mode: process.geteuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    throw new Error(`The data folder ${given.DATA_DIR} cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  const keys = await loadKeys(given.DATA_DIR).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new Error(`The data folder ${given.DATA_DIR} cannot be written: ${error.message}.`, {
      cause: error,
    });
  });
  // Opened before the database, which would have to be closed again if the store cannot be opened.
  const store = await openObjectStore(storageAddress(given), given.DATA_DIR);
  const { objects, newObjects } = rememberNewObjects(store);
  const tracing = await openTracing(given, log);
  const { database, alone, close } = await openDatabase(given, keys, { log, tracing });
  const settingsStore = await openSettingsStore({ settings: given, database, keys, log });
  const { settings } = settingsStore;
  const jobs = createJobs(database, alone, { log, tracing });
  const outbound = createOutboundHttp(settings.OUTBOUND_ALLOW_HOSTS);
  return {
    settings,
    site,
    settingsStore,
    siteUrl: siteUrlOf(settings),
    keys,
    tokens: await createTokens(
      keys,
      watchKeys(settings.DATA_DIR, (error) => log.error({ err: error }, 'keys.json cannot be read')),
    ),
    database,
    jobs,
    objects,
    newObjects,
    mailer: createMailer({
      settings,
      site,
      siteUrl: siteUrlOf(settings),
      keys,
      database,
      jobs,
      log,
      // The environment may name any server, people at the console only public ones.
      approve: async (url) => {
        if (settingsStore.wanted().originOf('SMTP_URL') === 'console') await approveAddress(outbound, url);
      },
    }),
    push: createPush({ settings, keys, database, jobs, log }),
    sms: createSms(settings, database, jobs, outbound),
    outbound,
    outbox: await openOutbox({ settings, keys, database, jobs, outbound, log }),
    log,
    tracing,
    async close() {
      await waitAtMost(JOBS_CLOSE_MS, jobs.stop()).catch((error) =>
        log.warn({ err: error }, 'the job queue did not close'),
      );
      await close();
      await tracing.close();
    },
  };
}

/** The public address of the site by the settings, without a trailing slash. */
export function siteUrlOf(settings: Settings): string {
  if (settings.SITE_URL !== '') return settings.SITE_URL.replace(/\/$/, '');
  const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST;
  return `http://${host}:${settings.PORT}`;
}
