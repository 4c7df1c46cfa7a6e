import { parseNameAddress, parseVia } from './sip-addresses.ts';
import { SipHeaders } from './sip-headers.ts';
import type { SipMessage, SipRequest } from './sip-message.ts';
import { parseSipUri } from './sip-uri.ts';

/** A message that cannot be used. */
export interface ParseFailure {
  readonly kind: 'failure';
  /** The status for the answer to a request: 400, 413, 416, 505. */
  readonly status: number;
  readonly why: string;
  /** The request, if enough of it was read to answer it. */
  readonly request?: SipRequest;
}

/** Most bytes of a whole message, and limits for its head. */
export const MOST_BYTES = 65_535;
const MOST_HEADERS = 128;
const LONGEST_LINE = 8192;
const LARGEST_SEQUENCE = 2 ** 31;

const TOKEN = /^[\w\-.!%*+`'~]+$/;
const VIA_VERSION = /^SIP\s*\/\s*2\.0\s*\//i;
/** Headers that may occur only once (RFC 3261 §7.3.1; RFC 4475 §3.3.8). */
const SINGLE = ['from', 'to', 'call-id', 'cseq', 'max-forwards', 'content-length'];

/**
 * Parses a datagram, or a message that was cut out of a stream (RFC 3261 §7, §25). It accepts folded lines,
 * compact names, several headers of one name and blanks in odd places; it never guesses.
 */
export function parseMessage(bytes: Buffer): SipMessage | ParseFailure {
  if (bytes.length > MOST_BYTES) return failure(413, 'the message is too large');
  const text = bytes.toString('utf8');
  // Empty lines before the first one are skipped (RFC 3261 §7.5).
  const begin = /[^\r\n]/.exec(text)?.index ?? 0;
  const head = headOf(text, begin);
  if (head === undefined) return failure(400, 'the head does not end');
  const [first = '', ...lines] = head.lines;
  const start = parseStart(first);
  if (start === undefined) return failure(400, 'the first line is not SIP');
  const headers = parseHeaders(lines);
  if (typeof headers === 'string') return failure(400, headers);
  const message: SipMessage = { ...start.line, headers, body: text.slice(head.end) };
  const broken = start.broken ?? brokenHeader(message);
  if (broken !== undefined) return refused(message, broken);
  return withBody(message);
}

const failure = (status: number, why: string): ParseFailure => ({ kind: 'failure', status, why });

/** A refused request can be answered if its `Via` says where to; other missing headers are missing in the answer. */
function refused(message: SipMessage, { status, why }: Pick<ParseFailure, 'status' | 'why'>): ParseFailure {
  const { headers } = message;
  const answerable =
    message.kind === 'request' &&
    message.method !== 'ACK' &&
    parseVia(headers.get('via') ?? '') !== undefined;
  return { kind: 'failure', status, why, ...(answerable ? { request: message } : {}) };
}

/** The unfolded lines of the head, and where the body begins. */
function headOf(text: string, begin: number): { lines: string[]; end: number } | undefined {
  const close = /\r?\n\r?\n/g;
  close.lastIndex = begin;
  const found = close.exec(text);
  if (found === null) return undefined;
  const lines = text
    .slice(begin, found.index)
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  return { lines, end: found.index + found[0].length };
}

type StartLine =
  | { kind: 'request'; method: string; uri: string }
  | { kind: 'response'; status: number; reason: string };
interface Start {
  readonly line: StartLine;
  readonly broken?: Pick<ParseFailure, 'status' | 'why'>;
}

function parseStart(line: string): Start | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  const answer = /^SIP\/(\d+\.\d+) (\d+)(?: (.*))?$/i.exec(line);
  if (answer !== null) {
    const status = Number(answer[2]);
    if (answer[1] !== '2.0' || status < 100 || status > 699) return undefined;
    return { line: { kind: 'response', status, reason: answer[3] ?? '' } };
  }
  const [, method = '', uri = '', version = '', blanks = ''] =
    /^(\S+) (.*) SIP\/(\S+)([ \t]*)$/i.exec(line) ?? [];
  if (!TOKEN.test(method)) return undefined;
  const broken =
    blanks === ''
      ? brokenTarget(uri, version)
      : { broken: { status: 400, why: 'blanks follow the request line' } };
  return { line: { kind: 'request', method, uri }, ...broken };
}

function brokenTarget(uri: string, version: string): Pick<Start, 'broken'> {
  if (version !== '2.0') return { broken: { status: 505, why: `version ${version} is not supported` } };
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(uri) ?? [];
  if (scheme !== undefined && !/^(sips?|tel)$/i.test(scheme))
    return { broken: { status: 416, why: `addresses of ${scheme} are not supported` } };
  if (parseSipUri(uri) === undefined) return { broken: { status: 400, why: 'the address is not valid' } };
  return {};
}

function parseHeaders(lines: readonly string[]): SipHeaders | string {
  if (lines.length > MOST_HEADERS) return 'there are too many headers';
  const headers = new SipHeaders();
  for (const line of lines) {
    if (line.length > LONGEST_LINE) return 'a header is too long';
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim();
    if (colon < 0 || !TOKEN.test(name)) return 'a header has no name';
    headers.add(name, line.slice(colon + 1));
  }
  return headers;
}

function brokenHeader(message: SipMessage): Pick<ParseFailure, 'status' | 'why'> | undefined {
  const { headers } = message;
  const wrong = (why: string) => ({ status: 400, why });
  for (const name of SINGLE) {
    const values = headers.all(name);
    if (values.length > 1) return wrong(`there is more than one ${name}`);
  }
  const vias = headers.all('via');
  if (vias.length === 0 || vias.some((via) => !VIA_VERSION.test(via) || parseVia(via) === undefined))
    return wrong('Via is missing or wrong');
  for (const name of ['from', 'to'] as const)
    if (parseNameAddress(headers.get(name) ?? '') === undefined) return wrong(`${name} is missing or wrong`);
  if (headers.all('contact').some((one) => one !== '*' && parseNameAddress(one) === undefined))
    return wrong('Contact is wrong');
  if (!/^\S+$/.test(headers.get('call-id') ?? '')) return wrong('Call-ID is missing or wrong');
  if (!/^\d{1,5}$/.test(headers.get('max-forwards') ?? '70')) return wrong('Max-Forwards is wrong');
  return brokenSequence(message);
}

function brokenSequence(message: SipMessage): Pick<ParseFailure, 'status' | 'why'> | undefined {
  const [, digits = '', method] = /^(\d{1,20})\s+(\S+)$/.exec(message.headers.get('cseq') ?? '') ?? [];
  if (method === undefined || Number(digits) >= LARGEST_SEQUENCE)
    return { status: 400, why: 'CSeq is missing or wrong' };
  if (message.kind === 'request' && method !== message.method)
    return { status: 400, why: 'CSeq names another method' };
  return undefined;
}

/** In a datagram, bytes after the announced length are not part of the message (RFC 3261 §18.3). */
function withBody(message: SipMessage): SipMessage | ParseFailure {
  const announced = message.headers.get('content-length');
  if (announced === undefined) return message;
  if (!/^\d{1,9}$/.test(announced)) return refused(message, { status: 400, why: 'Content-Length is wrong' });
  const bytes = Buffer.from(message.body);
  if (Number(announced) > bytes.length)
    return refused(message, { status: 400, why: 'the body is shorter than announced' });
  return { ...message, body: bytes.subarray(0, Number(announced)).toString('utf8') };
}
