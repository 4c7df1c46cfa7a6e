import { readFileSync } from 'node:fs';
import { resolvePlace } from '@northline/sip/place-resolution';
import { systemClock } from '@northline/sip/sip-clock';
import type { SipListener, SipTls } from '@northline/sip/sip-transport';
import { printSipUri } from '@northline/sip/sip-uri';
import { keepRegistered, type Registration } from '@northline/sip/trunk-registration';
import { openUserAgent } from '@northline/sip/user-agent';
import { openRtpLeg } from '@northline/telephone-audio/rtp-leg';
import type { Settings } from '../../../kernel/config/settings.ts';
import { readSipListen } from '../../../kernel/config/sip-address.ts';
import { USUAL_SIP_LISTEN } from '../../../kernel/config/sip-settings.ts';
import type { CallStore } from '../../calls/record/call-store.server.ts';
import { mediaAddresses } from '../../media/media-addresses.server.ts';
import type { RoomTelephone } from '../../rooms/meeting-telephones.server.ts';
import { type CampaignRunner, openCampaignRunner } from '../campaign-runner.server.ts';
import { type CampaignStore, openCampaignStore } from '../campaign-store.server.ts';
import type { OutsideTelephone } from '../number-answering.server.ts';
import { openNumberAddresses } from '../provider-proof.server.ts';
import { CallAdmission } from './call-admission.server.ts';
import { openDialling } from './call-dialling.server.ts';
import { InboundCalls } from './inbound-calls.server.ts';
import { openCallerLedger } from './incoming-call-limits.server.ts';
import { type OutboundCalls, openOutboundCalls } from './outbound-calls.server.ts';
import { openDialLedger } from './outgoing-call-limits.server.ts';
import { PhoneConnection } from './phone-connection.server.ts';
import type { PhoneParts } from './phone-parts.server.ts';
import { openPhoneWarming } from './phone-warming.server.ts';
import { openRoomTelephone } from './room-dialling.server.ts';
import { openTrunkDirectory, type Trunk } from './trunk-directory.server.ts';

/** The stored campaigns, and the runner that calls their customers. */
export interface Campaigns extends CampaignRunner {
  readonly store: CampaignStore;
}

/** The telephone service while the product runs. */
export interface PhoneService extends OutboundCalls, OutsideTelephone {
  /** The addresses where it listens. */
  readonly listeners: readonly SipListener[];
  /** The address at which one of our numbers can be reached; undefined where the telephone is off. */
  addressOf(number: string): string | undefined;
  /**
   * Registers with trunks that were added, ends the registration with those that were removed, and prepares
   * the calls that may come.
   */
  followTrunks(): Promise<void>;
  /** Prepares the calls that may come; see `PhoneWarming`. */
  warm(): Promise<void>;
  /** Renews the sign of life of this process's calls, for the caps of calling numbers. */
  renewCallers(): Promise<void>;
  /** Deletes what no longer counts. */
  sweep(): Promise<void>;
  readonly campaigns: Campaigns;
  /** Calls telephones into meetings. */
  readonly forRooms: RoomTelephone;
  /** Closes the sockets; called after the calls have ended. */
  close(): Promise<void>;
}

/** What the service gets. */
export type PhoneServiceParts = Pick<
  PhoneParts,
  'resources' | 'records' | 'manager' | 'engines' | 'rateLimiter' | 'defaultAssistantId' | 'doNotCall'
> & { readonly store: Pick<CallStore, 'claim'>; readonly orgId: string };

/** Opens the telephone at SIP_LISTEN. @throws Error with a sentence for the operator */
export async function openPhoneService(given: PhoneServiceParts): Promise<PhoneService> {
  const { resources, records } = given;
  const { settings, log } = resources;
  const trunks = openTrunkDirectory(resources, records);
  const addresses = openNumberAddresses(resources);
  const admission = new CallAdmission({ trunks, addresses, rateLimiter: given.rateLimiter });
  const say = (line: string): void => log.warn({ telephone: line }, 'telephone');
  const agent = await openUserAgent({
    addresses: readSipListen(settings.SIP_LISTEN) ?? [],
    mayMove: settings.SIP_LISTEN === USUAL_SIP_LISTEN,
    tls: tlsOf(settings),
    publicHost: settings.SIP_PUBLIC_HOST === '' ? undefined : settings.SIP_PUBLIC_HOST,
    log: say,
    admits: (from) => admission.admits(from),
    called: (call) => inbound.take(call),
  });
  const parts: PhoneParts = {
    ...given,
    agent,
    trunks,
    ledger: openDialLedger(resources),
    callers: openCallerLedger(resources),
    dialling: openDialling(() => parts),
    openLine: (near, secure) => openLine(settings, { near, secure, log: say }),
    log: say,
  };
  const inbound = new InboundCalls(parts, admission);
  const outbound = openOutboundCalls(parts, given.store);
  const campaigns = openCampaignStore(resources, given.orgId);
  const runner = openCampaignRunner({
    ...{ database: resources.database, settings, store: campaigns, log: say },
    freeLines: () => given.manager.freeLines(),
    call: (call) => outbound.startOf(call),
  });
  const warming = openPhoneWarming(parts);
  const registrations = new Map<string, Registration>();
  log.info(
    { listen: agent.listeners.map(({ protocol, host, port }) => `${protocol}://${host}:${port}`) },
    'telephone',
  );
  return {
    ...outbound,
    campaigns: { store: campaigns, run: () => runner.run() },
    forRooms: openRoomTelephone(parts),
    listeners: agent.listeners,
    addressOf(number) {
      const [listener] = [...agent.listeners].sort(
        (one, other) => Number(other.loopback) - Number(one.loopback),
      );
      return listener === undefined ? undefined : reachedAt(number, listener);
    },
    outsideAddressOf: (number) => outsideAddressOf(number, agent.listeners, settings.SIP_PUBLIC_HOST),
    async followTrunks() {
      followTrunks({ agent, trunks, log: say }, registrations, await trunks.all());
      // Nobody waits for it: a call that comes sooner is answered all the same.
      void warming.warm();
    },
    warm: () => warming.warm(),
    renewCallers: () => parts.callers.renew(),
    async sweep() {
      await parts.ledger.sweep();
      await parts.callers.sweep();
    },
    async close() {
      for (const registration of registrations.values()) registration.close();
      await agent.close();
    },
  };
}

