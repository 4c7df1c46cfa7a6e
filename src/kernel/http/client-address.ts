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
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
