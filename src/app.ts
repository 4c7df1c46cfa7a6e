import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { createKeyGate, type KeyGate } from './business/api-keys/api-key-gate.server.ts';
import { mountApiKeys } from './business/api-keys/api-key-routes.server.ts';
import { AVATAR_RULES } from './business/avatars/avatar-rules.server.ts';
import { scheduleBackups } from './business/backup/backup-schedule.server.ts';
import { scheduleVerification } from './business/backup/verification-schedule.server.ts';
import { type ScheduledArchive, scheduleWalArchive } from './business/backup/wal/wal-schedule.server.ts';
import { mountBilling } from './business/billing/billing-routes.server.ts';
import { createFreeCredits } from './business/billing/customers/free-credits.server.ts';
import { openStripeEmulator } from './business/billing/stripe-emulator.server.ts';
import { mountBookings } from './business/bookings/booking-routes.server.ts';
import { mountConsole } from './business/console/console-routes.server.ts';
import { mountDemoData } from './business/console/demo/demo-data.server.ts';
import { type ContentStore, openContent } from './business/content/content-store.server.ts';
import { mountCourses } from './business/courses/course-routes.server.ts';
import { createCourseRules } from './business/courses/course-rules.server.ts';
import { mountAnalysis } from './business/documents/analysis-routes.server.ts';
import { mountEnquiries, receiveSpokenEnquiry } from './business/enquiries/enquiry-receipt.server.ts';
import { createCreditReservation } from './business/files/credit-reservation.server.ts';
import { mountInbox } from './business/inbox/inbox-routes.server.ts';
import { mountDeliveryReports } from './business/mailbox/delivery-reports.server.ts';
import { mountMailbox } from './business/mailbox/mailbox-page.server.ts';
import { mountUnsubscribe } from './business/mailbox/unsubscribe.server.ts';
import { mountMcp } from './business/mcp/mcp-routes.server.ts';
import { mountMessages } from './business/messages/message-routes.server.ts';
import { mountMetrics } from './business/monitoring/metrics-route.server.ts';
import { mountNews } from './business/news/news-list.server.ts';
import { mountPrivacy } from './business/privacy/personal-data.server.ts';
import { mountPush } from './business/push/push-devices.server.ts';
import { mountStatistics } from './business/statistics/statistics-section.server.ts';
import { mountTeams } from './business/teams/team-routes.server.ts';
import type { LogPart, Settings } from './kernel/config/settings.ts';
import { AVATARS_BUCKET } from './kernel/contract/avatars.ts';
import { COURSE_VIDEOS_BUCKET } from './kernel/contract/limits.ts';
import { mountUnknownFunctions } from './kernel/functions/function-declaration.server.ts';
import { createAuthenticator } from './kernel/http/authenticate.ts';
import { mountHealth } from './kernel/http/health.ts';
import { createHeavyQueue } from './kernel/http/heavy-queue.ts';
import type { HttpContext } from './kernel/http/http-context.ts';
import { inheritedSocket, listenOnInherited, reserveFreePort } from './kernel/http/port-reservation.ts';
import { createRateLimiter } from './kernel/http/rate-limit.ts';
import { traceRequests } from './kernel/http/request-tracing.ts';
import { createServer, type HttpServer } from './kernel/http/server.ts';
import { announceStop, drainServer } from './kernel/http/server-drain.ts';
import { openSharedLimits } from './kernel/http/shared-limits.ts';
import { loadStaticSite } from './kernel/http/site/static-site.ts';
import { mountWellKnown } from './kernel/http/site/well-known.ts';
import type { PasswordCost } from './kernel/resources/crypto/passwords.ts';
import { type Log, logOfPart } from './kernel/resources/log/log.ts';
import { openResources, type Resources } from './kernel/resources/resources.ts';
import { mountAuth } from './platform/auth/auth-routes.server.ts';
import { createFactorRequirement } from './platform/auth/factors/factor-requirement.server.ts';
import { createSessionGate, type SessionGate } from './platform/auth/sessions/session-gate.server.ts';
import { mountRealtime } from './platform/realtime/realtime-routes.server.ts';
import { mountRest } from './platform/rest/rest-routes.server.ts';
import { mountStorage } from './platform/storage/storage-routes.server.ts';
import { mountVoice } from './voice/api/voice-routes.server.ts';
import { createVoiceEngines } from './voice/composition/engine-creation.server.ts';
import { tryProviders } from './voice/composition/provider-trial.server.ts';
import type { VoiceEngines } from './voice/engines/engines.server.ts';
import { tryTrunks } from './voice/telephony/phone/trunk-trial.server.ts';

