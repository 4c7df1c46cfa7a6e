import type { IncomingMessage } from 'node:http';
import { addressKey, clientAddressFinder } from './client-address.ts';

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
  const addressOf = clientAddressFinder(trusted);
  return {
    take(request) {
      const address = addressKey(addressOf(request));
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