/** The safest protocol comes first. */
const ORDER = ['tls', 'tcp', 'udp'] as const;

function outsideAddressOf(
  number: string,
  listeners: readonly SipListener[],
  host: string,
): string | undefined {
  const outside = listeners.filter(({ loopback }) => !loopback);
  const listener = ORDER.flatMap((kind) => outside.filter(({ protocol }) => protocol === kind))[0];
  return listener === undefined || host === '' ? undefined : reachedAt(number, { ...listener, host });
}

function reachedAt(user: string, { host, port, protocol }: SipListener): string {
  return printSipUri({ user, host, port, parameters: protocol === 'udp' ? {} : { transport: protocol } });
}

async function openLine(
  settings: Settings,
  { near, secure, log }: { readonly near: boolean; readonly secure: boolean; log(line: string): void },
): Promise<PhoneConnection> {
  const { bind, ports } = mediaAddresses(settings);
  const { SIP_SRTP } = settings;
  const leg = await openRtpLeg({
    address: near ? '127.0.0.1' : bind,
    ...(ports === undefined ? {} : { portRange: ports }),
    // Signalling without TLS would show the key to everybody who can read the sound.
    secure: SIP_SRTP === 'offered' && !secure ? 'never' : SIP_SRTP,
    log,
  });
  return new PhoneConnection(leg, log);
}

/** The authorities that our connections to trunks trust. @throws Error with a sentence for the operator */
export function trustedAuthorities({ SIP_TLS_CA: file }: Pick<Settings, 'SIP_TLS_CA'>): SipTls {
  return file === '' ? {} : { authorities: [readPem('SIP_TLS_CA', file)] };
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${name} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

/** @throws Error with a sentence for the operator */
function tlsOf(settings: Settings): SipTls {
  const { SIP_LISTEN, SIP_TLS_CERT, SIP_TLS_KEY } = settings;
  const authorities = trustedAuthorities(settings);
  if (!/\btls:/i.test(SIP_LISTEN)) return authorities;
  if (SIP_TLS_CERT === '' || SIP_TLS_KEY === '')
    throw new Error(
      'tls:// in SIP_LISTEN needs SIP_TLS_CERT and SIP_TLS_KEY, the PEM files of a certificate and its key.',
    );
  const server = { cert: readPem('SIP_TLS_CERT', SIP_TLS_CERT), key: readPem('SIP_TLS_KEY', SIP_TLS_KEY) };
  return { ...authorities, server };
}

function followTrunks(
  { agent, trunks, log }: Pick<PhoneParts, 'agent' | 'trunks' | 'log'>,
  registrations: Map<string, Registration>,
  present: readonly Trunk[],
): void {
  const wanted = new Map<string, Trunk>(
    present.flatMap((trunk) => {
      const { registrar, credentials } = trunk;
      if (registrar === undefined || credentials === undefined) return [];
      return [[`${trunk.id} ${registrar} ${credentials.username} ${credentials.password}`, trunk] as const];
    }),
  );
  for (const [key, registration] of registrations) {
    if (wanted.has(key)) continue;
    registration.close();
    registrations.delete(key);
  }
  for (const [key, { id, registrar = '', credentials, outbound }] of wanted) {
    const [gateway] = outbound;
    if (registrations.has(key) || credentials === undefined) continue;
    const { host = registrar, port, protocol = 'udp' } = gateway ?? {};
    registrations.set(
      key,
      keepRegistered(agent, {
        registrar: `sip:${registrar}`,
        address: printSipUri({ user: credentials.username, host: registrar }),
        credentials,
        async place() {
          const place = await resolvePlace({
            scheme: 'sip',
            user: '',
            host,
            port,
            parameters: { transport: protocol },
            headers: {},
          });
          trunks.foundAt(id, place.address);
          return place;
        },
        clock: systemClock,
        log,
      }),
    );
  }
}
