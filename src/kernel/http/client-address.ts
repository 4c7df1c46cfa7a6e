import ipaddr from 'ipaddr.js';

/**
 * What limits count an address by: IPv4 as it is (also when it comes mapped into IPv6), IPv6 by its
 * network of 64 bits, all of which one client has to itself (RFC 6177). Other text comes back unchanged.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
