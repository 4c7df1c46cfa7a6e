import { protocolOf, resolvePlace } from '@northline/sip/place-resolution';
import { isLoopbackAddress, type SipPlace } from '@northline/sip/sip-transport';
import { parseSipUri, printSipUri, type SipUri } from '@northline/sip/sip-uri';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { TransferDestination } from '../../engines/engines.server.ts';
import type { PhoneConnection } from './phone-connection.server.ts';
import { ownNumber, type PhoneParts, plainNumber } from './phone-parts.server.ts';
import { requireAllowedNumber } from './toll-rules.server.ts';
import type { Trunk } from './trunk-directory.server.ts';

/** A way to call somebody, before the call is made. */
export interface Route {
  /** The address that is called. */
  readonly to: string;
  readonly trunk: Trunk | undefined;
  /**
   * Where the request is sent: the first gateway whose name resolves. @throws ServiceError 503
   * `telephone_unreachable`
   */
  place(): Promise<SipPlace>;
  /** Whether the way leads to this machine only. */
  readonly near: boolean;
  /** The caller's address, as the other person sees it. */
  readonly from: string;
}

/** The installation's number that a call comes from. */
export interface CallingNumber {
  readonly number: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Finds ways to call numbers and addresses, within the rules against toll fraud, and makes the calls. */
export interface LineDialling {
  /**
   * @throws ServiceError 403 `destination_not_allowed`, 422 `no_trunk`, `telephone_off`, 400 `validation_failed`
   */
  route(
    destination: Pick<TransferDestination, 'number' | 'sipUri'>,
    from: CallingNumber | undefined,
  ): Promise<Route>;
  /**
   * Calls somebody, and reserves capacity for the call until it is over. The line's `established` tells the
   * outcome.
   *
   * @throws ServiceError 429 `concurrency_limit`, `daily_call_limit`, 503
   */
  call(route: Route, callId: string, more?: DialOptions): Promise<PhoneConnection>;
  /** Counts a call against the daily caps. @throws ServiceError 429 `daily_call_limit` */
  reserve(route: Route, callId: string): Promise<void>;
  /** Opens a line for a call before anything is sent. @throws ServiceError 503 */
  prepare(route: Route): Promise<PreparedConnection>;
  /** Makes the call on a prepared line. The line's `established` tells the outcome. */
  go(route: Route, prepared: PreparedConnection, more?: DialOptions): void;
}

/** A line, and the place where its call will be sent. */
export interface PreparedConnection {
  readonly line: PhoneConnection;
  readonly place: SipPlace;
}

/** Further options of an outgoing call. */
export interface DialOptions {
  readonly ringSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long an outgoing call rings, where the request does not say. */
const RING_SECONDS = 55;
/** System ports end below this one (RFC 6335 §6): mail, web and the like, which a SIP request has no business with. */
const FIRST_USER_PORT = 1024;
const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Opens the dialling; `parts` is called when a call is made. */
export function openDialling(parts: () => PhoneParts): LineDialling {
  const dialling: LineDialling = {
    async route(destination, from) {
      const { agent } = parts();
      if (agent.listeners.length === 0)
        throw new ServiceError(422, 'telephone_off', 'The telephone is off: SIP_LISTEN is off.');
      if (destination.sipUri !== undefined) return addressRoute(parts(), destination.sipUri, from);
      return numberRoute(parts(), destination.number ?? '', from);
    },
    reserve: (route, callId) =>
      parts().ledger.reserve({ callId, destination: route.to, trunk: route.trunk?.id ?? 'loopback' }),
    async prepare(route) {
      const place = await route.place();
      const line = await parts().openLine(isLoopbackAddress(place.address), place.protocol === 'tls');
      return { place, line };
    },
    go: (route, prepared, more) => invite(parts(), route, prepared, more),
    async call(route, callId, more) {
      const freeLine = parts().manager.takeLine();
      let line: PhoneConnection | undefined;
      try {
        await dialling.reserve(route, callId);
        const prepared = await dialling.prepare(route);
        line = prepared.line;
        void line.over.then(freeLine);
        dialling.go(route, prepared, more);
        return line;
      } catch (error) {
        line?.hangUp();
        freeLine();
        throw error;
      }
    },
  };
  return dialling;
}

async function addressRoute(
  parts: PhoneParts,
  text: string,
  from: CallingNumber | undefined,
): Promise<Route> {
  const uri = parseSipUri(text);
  if (uri === undefined || uri.scheme === 'tel')
    throw new ServiceError(400, 'validation_failed', 'sipUri: is no address as sip:name@host.');
  const near = LOOPBACK_NAME.test(uri.host);
  const { SIP_CALL_HOSTS: hosts } = parts.resources.settings;
  // `maddr` or headers would send the request somewhere else than the checked host.
  if (uri.parameters.maddr !== undefined || Object.keys(uri.headers).length > 0)
    throw new ServiceError(400, 'validation_failed', 'sipUri: may have neither maddr nor headers.');
  if (!near && !hosts.some((host) => host.toLowerCase() === uri.host))
    throw new ServiceError(
      403,
      'destination_not_allowed',
      `${text} may not be called: the setting SIP_CALL_HOSTS does not name ${uri.host}.`,
    );
  if (near && uri.port !== undefined && uri.port < FIRST_USER_PORT)
    throw new ServiceError(
      403,
      'destination_not_allowed',
      `${text} may not be called: port ${uri.port} of this machine belongs to another service.`,
    );
  const called: SipUri = uri.host === 'localhost' ? { ...uri, host: '127.0.0.1' } : uri;
  requireListener(parts, called, near);
  const number = from?.number ?? 'northline';
  return {
    to: printSipUri(called),
    trunk: undefined,
    near,
    from: ownAddress(parts, number),
    place: () => placeOf([called]),
  };
}

/** @throws ServiceError 422 `no_trunk` where no socket of this server can reach the address */
function requireListener(
  { agent }: PhoneParts,
  uri: Pick<SipUri, 'scheme' | 'parameters'>,
  near: boolean,
): void {
  const protocol = protocolOf(uri);
  const reaching = agent.listenerFor({ protocol, address: near ? '127.0.0.1' : '192.0.2.1' });
  if (reaching !== undefined && (near || !reaching.loopback)) return;
  const where = near ? 'on this machine' : 'outside of this machine';
  throw new ServiceError(
    422,
    'no_trunk',
    `Nobody can be called by ${protocol} ${where}: SIP_LISTEN has no such address.`,
  );
}

async function numberRoute(
  parts: PhoneParts,
  given: string,
  from: CallingNumber | undefined,
): Promise<Route> {
  const number = plainNumber(given);
  const own = await ownNumber(parts, number);
  if (own?.body.provider === 'vapi') return loopbackRoute(parts, number, from);
  const trunk = await trunkOf(parts, from);
  requireAllowedNumber(number, parts.resources.settings.SIP_CALL_PREFIXES);
  const [gateway] = trunk.outbound;
  if (gateway === undefined)
    throw new ServiceError(
      422,
      'no_trunk',
      'The trunk of this number has no gateway that takes calls (outboundEnabled).',
    );
  const user = `${trunk.prefix}${trunk.sendsPlus ? number : number.slice(1)}`;
  const addresses = trunk.outbound.map(({ host, port, protocol }) => ({
    scheme: 'sip' as const,
    user,
    host,
    port,
    parameters: protocol === 'udp' ? {} : { transport: protocol },
    headers: {},
  }));
  const near = isLoopbackAddress(gateway.host);
  for (const address of addresses) requireListener(parts, address, isLoopbackAddress(address.host));
  const caller = from?.number ?? trunk.credentials?.username ?? 'anonymous';
  return {
    to: printSipUri({ user, host: gateway.host, port: gateway.port }),
    trunk,
    near,
    from: printSipUri({ user: trunk.sendsPlus ? caller : caller.replace(/^\+/, ''), host: gateway.host }),
    place: () => placeOf(addresses),
  };
}

/**
 * A number that was bought here rings on this machine: the call leaves one of our sockets and arrives at the
 * same one.
 */
function loopbackRoute(parts: PhoneParts, number: string, from: CallingNumber | undefined): Route {
  const listener = parts.agent.listeners.find(({ loopback, protocol }) => loopback && protocol !== 'tls');
  if (listener === undefined)
    throw new ServiceError(
      422,
      'no_trunk',
      'Numbers that were bought here ring on this machine only: SIP_LISTEN has no udp or tcp address of 127.0.0.1.',
    );
  const { host, port, protocol } = listener;
  const caller = from?.number ?? 'anonymous';
  return {
    to: printSipUri({ user: number, host, port }),
    trunk: undefined,
    near: true,
    from: ownAddress(parts, caller),
    place: async () => ({ protocol, address: host, port }),
  };
}

/** @throws ServiceError 422 `no_trunk` that says what to do */
async function trunkOf(parts: PhoneParts, from: CallingNumber | undefined): Promise<Trunk> {
  const { provider, credentialId } = from?.body ?? {};
  if (provider === 'twilio' || provider === 'vonage')
    throw new ServiceError(
      422,
      'no_trunk',
      `Calls out of a number that was imported from ${provider} are not made: keep the number at the provider, and add its SIP trunk as a credential of the provider byo-sip-trunk.`,
    );
  const trunk =
    typeof credentialId === 'string'
      ? await parts.trunks.find(credentialId)
      : await parts.trunks.find('setting:1');
  if (trunk !== undefined) return trunk;
  throw new ServiceError(
    422,
    'no_trunk',
    'No trunk leads to that number: set SIP_TRUNKS, or name by phoneNumberId a number with the credential of a trunk. Numbers that were bought here are called without one.',
  );
}

async function placeOf(uris: readonly SipUri[]): Promise<SipPlace> {
  const resolved = await Promise.allSettled(uris.map((uri) => resolvePlace(uri)));
  const [place] = resolved.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (place !== undefined) return place;
  throw new ServiceError(
    503,
    'telephone_unreachable',
    'The name of the other side is not known at the moment.',
  );
}

function ownAddress({ agent, resources }: PhoneParts, user: string): string {
  const host = resources.settings.SIP_PUBLIC_HOST || agent.listeners[0]?.host || '127.0.0.1';
  return printSipUri({ user, host });
}

function invite(
  parts: PhoneParts,
  route: Route,
  { line, place }: PreparedConnection,
  more: DialOptions = {},
): void {
  const user = parseSipUri(route.from)?.user ?? 'northline';
  const call = parts.agent.invite(
    {
      to: route.to,
      place,
      from: { text: route.from, name: parts.resources.settings.BRAND },
      sdp: line.leg.offer(),
      credentials: route.trunk?.credentials,
      ringSeconds: more.ringSeconds ?? RING_SECONDS,
      ...(more.headers === undefined ? {} : { headers: more.headers }),
    },
    user,
    line.events,
  );
  line.attach(call);
}
