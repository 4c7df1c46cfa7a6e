import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address belongs to the public internet: only range `unicast` does, after a
 * v4 address inside a v6 one has been taken out. Loopback, private, link-local (cloud
 * metadata), carrier NAT, 6to4, NAT64 and the rest do not (docs/contracts/documents.md §7.4).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && !isIpv4Compatible(parsed);
}

/** `::a.b.c.d`, deprecated (RFC 4291 §2.5.5.1) but still taken for the IPv4 address by some systems. */
function isIpv4Compatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return (
    address.kind() === 'ipv6' &&
    address
      .toByteArray()
      .slice(0, 12)
      .every((byte) => byte === 0)
  );
}
