import { createHash } from 'node:crypto';
import { importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Keys } from './keys.ts';

type VerifyKey = Awaited<ReturnType<typeof importJWK>>;

/** Signs and verifies the platform's JSON Web Tokens (RFC 7519) with keys from keys.json only. */
export interface Tokens {
  /** Signs claims with the current key; the caller sets `exp`, `iat` and the rest. */
  sign(claims: JWTPayload): Promise<string>;
  /**
   * The claims of a token whose signature and times hold, else undefined. Only keys of
   * our own store count: `jku`, `x5u` and path-like `kid` are never followed.
   */
  verify(token: string): Promise<JWTPayload | undefined>;
  /** Public keys for `/.well-known/jwks.json`; symmetric ones are never listed. */
  readonly jwks: { keys: Record<string, unknown>[] };
}

/** Longest token that is looked at; anything longer is refused before any work. */
const MAX_TOKEN_LENGTH = 16_384;
const CACHE_SIZE = 5000;

/** Opens the token service for the installation's keys. */
export async function createTokens(keys: Keys): Promise<Tokens> {
  const privateKey = await importJWK(keys.signing_key, keys.signing_key.alg);
  const verifyKeys = new Map<string, { key: VerifyKey; alg: string }>();
  for (const jwk of [keys.signing_key, ...keys.verify_keys]) {
    const { d: _private, ...publicHalf } = jwk as Record<string, unknown> & typeof jwk;
    verifyKeys.set(jwk.kid, { key: await importJWK(publicHalf, jwk.alg), alg: jwk.alg });
  }
  const jwks = {
    keys: [keys.signing_key, ...keys.verify_keys]
      .filter((jwk) => jwk.kty !== 'oct')
      .map((jwk) => publicJwk(jwk)),
  };
  // A signature check costs about 0.1 ms, and one token is sent with every request of a page.
  const seen = new Map<string, JWTPayload>();

  return {
    jwks,
    sign: (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: keys.signing_key.alg, kid: keys.signing_key.kid, typ: 'JWT' })
        .sign(privateKey),
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const fingerprint = createHash('sha256').update(token).digest('base64');
      const known = seen.get(fingerprint);
      if (known !== undefined) {
        if ((known.exp ?? 0) > Date.now() / 1000) return known;
        seen.delete(fingerprint);
        return undefined;
      }
      try {
        const { payload } = await jwtVerify(
          token,
          (header) => {
            const entry = verifyKeys.get(header.kid ?? '');
            if (entry === undefined || entry.alg !== header.alg) throw new Error('unknown key');
            return entry.key;
          },
          { requiredClaims: ['exp'], typ: 'JWT' },
        );
        if (seen.size >= CACHE_SIZE) seen.delete(seen.keys().next().value ?? '');
        seen.set(fingerprint, payload);
        return payload;
      } catch {
        return undefined;
      }
    },
  };
}

function publicJwk(jwk: Keys['signing_key']): Record<string, unknown> {
  const { kty, kid, alg, crv, x, y, n, e } = jwk as Record<string, unknown>;
  const entries = Object.entries({ kty, kid, alg, use: 'sig', key_ops: ['verify'], crv, x, y, n, e });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