/** Seconds that running jobs have to finish when the process stops. */
const JOB_PATIENCE_SECONDS = 4;

/** What the process adds to the product, and parts that a test puts in place of the product's own. */
export interface AppParts {
  /** Ends the process in order, after which it is started anew; missing where nobody would start it. */
  readonly restart?: () => void;
  readonly voiceEngines?: VoiceEngines;
  /** A cheaper password hash than in production; no setting can choose it. */
  readonly passwordCost?: PasswordCost;
}

/** A running product. */
export interface App {
  readonly resources: Resources;
  /** The address on which it listens. */
  readonly address: AddressInfo;
  /** Every mounted route, as `POST /functions/v1/enquiry`. */
  readonly routes: readonly string[];
  /** Finishes running work and closes everything. */
  close(): Promise<void>;
}

/**
 * Composition: opens the resources, gives each feature the parts that it needs, mounts their routes, starts the jobs and
 * listens.
 *
 * @throws Error with one sentence that the operator can act on
 */
export async function startApp(given: Settings, log: Log, parts: AppParts = {}): Promise<App> {
  const reserved = given.PORT === 0 ? await reserveFreePort(given.HOST) : undefined;
  const resources = await openResources(withPort(given, reserved?.port), log);
  const { settings } = resources;
  try {
    const pages = await loadStaticSite(resources);
    const content = await openContent({ ...resources, renew: pages.renew });
    /** The resources for one part, whose log has its own level. */
    const of = (part: LogPart): Resources => ({ ...resources, log: logOfPart(log, part, settings) });
    const { server, upgrades } = createServer(settings, resources.siteUrl, of('requests').log, pages);
    traceRequests(server, resources.tracing);
    const sessions = await createSessionGate(resources);
    const keyGate = createKeyGate(resources);
    const routes: string[] = [];
    server.addHook('onRoute', ({ method, url }) => {
      routes.push(...[method].flat().map((name) => `${name} ${url}`));
    });
    const http = createHttpContext({ server, upgrades }, resources, { sessions, keyGate });
    mountMetrics(http, resources);
    const health = mountHealth(http, resources);
    mountWellKnown(http, resources);
    mountAuth(http, of('auth'), createFreeCredits(of('billing')), parts.passwordCost);
    const bookings = mountBookings(http, resources);
    const archive = await mountBusiness(http, resources, { ...parts, of, content, keyGate });
    const engines =
      parts.voiceEngines ??
      createVoiceEngines(of('voice'), {
        bookings,
        takeEnquiry: (enquiry, callId) =>
          receiveSpokenEnquiry(resources, enquiry, { address: `call ${callId}` }),
      });
    const voice = await mountVoice(http, of('voice'), {
      engines,
      takeMessage: (message, origin) => receiveSpokenEnquiry(resources, { ...message, phone: null }, origin),
    });
    mountUnknownFunctions(http);
    await mountRest(http, of('rest'));
    await mountRealtime(http, of('realtime'), sessions.onEnded);

    await resources.jobs.start();
    await voice.closeLost();
    reserved?.handTo(server.server);
    await listen(server, settings);
    health.ready();
    return {
      resources,
      address: server.server.address() as AddressInfo,
      routes,
      async close() {
        health.draining();
        await announceStop(server, {
          seconds: settings.DRAIN_SECONDS,
          callSeconds: settings.CALL_DRAIN_SECONDS,
          isBusy: voice.isBusy,
        });
        await drainServer(server, async () => {
          await voice.close();
          // Before the server, as running jobs call it, e.g. to deliver an event to its own address.
          await resources.jobs.rest(JOB_PATIENCE_SECONDS);
          await server.close();
          await archive.finish();
        }).catch((error) => log.error({ err: error }, 'running work could not be finished'));
        await resources.close();
      },
    };
  } catch (error) {
    // A failure of the clean-up must not hide why the start failed.
    await resources.jobs.rest(JOB_PATIENCE_SECONDS).catch(() => {});
    await resources.close().catch(() => {});
    await reserved?.release();
    throw error;
  }
}

