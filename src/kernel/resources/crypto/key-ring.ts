import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { type Keys, newSigningKey, pushScalar, type StoredKey } from './keys.ts';

/** A change of keys that cannot be made: `message` is the sentence to print. */
export class KeyError extends Error {}

/** How long access tokens of a key that no longer signs stay valid: their lifetime (docs/contracts/platform.md §6). */
const TOKEN_HOURS = 1;
/** RFC 7518 §3.2 and §3.3. */
const LEAST_SECRET_BYTES = 32;
const LEAST_RSA_BITS = 2048;

/** A new ES256 key signs from now on. The former one still verifies; its private half is deleted. */
export async function rotateKey(keys: Keys, now: Date): Promise<Keys> {
  const before: StoredKey = { ...publicJwk(keys.signing_key), rotated_at: now.toISOString() };
  return { ...keys, signing_key: await newSigningKey(), verify_keys: [before, ...keys.verify_keys] };
}

/**
 * Replaces the key that signs notices to browsers. People have to switch notices on again, because their
 * browsers agreed to the former key (RFC 8292 §4).
 */
export function rotatePushKey(keys: Keys): Keys {
  return { ...keys, push_private_key: pushScalar(randomBytes(32)) };
}

/**
 * Removes a key: its tokens are refused from now on.
 *
 * @param force also when access tokens signed with it may still be in use
 * @throws KeyError for the key that signs, an unknown one, or one that was in use within the last hour
 */
export function retireKey(keys: Keys, kid: string, now: Date, force: boolean): Keys {
  if (kid === keys.signing_key.kid) throw new KeyError(`${kid} signs: rotate first.`);
  const key = keys.verify_keys.find((entry) => entry.kid === kid);
  if (key === undefined) throw new KeyError(`There is no key ${kid}: see northline keys list.`);
  const rotatedAt = typeof key.rotated_at === 'string' ? Date.parse(key.rotated_at) : 0;
  if (!force && now.getTime() - rotatedAt < TOKEN_HOURS * 3_600_000) {
    throw new KeyError(
      `${kid} signed until less than an hour ago, so people still use its tokens: wait, or add --now.`,
    );
  }
  return { ...keys, verify_keys: keys.verify_keys.filter((entry) => entry !== key) };
}

/**
 * Adds a key of another system, so that its tokens are accepted by their `kid`: a JWK, a list or set of them,
 * a PEM key (only its public half is stored), or a shared secret as text, which also verifies tokens without
 * a `kid`.
 *
 * @param kid the key id in the other system's tokens, when the file does not name it
 * @throws KeyError when the key cannot be used
 */
export async function importKeys(
  keys: Keys,
  text: string,
  kid: string | undefined,
  now: Date,
): Promise<{ keys: Keys; added: string[] }> {
  const added: StoredKey[] = [];
  for (const key of await readKeys(text.trim(), kid)) {
    const taken = [keys.signing_key, ...keys.verify_keys, ...added].some((entry) => entry.kid === key.kid);
    if (taken)
      throw new KeyError(`There is a key ${key.kid} already: retire it first, or name another --kid.`);
    added.push({ ...key, imported_at: now.toISOString() });
  }
  return {
    keys: { ...keys, verify_keys: [...keys.verify_keys, ...added] },
    added: added.map((key) => key.kid),
  };
}

async function readKeys(text: string, kid: string | undefined): Promise<StoredKey[]> {
  if (text === '') throw new KeyError('The file is empty.');
  if (text.startsWith('{') || text.startsWith('[')) return readJwks(text, kid);
  if (text.startsWith('-----BEGIN')) return [await asymmetricKey(publicKeyOf(text), kid)];
  return [secretKey(Buffer.from(text), kid)];
}

async function readJwks(text: string, kid: string | undefined): Promise<StoredKey[]> {
  const list = jwksOf(parseJson(text));
  if (list.length !== 1 && kid !== undefined)
    throw new KeyError('--kid names one key, the file has several.');
  return Promise.all(
    list.map((entry) => {
      const name = kid ?? (typeof entry.kid === 'string' ? entry.kid : undefined);
      if (entry.kty !== 'oct') return asymmetricKey(publicKeyOf(entry), name);
      if (typeof entry.k !== 'string') throw new KeyError('A symmetric key needs its value k.');
      return secretKey(Buffer.from(entry.k, 'base64url'), name);
    }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KeyError('The file begins like JSON but is not valid JSON.');
  }
}

/** One JWK, a list of them, or a JWK set (RFC 7517 §5). */
function jwksOf(given: unknown): Record<string, unknown>[] {
  const { keys } = given as { keys?: unknown };
  const list: unknown[] = Array.isArray(given) ? given : Array.isArray(keys) ? keys : [given];
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (list.length === 0 || !list.every(isObject)) throw new KeyError('The file holds no JSON Web Keys.');
  return list;
}

function publicKeyOf(given: string | Record<string, unknown>): KeyObject {
  try {
    return createPublicKey(typeof given === 'string' ? given : { key: given as never, format: 'jwk' });
  } catch {
    throw new KeyError('The file holds no RSA or EC key that can be read.');
  }
}

async function asymmetricKey(key: KeyObject, kid: string | undefined): Promise<StoredKey> {
  const jwk = key.export({ format: 'jwk' });
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (jwk.kty === 'RSA' && bits < LEAST_RSA_BITS) {
    throw new KeyError(`An RSA key needs ${LEAST_RSA_BITS} bits, this one has ${bits}.`);
  }
  if (jwk.kty !== 'RSA' && jwk.crv !== 'P-256') {
    throw new KeyError('Only keys for RS256, ES256 and HS256 can be used.');
  }
  const name = kid ?? (await calculateJwkThumbprint(jwk as never));
  const { kty = '', crv, x, y, n, e } = jwk;
  return publicJwk({ kty, crv, x, y, n, e, kid: checkedKid(name), alg: kty === 'RSA' ? 'RS256' : 'ES256' });
}

function secretKey(secret: Buffer, kid: string | undefined): StoredKey {
  if (secret.length < LEAST_SECRET_BYTES) {
    throw new KeyError(
      `A secret for HS256 needs ${LEAST_SECRET_BYTES} bytes, this one has ${secret.length}.`,
    );
  }
  // Tokens need not name this key: those without a `kid` are verified with every imported secret.
  const name = kid || `secret-${randomBytes(6).toString('hex')}`;
  return { kty: 'oct', kid: checkedKid(name), alg: 'HS256', k: secret.toString('base64url') };
}

function checkedKid(kid: string): string {
  if (!/^[\x21-\x7e]{1,128}$/.test(kid)) {
    throw new KeyError('A kid is 1 to 128 printable letters without spaces.');
  }
  return kid;
}

/** The public half of a key, as it may be shown to anybody. */
export function publicJwk(key: StoredKey): StoredKey {
  const { kty, kid, alg, crv, x, y, n, e } = key;
  const entries = Object.entries({ kty, kid, alg, use: 'sig', key_ops: ['verify'], crv, x, y, n, e });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as StoredKey;
}
