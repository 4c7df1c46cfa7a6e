import { isLoopbackAddress } from '@northline/sip/sip-transport';
import { parseSipUri, printSipUri } from '@northline/sip/sip-uri';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { CallingNumber, Route } from './call-dialling.server.ts';
import type { PhoneConnection } from './phone-connection.server.ts';
import type { PhoneParts } from './phone-parts.server.ts';

/** A call whose other side may refer it to somebody else. */
export interface ReferableCall {
  readonly callId: string;
  readonly line: PhoneConnection;
  readonly from: CallingNumber | undefined;
  /** Whether the call comes from this machine, as its sound then does. */
  readonly near: boolean;
}

const RING_SECONDS = 30;
/** A call id with its two tags (RFC 3891 §6.1); any other parameter is refused. */
const REPLACES = /^[^\s;,]{1,300}(;[\w-]{1,40}(=[\w\-.!%*+`'~]{1,200})?){2,4}$/;

/**
 * Follows a referral of the other side (REFER, RFC 3515; with `Replaces` an attended transfer, RFC 5589): the
 * conversation continues with the person it names. Only addresses that may be called anyway are followed,
 * never a number through a trunk, and never somebody on this machine for a call from outside.
 *
 * @returns the status for the other side
 */
export async function followReferral(
  parts: PhoneParts,
  { callId, line, from, near }: ReferableCall,
  target: string,
): Promise<number> {
  const uri = parseSipUri(target);
  if (uri === undefined || uri.scheme === 'tel') return 400;
  const { replaces, ...others } = uri.headers;
  if (Object.keys(others).length > 0 || (replaces !== undefined && !REPLACES.test(replaces))) return 400;
  // A REFER may only lead to a call, and an address that is called has no method (RFC 3261 §19.1.1).
  const { method = 'INVITE', ...parameters } = uri.parameters;
  if (method.toUpperCase() !== 'INVITE') return 400;
  let route: Route;
  try {
    route = await parts.dialling.route({ sipUri: printSipUri({ ...uri, parameters }) }, from);
    if (route.near !== near) return 403;
    await parts.dialling.reserve(route, callId);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    parts.log(`a call was not sent on: ${error.message}`);
    return error.status === 429 ? 503 : 403;
  }
  const place = await route.place();
  // A name may resolve to this machine, or to another one.
  if (isLoopbackAddress(place.address) !== near) return 403;
  return line.moveTo((sdp, events) =>
    parts.agent.invite(
      {
        to: route.to,
        place,
        from: { text: route.from, name: parts.resources.settings.BRAND },
        sdp,
        ringSeconds: RING_SECONDS,
        ...(replaces === undefined ? {} : { headers: { replaces } }),
      },
      from?.number ?? 'northline',
      events,
    ),
  );
}
