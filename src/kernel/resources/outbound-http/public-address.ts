import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address belongs to the public internet: only range `unicast` does, after a
 * v4 address inside a v6 one has been taken out. Loopback, private, link-local (cloud
 * metadata), carrier NAT, 6to4, NAT64 and the rest do not (contract §7.4).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'unicast';
}
