import { isIP } from 'node:net';

/** An address on which the server accepts telephone calls. */
export interface SipListenAddress {
  readonly protocol: 'udp' | 'tcp' | 'tls';
  /** IPv4 or IPv6, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Standard ports of SIP without and with TLS (RFC 3261 §19.1.2). */
const USUAL_PORT = { udp: 5060, tcp: 5060, tls: 5061 } as const;

/** The addresses in `SIP_LISTEN`; empty for `off`, undefined when one of the words is not an address. */
export function readSipListen(words: string): SipListenAddress[] | undefined {
  if (words === 'off') return [];
  const given = words
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const read = given.map((word) => {
    const [, protocol, v6, v4, port] =
      /^(udp|tcp|tls):\/\/(?:\[([0-9a-f:.]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(word) ?? [];
    const kind = protocol?.toLowerCase() as SipListenAddress['protocol'] | undefined;
    const host = v6 ?? v4 ?? '';
    const number = port === undefined ? undefined : Number(port);
    if (kind === undefined || isIP(host) === 0 || (number ?? 0) > 65_535) return undefined;
    return { protocol: kind, host, port: number ?? USUAL_PORT[kind] };
  });
  const all = read.filter((one) => one !== undefined);
  return all.length === given.length && all.length > 0 ? all : undefined;
}
