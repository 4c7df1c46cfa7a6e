import { createHash, randomBytes } from 'node:crypto';
import { splitList } from './message/sip-headers.ts';
import type { SipResponse } from './message/sip-message.ts';

/** Names and values of a challenge or of its answer (RFC 7616, RFC 8760), without quotes. */
export type DigestParameters = Readonly<Record<string, string>>;

/** The supported algorithms, best first. */
export const ALGORITHMS = ['SHA-256', 'MD5'] as const;
export type DigestAlgorithm = (typeof ALGORITHMS)[number];
const HASHES = { 'SHA-256': 'sha256', MD5: 'md5' } as const;

/** The name and password of the side that answers. */
export interface DigestCredentials {
  readonly username: string;
  readonly password: string;
}

/** Reads a header of the scheme Digest; undefined for another scheme. */
export function parseDigest(header: string): DigestParameters | undefined {
  const [, rest] = /^digest\s+(.*)$/is.exec(header.trim()) ?? [];
  if (rest === undefined) return undefined;
  return Object.fromEntries(
    splitList(rest).map((part) => {
      const [, name = '', value = ''] = /^([\w-]+)\s*=\s*(.*)$/s.exec(part) ?? [];
      const bare = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value;
      return [name.toLowerCase(), bare];
    }),
  );
}

/** The algorithm that a challenge or an answer names; MD5 where it names none. */
export function algorithmOf({ algorithm = 'MD5' }: DigestParameters): DigestAlgorithm | undefined {
  return ALGORITHMS.find((known) => known === algorithm.toUpperCase());
}

/** What an answer is computed from, besides the password. */
export interface DigestQuestion {
  readonly algorithm: DigestAlgorithm;
  readonly realm: string;
  readonly nonce: string;
  readonly method: string;
  readonly uri: string;
  /** Set with `qop=auth`. */
  readonly counted?: { readonly nc: string; readonly cnonce: string } | undefined;
}

/** The `response` of RFC 7616 §3.4.1, in hexadecimal digits. */
export function digestResponse(question: DigestQuestion, { username, password }: DigestCredentials): string {
  const { algorithm, realm, nonce, method, uri, counted } = question;
  const hash = (text: string): string => createHash(HASHES[algorithm]).update(text).digest('hex');
  const secret = hash(`${username}:${realm}:${password}`);
  const middle = counted === undefined ? nonce : `${nonce}:${counted.nc}:${counted.cnonce}:auth`;
  return hash(`${secret}:${middle}:${hash(`${method}:${uri}`)}`);
}

/**
 * The headers in which a refusal asks for a proof, and in which the proof is sent (RFC 3261 §22.2, §22.3).
 */
const ASKED = {
  401: ['www-authenticate', 'authorization'],
  407: ['proxy-authenticate', 'proxy-authorization'],
} as const;

/**
 * The header that answers a refusal's challenge; undefined for any other refusal, and where it cannot be
 * answered.
 */
export function proofFor(
  { status, headers }: SipResponse,
  request: { readonly method: string; readonly uri: string },
  credentials: DigestCredentials | undefined,
): Record<string, string> | undefined {
  if (credentials === undefined || (status !== 401 && status !== 407)) return undefined;
  const [asked, proof] = ASKED[status];
  const answer = answerChallenge(headers.all(asked), request, credentials);
  return answer === undefined ? undefined : { [proof]: answer };
}

/**
 * Our answer to the best of the challenges: the value of `Authorization` or `Proxy-Authorization`.
 *
 * @param count how often the challenge's nonce has been used, this time included
 * @returns undefined where no challenge has a supported algorithm
 */
export function answerChallenge(
  challenges: readonly string[],
  request: { readonly method: string; readonly uri: string },
  credentials: DigestCredentials,
  count = 1,
): string | undefined {
  const read = challenges.map(parseDigest).filter((one) => one !== undefined);
  const best = ALGORITHMS.flatMap((algorithm) => read.filter((one) => algorithmOf(one) === algorithm))[0];
  const algorithm = best === undefined ? undefined : algorithmOf(best);
  if (best === undefined || algorithm === undefined) return undefined;
  const { realm = '', nonce = '', opaque, qop } = best;
  const offered = qop?.split(',').map((word) => word.trim().toLowerCase());
  if (offered !== undefined && !offered.includes('auth')) return undefined;
  const counted =
    offered === undefined
      ? undefined
      : { nc: count.toString(16).padStart(8, '0'), cnonce: randomBytes(8).toString('hex') };
  const { method, uri } = request;
  const response = digestResponse({ algorithm, realm, nonce, method, uri, counted }, credentials);
  const quoted = { username: credentials.username, realm, nonce, uri, response, ...(opaque && { opaque }) };
  const parts = Object.entries(quoted).map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`);
  const bare = counted === undefined ? [] : ['qop=auth', `nc=${counted.nc}`, `cnonce="${counted.cnonce}"`];
  return `Digest ${[...parts, `algorithm=${algorithm}`, ...bare].join(', ')}`;
}
