import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address belongs to the public internet: only addresses of the range `unicast` do; an
 * IPv4-mapped IPv6 address counts as its IPv4 address. Loopback, private, link-local (cloud metadata),
 * carrier NAT, 6to4, NAT64 and all other ranges do not (docs/contracts/documents.md §7.4).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && !isIpv4Compatible(parsed);
}

/**
 * Whether an address is `::a.b.c.d`: deprecated (RFC 4291 §2.5.5.1), but some systems still use it as IPv4.
 */
function isIpv4Compatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return (
    address.kind() === 'ipv6' &&
    address
      .toByteArray()
      .slice(0, 12)
      .every((byte) => byte === 0)
  );
}
