import { lookup, resolveSrv } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { SipUri } from '../message/sip-uri.ts';
import type { SipPlace, SipProtocol } from './sip-transport.ts';

/**
 * Where requests to an address are sent (RFC 3261 §19.1.2, RFC 3263: SRV for names without a port). @throws
 * Error when its name cannot be resolved
 */
export async function resolvePlace(uri: SipUri): Promise<SipPlace> {
  const protocol = protocolOf(uri);
  const defaultPort = protocol === 'tls' ? 5061 : 5060;
  const host = uri.parameters.maddr ?? uri.host;
  if (isIP(host) !== 0) return { protocol, address: host, port: uri.port ?? defaultPort };
  const service = uri.port === undefined ? await serviceOf(host, protocol) : undefined;
  // Telephone exchanges are reached by IPv4; the first SRV record counts, and there is no second try.
  const { address } = await lookup(service?.name ?? host, { family: 4 });
  return { protocol, address, port: uri.port ?? service?.port ?? defaultPort, serverName: host };
}

/** The protocol that an address asks for; UDP where it asks for none. */
export function protocolOf({ scheme, parameters }: Pick<SipUri, 'scheme' | 'parameters'>): SipProtocol {
  const { transport = '' } = parameters;
  if (scheme === 'sips' || /^tls$/i.test(transport)) return 'tls';
  return /^tcp$/i.test(transport) ? 'tcp' : 'udp';
}

async function serviceOf(host: string, protocol: SipProtocol) {
  const [scheme, transport] = protocol === 'tls' ? ['sips', 'tcp'] : ['sip', protocol];
  // A domain without SRV records is reached at its own address.
  const records = await resolveSrv(`_${scheme}._${transport}.${host}`).catch(() => []);
  return records.sort((one, other) => one.priority - other.priority || other.weight - one.weight)[0];
}
