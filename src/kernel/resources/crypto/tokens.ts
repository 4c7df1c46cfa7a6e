import { createHash, createPrivateKey, type KeyObject, sign as signBytes } from 'node:crypto';
import { importJWK, type JWTPayload, jwtVerify } from 'jose';
import { publicJwk } from './key-ring.ts';
import type { Keys, StoredKey } from './keys.ts';

type VerifyKey = Awaited<ReturnType<typeof importJWK>>;

/** Signs and verifies the platform's JSON Web Tokens (RFC 7519), only with keys from keys.json. */
export interface Tokens {
  /** Signs claims with the current key; the caller sets `exp`, `iat` and the rest. */
  sign(claims: JWTPayload): Promise<string>;
  /**
   * The claims of a token whose signature and times are valid, else undefined. Only keys of our own file
   * count: `jku`, `x5u` and path-like `kid` are never followed.
   */
  verify(token: string): Promise<JWTPayload | undefined>;
  /** Public keys for `/.well-known/jwks.json`; symmetric ones are never listed. */
  jwks(): Promise<{ keys: StoredKey[] }>;
}

/**
 * Where the keys come from, and whether they have changed: `northline keys` may write the file while we run.
 */
export interface KeySource {
  /** The current keys, if they have changed since the last call. */
  changed(): Keys | undefined;
}

/** Longest token that is verified; longer ones are refused before any work. */
const MAX_TOKEN_LENGTH = 16_384;
const CACHE_SIZE = 5000;
/** Longest time until every process knows that a key was added or retired. */
const RELOAD_MS = 1000;
/** How old the keys may be when a token names an unknown one, which another process may just have created. */
const UNKNOWN_KEY_RELOAD_MS = 50;

interface VerifyEntry {
  readonly key: VerifyKey;
  readonly jwk: StoredKey;
}

interface Ring {
  readonly signing: StoredKey;
  readonly privateKey: KeyObject;
  readonly verify: ReadonlyMap<string, VerifyEntry>;
  /** Verified tokens by their hash: a check costs about 0.1 ms, and one token comes with every request of a page. */
  readonly seen: Map<string, JWTPayload>;
}

async function openRing(keys: Keys): Promise<Ring> {
  const verify = new Map<string, { key: VerifyKey; jwk: StoredKey }>();
  for (const jwk of [keys.signing_key, ...keys.verify_keys]) {
    const publicHalf = jwk.kty === 'oct' ? jwk : publicJwk(jwk);
    verify.set(jwk.kid, { key: await importJWK(publicHalf, jwk.alg), jwk });
  }
  const privateKey = createPrivateKey({ key: keys.signing_key as never, format: 'jwk' });
  return { signing: keys.signing_key, privateKey, verify, seen: new Map() };
}

/**
 * Opens the token service for the installation's keys; it follows changes of `source`.
 *
 * @param mostSeen how many verified tokens are remembered; the oldest is forgotten first
 */
export async function createTokens(
  keys: Keys,
  source: KeySource = { changed: () => undefined },
  mostSeen = CACHE_SIZE,
): Promise<Tokens> {
  let ring = openRing(keys);
  let loadedAt = Date.now();

  function current(maxAgeMs: number): Promise<Ring> {
    const now = Date.now();
    if (now - loadedAt >= maxAgeMs) {
      loadedAt = now;
      const next = source.changed();
      if (next !== undefined) ring = openRing(next);
    }
    return ring;
  }

  return {
    async jwks() {
      const { verify } = await current(0);
      const keys = [...verify.values()].map(({ jwk }) => jwk).filter((jwk) => jwk.kty !== 'oct');
      return { keys: keys.map(publicJwk) };
    },
    async sign(claims) {
      const { signing, privateKey } = await current(RELOAD_MS);
      const header = { alg: signing.alg, kid: signing.kid, typ: 'JWT' };
      const content = `${encoded(header)}.${encoded(claims)}`;
      // Signed in this thread (0.05 ms): in the thread pool it would wait behind password hashes.
      const signature = signBytes('sha256', Buffer.from(content), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      });
      return `${content}.${signature.toString('base64url')}`;
    },
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      let known = await current(RELOAD_MS);
      if (candidates(token, known).length === 0) known = await current(UNKNOWN_KEY_RELOAD_MS);
      const fingerprint = createHash('sha256').update(token).digest('base64');
      const before = known.seen.get(fingerprint);
      if (before !== undefined) {
        if ((before.exp ?? Number.POSITIVE_INFINITY) > Date.now() / 1000) return before;
        known.seen.delete(fingerprint);
        return undefined;
      }
      const payload = await verifyWith(token, candidates(token, known));
      if (payload === undefined) return undefined;
      if (known.seen.size >= mostSeen) known.seen.delete(known.seen.keys().next().value ?? '');
      known.seen.set(fingerprint, payload);
      return payload;
    },
  };
}

/**
 * The key that a token names. A token without a key id may belong to any imported shared secret, as on the
 * hosted stack.
 */
function candidates(token: string, { verify }: Ring): VerifyEntry[] {
  const kid = kidOf(token);
  if (kid !== '') return [verify.get(kid) ?? []].flat();
  return [...verify.values()].filter(({ jwk }) => isImported(jwk) && jwk.alg === 'HS256');
}

async function verifyWith(token: string, entries: readonly VerifyEntry[]): Promise<JWTPayload | undefined> {
  for (const { key, jwk } of entries) {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, key, { algorithms: [jwk.alg] });
      if (isAcceptable(payload, protectedHeader.typ, jwk)) return payload;
    } catch {
      // Signed by another key, or expired.
    }
  }
  return undefined;
}

/**
 * Our tokens have a type and an expiry. Other systems leave out the type, and the expiry of their API keys.
 */
function isAcceptable({ exp, role }: JWTPayload, typ: string | undefined, jwk: StoredKey): boolean {
  const imported = isImported(jwk);
  if (typ === undefined ? !imported : typ.toUpperCase() !== 'JWT') return false;
  return exp !== undefined || (imported && role !== 'authenticated');
}

function isImported({ imported_at: importedAt }: StoredKey): boolean {
  return importedAt !== undefined;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** The content of an unverified header; only used to look up one of our own keys. */
function kidOf(token: string): string {
  try {
    const header = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString()) as unknown;
    const { kid } = (header ?? {}) as { kid?: unknown };
    return typeof kid === 'string' ? kid : '';
  } catch {
    return '';
  }
}
