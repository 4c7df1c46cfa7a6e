import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { addressKey } from './client-address.ts';

/** Limits how many sockets of this process each client address holds (decision 0380). */
export interface AddressLimit {
  /**
   * Counts a socket for the request's address. Returns a function that releases it (once), or undefined when
   * the address has too many.
   */
  take(request: IncomingMessage): (() => void) | undefined;
}

/** Creates the limit; `trusted` are proxies as in TRUST_PROXY, `limit` is the maximum for each address. */
export function createAddressLimit(trusted: readonly string[], limit: number): AddressLimit {
  const counts = new Map<string, number>();
  return {
    take(request) {
      const address = clientAddress(request, trusted);
      const held = counts.get(address) ?? 0;
      if (held >= limit) return undefined;
      counts.set(address, held + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const left = (counts.get(address) ?? 1) - 1;
        if (left === 0) counts.delete(address);
        else counts.set(address, left);
      };
    },
  };
}

/** The nearest address of the chain that is not a trusted proxy, as for other requests. */
function clientAddress(request: IncomingMessage, trusted: readonly string[]): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  const chain = [request.socket.remoteAddress ?? '', ...forwarded.map((one) => one.trim()).reverse()];
  for (const [at, address] of chain.entries()) {
    const next = chain[at + 1] ?? '';
    if (!isTrusted(address, trusted) || !ipaddr.isValid(next)) return addressKey(address);
  }
  return '';
}

const NAMED: Readonly<Record<string, string>> = {
  loopback: 'loopback',
  linklocal: 'linkLocal',
  uniquelocal: 'private uniqueLocal',
};

function isTrusted(address: string, trusted: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return trusted.some((entry) => {
    const named = NAMED[entry];
    if (named !== undefined) return named.split(' ').includes(parsed.range());
    if (!entry.includes('/'))
      return ipaddr.isValid(entry) && ipaddr.process(entry).toString() === parsed.toString();
    if (!ipaddr.isValidCIDR(entry)) return false;
    const [network, bits] = ipaddr.parseCIDR(entry);
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}
