import type { AddressInfo } from 'node:net';
import type { Settings } from './config/settings.ts';
import { mountAnalysis } from './features/analysis/mount-analysis.server.ts';
import { mountAuth } from './features/auth/mount-auth.server.ts';
import { createSessionGate } from './features/auth/session-gate.server.ts';
import { mountBilling } from './features/billing/mount-billing.server.ts';
import { mountEnquiries, receiveSpokenEnquiry } from './features/enquiries/receive-enquiry.server.ts';
import { keepCredits } from './features/files/keep-credits.server.ts';
import { mountUnknownFunctions } from './features/functions/declare-function.server.ts';
import { mountMailNotices } from './features/mailbox/receive-notices.server.ts';
import { mountMailbox } from './features/mailbox/show-mailbox.server.ts';
import { mountUnsubscribe } from './features/mailbox/unsubscribe.server.ts';
import { mountNews } from './features/news/list-news.server.ts';
import { mountOperator } from './features/operator/mount-operator.server.ts';
import { mountRealtime } from './features/realtime/mount-realtime.server.ts';
import { mountRest } from './features/rest/mount-rest.server.ts';
import { mountStatistics } from './features/statistics/show-statistics.server.ts';
import { mountStorage } from './features/storage/mount-storage.server.ts';
import { createVoiceEngines } from './features/voice/create-engines.server.ts';
import type { VoiceEngines } from './features/voice/engines.server.ts';
import { mountVoice } from './features/voice/mount-voice.server.ts';
import type { Door } from './http/door.ts';
import { mountHealth } from './http/health.ts';
import { createIdentify } from './http/identify.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import { reserveFreePort } from './http/reserve-port.ts';
import { createServer } from './http/server.ts';
import { loadStaticSite } from './http/static-site.ts';
import type { Log } from './resources/log/log.ts';
import { openResources, type Resources } from './resources/resources.ts';

/** Seconds that jobs at work may take to finish when the process stops. */
const JOB_PATIENCE_SECONDS = 5;

/** Parts that a test brings in place of the product's own. */
export interface AppParts {
  readonly voiceEngines?: VoiceEngines;
}

/** Milliseconds that requests under way may take to finish when the process stops. */
const CLOSE_PATIENCE_MS = 10_000;

/** A running product. */
export interface App {
  readonly resources: Resources;
  /** Where it listens. */
  readonly address: AddressInfo;
  /** Every route that is mounted, as `POST /functions/v1/enquiry`. */
  readonly routes: readonly string[];
  /** Finishes what is under way and closes everything. */
  close(): Promise<void>;
}

/**
 * Composition: opens the resources, gives each feature what it needs, mounts
 * what they offer, starts the jobs and listens.
 *
 * @throws Error with one sentence that the operator can act on
 */
export async function startApp(given: Settings, log: Log, parts: AppParts = {}): Promise<App> {
  const reserved = given.PORT === 0 ? await reserveFreePort(given.HOST) : undefined;
  const settings = reserved === undefined ? given : { ...given, PORT: reserved.port };
  const resources = await openResources(settings, log);
  try {
    const site = await loadStaticSite(resources);
    const server = createServer(settings, resources.siteUrl, log, site);
    const sessions = await createSessionGate(resources);
    const routes: string[] = [];
    server.addHook('onRoute', ({ method, url }) => {
      routes.push(...[method].flat().map((name) => `${name} ${url}`));
    });
    const door: Door = {
      server,
      identify: createIdentify(resources, sessions.allows),
      rateLimiter: createRateLimiter(settings.RATE_LIMITS),
      addressOf: (request) => request.ip,
    };
    const health = mountHealth(door, resources);
    mountAuth(door, resources);
    mountMailbox(door, resources);
    mountMailNotices(door, resources);
    mountUnsubscribe(door, resources);
    mountBilling(door, resources);
    mountEnquiries(door, resources);
    mountNews(door, resources);
    mountStorage(door, resources, await keepCredits(resources));
    mountStatistics(door, resources);
    mountOperator(door, resources);
    mountAnalysis(door, resources);
    const engines =
      parts.voiceEngines ??
      createVoiceEngines(resources, {
        takeEnquiry: (enquiry, callId) => receiveSpokenEnquiry(resources, enquiry, `call ${callId}`),
      });
    const voice = await mountVoice(door, resources, engines);
    mountUnknownFunctions(door);
    await mountRest(door, resources);
    await mountRealtime(door, resources, sessions.onEnded);

    await resources.jobs.start();
    await voice.closeLost();
    await reserved?.release();
    await listen(server, settings);
    health.ready();
    return {
      resources,
      address: server.server.address() as AddressInfo,
      routes,
      async close() {
        health.draining();
        await voice.close();
        // Before the server: jobs at work call it, e.g. to deliver an event to its own address.
        await resources.jobs.rest(JOB_PATIENCE_SECONDS);
        // Who is still sending or reading by then is cut off: nothing that was answered is lost.
        const patience = setTimeout(() => server.server.closeAllConnections(), CLOSE_PATIENCE_MS);
        await server.close();
        clearTimeout(patience);
        await resources.close();
      },
    };
  } catch (error) {
    // The reason for the failed start is what is told, not what its clean-up met.
    await resources.jobs.rest(JOB_PATIENCE_SECONDS).catch(() => {});
    await resources.close().catch(() => {});
    throw error;
  }
}

async function listen(server: Door['server'], settings: Settings): Promise<void> {
  try {
    await server.listen({ host: settings.HOST, port: settings.PORT });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = `${settings.HOST}:${settings.PORT}`;
    if (code === 'EADDRINUSE')
      throw new Error(`The address ${where} is in use: stop the other program or set PORT.`);
    if (code === 'EACCES') throw new Error(`This user may not listen on ${where}: set a PORT above 1023.`);
    throw new Error(`Cannot listen on ${where}: ${message}.`, { cause: error });
  }
}
