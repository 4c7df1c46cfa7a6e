import { splitList } from './sip-headers.ts';
import { hostAndPort, parameterRecord, parseSipUri, type SipUri } from './sip-uri.ts';

/** The value of `From`, `To`, `Contact`, `Route` and similar headers (RFC 3261 §20.10). */
export interface NameAddress {
  /** The display name, without its quotes; empty where there is none. */
  readonly name: string;
  /** The address as it was written. */
  readonly text: string;
  /** The parsed address; undefined for schemes that are not supported. */
  readonly uri: SipUri | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The value of one `Via` (RFC 3261 §20.42). */
export interface Via {
  /** `UDP`, `TCP`, `TLS` …, in capitals. */
  readonly transport: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

const NAME = /^("(?:[^"\\]|\\[^\r\n])*"|[\w\-.!%*+`'~ \t]*)\s*<([^<>]*)>\s*((?:;.*)?)$/s;
const SCHEME = /^[a-z][a-z0-9+.-]*:\S+$/i;

/** Parses one value; undefined where it is not valid. */
export function parseNameAddress(text: string): NameAddress | undefined {
  const bracketed = NAME.exec(text.trim());
  if (bracketed !== null) {
    const [, name = '', address = '', rest = ''] = bracketed;
    return made(unquoted(name.trim()), address, splitList(rest, ';'));
  }
  if (/[<>"]/.test(text)) return undefined;
  // Without brackets, everything after a semicolon belongs to the header (RFC 3261 §20.10).
  const [address = '', ...parameters] = text.trim().split(';');
  return made('', address.trim(), parameters);
}

function made(name: string, text: string, parameters: readonly string[]): NameAddress | undefined {
  if (!SCHEME.test(text)) return undefined;
  const uri = parseSipUri(text);
  if (uri === undefined && /^(sips?|tel):/i.test(text)) return undefined;
  return { name, text, uri, parameters: parameterRecord(parameters) };
}

/** A value as text; a display name is quoted. */
export function printNameAddress(
  address: { readonly name?: string; readonly text: string },
  parameters: Readonly<Record<string, string>> = {},
): string {
  const name = (address.name ?? '').replace(/[\r\n]/g, ' ').replace(/["\\]/g, '\\$&');
  const more = Object.entries(parameters).map(([key, value]) =>
    value === '' ? `;${key}` : `;${key}=${value}`,
  );
  return `${name === '' ? '' : `"${name}" `}<${address.text}>${more.join('')}`;
}

/** Parses one `Via` of any version of SIP, since a refusal follows it too; undefined where it is not valid. */
export function parseVia(text: string): Via | undefined {
  const [, transport = '', place = '', rest = ''] =
    /^SIP\s*\/\s*\d+\.\d+\s*\/\s*([\w-]+)\s+([^;\s]+(?:\s*:\s*\d+)?)\s*((?:;.*)?)$/is.exec(text.trim()) ?? [];
  const reached = hostAndPort(place.replace(/\s/g, ''));
  if (transport === '' || reached === undefined) return undefined;
  return {
    transport: transport.toUpperCase(),
    ...reached,
    parameters: parameterRecord(splitList(rest, ';')),
  };
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replace(/\\(.)/gs, '$1') : name;
}
