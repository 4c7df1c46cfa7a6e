import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  ALGORITHMS,
  algorithmOf,
  type DigestParameters,
  digestResponse,
  parseDigest,
} from './digest-challenge.ts';
import type { SipRequest } from './message/sip-message.ts';
import type { SipClock } from './transaction/sip-clock.ts';

/** What a request has proved. */
export type DigestVerdict =
  | { readonly kind: 'proven'; readonly username: string }
  /** To be answered by 401 with these challenges. */
  | { readonly kind: 'challenge'; readonly headers: readonly string[]; readonly tried: boolean };

/** How long a nonce is valid, ms. */
const NONCE_MS = 60_000;
const MOST_NONCES = 10_000;

/**
 * Challenges requests and checks their digests (RFC 7616, `qop=auth`). A nonce has to be ours and recent, and
 * each of its counts is valid once, so that an overheard answer proves nothing.
 */
export class DigestGuard {
  readonly #clock: SipClock;
  readonly #realm: string;
  readonly #key = randomBytes(32);
  /** The highest count that each nonce was used with. */
  readonly #counts = new Map<string, number>();

  constructor(clock: SipClock, realm: string) {
    this.#clock = clock;
    this.#realm = realm;
  }

  /** @param passwordOf returns the password of a name; undefined where the name does not exist */
  check(request: SipRequest, passwordOf: (username: string) => string | undefined): DigestVerdict {
    const given = request.headers.all('authorization').map(parseDigest);
    const own = given.find((one) => one?.realm === this.#realm);
    if (own === undefined) return this.#challenge(false, false);
    const username = own.username ?? '';
    if (!this.#isRight(request, own, passwordOf(username))) return this.#challenge(false, true);
    if (!this.#isFresh(own)) return this.#challenge(true, false);
    return { kind: 'proven', username };
  }

  #isRight(request: SipRequest, given: DigestParameters, password: string | undefined): boolean {
    const { nonce = '', uri = '', nc = '', cnonce = '', qop, response = '', username = '' } = given;
    const algorithm = algorithmOf(given);
    if (algorithm === undefined || qop !== 'auth' || uri !== request.uri || !/^[0-9a-f]{8}$/i.test(nc))
      return false;
    const question = {
      algorithm,
      realm: this.#realm,
      nonce,
      method: request.method,
      uri,
      counted: { nc, cnonce },
    };
    // An unknown name takes as long to check as a wrong password.
    const wanted = digestResponse(question, {
      username,
      password: password ?? randomBytes(16).toString('hex'),
    });
    return isSame(response.toLowerCase(), wanted) && password !== undefined && this.#isOurs(nonce);
  }

  #isFresh({ nonce = '', nc = '' }: DigestParameters): boolean {
    const count = Number.parseInt(nc, 16);
    const made = Number.parseInt(nonce.split('.')[0] ?? '', 36);
    if (this.#clock.now() - made > NONCE_MS || count <= (this.#counts.get(nonce) ?? 0)) return false;
    this.#counts.delete(nonce);
    this.#counts.set(nonce, count);
    if (this.#counts.size > MOST_NONCES) {
      // Only an expired nonce may be forgotten; otherwise its counts could be used again.
      const [oldest = ''] = this.#counts.keys();
      const age = this.#clock.now() - Number.parseInt(oldest.split('.')[0] ?? '', 36);
      if (age <= NONCE_MS) return false;
      this.#counts.delete(oldest);
    }
    return true;
  }

  #isOurs(nonce: string): boolean {
    const [made = '', salt = '', seal = ''] = nonce.split('.');
    return isSame(seal, this.#seal(`${made}.${salt}`));
  }

  #seal(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url').slice(0, 24);
  }

  #challenge(stale: boolean, tried: boolean): DigestVerdict {
    const made = `${Math.floor(this.#clock.now()).toString(36)}.${randomBytes(9).toString('base64url')}`;
    const nonce = `${made}.${this.#seal(made)}`;
    const headers = ALGORITHMS.map(
      (algorithm) =>
        `Digest realm="${this.#realm}", nonce="${nonce}", algorithm=${algorithm}, qop="auth"${stale ? ', stale=true' : ''}`,
    );
    return { kind: 'challenge', headers, tried };
  }
}

/** Compares in constant time, so that nobody learns a digest letter by letter. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
