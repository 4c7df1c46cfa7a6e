import { isIPv4, isIPv6 } from 'node:net';

/** A SIP address (RFC 3261 §19.1), or a telephone number (RFC 3966) as its user. */
export interface SipUri {
  readonly scheme: 'sip' | 'sips' | 'tel';
  /** Decoded; empty where the address has no user. */
  readonly user: string;
  /** Lower case, without brackets; empty for `tel:`. */
  readonly host: string;
  readonly port: number | undefined;
  /** Names in lower case; a parameter without a value is empty. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Headers for a request to this address, such as `Replaces`; decoded. */
  readonly headers: Readonly<Record<string, string>>;
}

const LONGEST = 4096;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;

/** Parses an address; undefined where it is not valid. */
export function parseSipUri(text: string): SipUri | undefined {
  if (text.length > LONGEST || /[\s<>"]/.test(text)) return undefined;
  const [, scheme = '', rest = ''] = /^(sips?|tel):(.*)$/i.exec(text) ?? [];
  if (/^tel$/i.test(scheme)) return telephone(rest);
  if (scheme === '') return undefined;
  // A user may contain semicolons and question marks; a host may not.
  const at = rest.indexOf('@');
  const [address = '', query = ''] = divide(rest.slice(at + 1), '?');
  const [place = '', ...parameters] = address.split(';');
  const reached = hostAndPort(place);
  const user = at < 0 ? '' : decoded(divide(rest.slice(0, at), ':')[0] ?? '');
  if (reached === undefined || user === undefined || at === 0) return undefined;
  return {
    scheme: scheme.toLowerCase() as 'sip' | 'sips',
    user,
    ...reached,
    parameters: parameterRecord(parameters),
    headers: Object.fromEntries(
      query
        .split('&')
        .filter((one) => one !== '')
        .map((one) => {
          const [name = '', value = ''] = divide(one, '=');
          return [name.toLowerCase(), decoded(value) ?? ''];
        }),
    ),
  };
}

/** An address as text, `sip:user@host:port;name=value`. */
export function printSipUri(uri: Pick<SipUri, 'user' | 'host'> & Partial<SipUri>): string {
  const { scheme = 'sip', user, host, port, parameters = {} } = uri;
  const place = isIPv6(host) ? `[${host}]` : host;
  const more = Object.entries(parameters).map(([name, value]) =>
    value === '' ? `;${name}` : `;${name}=${value}`,
  );
  const name = user === '' ? '' : `${encodeUser(user)}@`;
  return `${scheme}:${name}${place}${port === undefined ? '' : `:${port}`}${more.join('')}`;
}

/** Encodes what a user may not contain as it is (RFC 3261 §25.1). */
function encodeUser(user: string): string {
  return user.replace(/[^\w\-.!~*'()&=+$,;?/]/gu, (letter) => encodeURIComponent(letter));
}

/** Parameters after semicolons as a record; of several with one name the first counts. */
export function parameterRecord(parts: readonly string[]): Record<string, string> {
  const record: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const part of parts) {
    const [name = '', value = ''] = divide(part, '=').map((one) => one.trim());
    const key = name.toLowerCase();
    if (key !== '' && !(key in record)) record[key] = value;
  }
  return record;
}

function telephone(rest: string): SipUri | undefined {
  const [number = '', ...parameters] = rest.split(';');
  if (!/^\+?[\d\-.()*#a-f]{1,64}$/i.test(number)) return undefined;
  return {
    scheme: 'tel',
    user: number.replace(/[-.()]/g, ''),
    host: '',
    port: undefined,
    parameters: parameterRecord(parameters),
    headers: {},
  };
}

/** Parses `host`, `host:port` or `[v6]:port`; undefined for anything else. */
export function hostAndPort(text: string): { host: string; port: number | undefined } | undefined {
  const [, v6, name, port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = (v6 ?? name ?? '').toLowerCase();
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && number > 65_535) return undefined;
  const known = v6 === undefined ? isIPv4(host) || HOST_NAME.test(host) : isIPv6(host);
  return known ? { host, port: number } : undefined;
}

function divide(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