const withPort = (given: Settings, port = given.PORT): Settings => ({ ...given, PORT: port });

/** What features mount their routes on: the server, with the checks and limits of every request. */
function createHttpContext(
  { server, upgrades }: HttpServer,
  resources: Resources,
  { sessions, keyGate }: { sessions: SessionGate; keyGate: KeyGate },
): HttpContext {
  return {
    server,
    upgrades,
    authenticate: createAuthenticator(resources, sessions.allows, keyGate.callerOf),
    requireSecondFactor: createFactorRequirement(resources),
    recordKeyWrite: keyGate.recordWrite,
    rateLimiter: createRateLimiter(resources.settings.RATE_LIMITS, openSharedLimits(resources)),
    heavyQueues: { customers: createHeavyQueue(os.availableParallelism()), agency: createHeavyQueue(1) },
    addressOf: (request) => request.ip,
  };
}

interface BusinessParts extends Pick<AppParts, 'restart'> {
  readonly of: (part: LogPart) => Resources;
  readonly content: ContentStore;
  readonly keyGate: KeyGate;
}

async function mountBusiness(
  http: HttpContext,
  resources: Resources,
  { of, content, keyGate, restart }: BusinessParts,
): Promise<ScheduledArchive> {
  const hasStripe = resources.settings.STRIPE_SECRET_KEY !== '';
  mountMailbox(http, resources);
  mountDeliveryReports(http, resources);
  mountUnsubscribe(http, resources);
  const embedded = hasStripe ? undefined : openStripeEmulator(http, resources);
  const payments = mountBilling(http, of('billing'), embedded);
  mountEnquiries(http, resources);
  mountNews(http, resources);
  await mountStorage(http, of('storage'), {
    ...(await createCreditReservation(resources)),
    rules: new Map([
      [COURSE_VIDEOS_BUCKET, createCourseRules(resources)],
      [AVATARS_BUCKET, AVATAR_RULES],
    ]),
  });
  mountPrivacy(http, resources);
  mountApiKeys(http, resources);
  mountMcp(http, resources, keyGate);
  mountPush(http, resources);
  mountStatistics(http, resources);
  const notifyOfLessons = mountCourses(http, resources);
  mountMessages(http, resources);
  mountTeams(http, resources);
  mountConsole({
    http,
    resources,
    store: content,
    payments,
    notifyOfLessons,
    restart,
    tryVoice: (settings) => tryProviders(settings, resources),
    tryTelephone: (settings) => tryTrunks(settings, resources),
  });
  const analyse = mountAnalysis(http, resources);
  mountInbox(http, resources, analyse);
  mountDemoData({ http, resources }, analyse);
  scheduleBackups(resources);
  scheduleVerification(resources);
  return scheduleWalArchive(resources);
}

async function listen(server: HttpContext['server'], settings: Settings): Promise<void> {
  const inherited = inheritedSocket(process.env);
  if (inherited !== undefined) listenOnInherited(server.server, inherited);
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
  const { port } = server.server.address() as AddressInfo;
  if (port !== settings.PORT)
    throw new Error(
      `systemd handed over a socket at port ${port}, but PORT is ${settings.PORT}: make northline.socket and PORT agree.`,
    );
}
