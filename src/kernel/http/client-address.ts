import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';

/**
 * The key by which limits count an address: an IPv4 address itself (also when mapped into IPv6), and of an
 * IPv6 address its network of 64 bits, because one client has the whole network to itself (RFC 6177). Other
 * text is returned unchanged.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return prefixOf(parsed, 8);
}

/**
 * The network of a client where one customer of a provider must not count as many: the IPv4 address, or the /48 that an
 * IPv6 customer may get (RFC 6177). Anything that is no address stays as it is.
 */
export function networkKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : prefixOf(parsed, 6);
}

function prefixOf(address: ReturnType<typeof ipaddr.process>, bytes: number): string {
  return `${address.toByteArray().slice(0, bytes).join('.')}/${bytes * 8}`;
}

/**
 * Returns a function that finds the client's address of a request: the nearest address of `x-forwarded-for` that is not
 * a trusted proxy. It is Fastify's own rule, for requests that Fastify never sees, such as upgrades.
 *
 * @param trusted as in TRUST_PROXY; empty trusts nobody
 */
export function clientAddressFinder(trusted: readonly string[]): (request: IncomingMessage) => string {
  const trust = proxyAddr.compile([...trusted]);
  return (request) => proxyAddr(request, trust);
}
