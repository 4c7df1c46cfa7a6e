import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { z } from 'zod';
import { writeFileDurably } from './durable-write.ts';
import { derivedSecret } from './secrets.ts';

/**
 * A JSON Web Key (RFC 7517), with the time when it was imported (`imported_at`) or stopped signing
 * (`rotated_at`).
 */
const jwk = z.looseObject({ kty: z.string(), kid: z.string(), alg: z.string() });
/** A key as stored in the file. */
export type StoredKey = z.output<typeof jwk>;
const keysFile = z.object({
  /** Signs access tokens; its public half is listed in the JWKS. */
  signing_key: jwk.refine(({ alg }) => alg === 'ES256'),
  /** Public keys of earlier signing keys and of keys made elsewhere, honoured by `kid`. */
  verify_keys: z.array(jwk).default([]),
  anon_key: z.string(),
  service_role_key: z.string(),
  /** Bearer token of the operator's programs at /voice/v1. */
  voice_private_key: z.string().min(32),
  /** Bearer token of browsers at /voice/v1, shown in /config.json. */
  voice_public_key: z.string().min(16),
  /** Id of the organisation at /voice/v1, and root of the id of the site's own assistant. */
  voice_org_id: z.uuid(),
  voice_assistant_id: z.uuid(),
  /** Bearer token of Prometheus at /metrics. */
  metrics_token: z.string().min(32),
  /** Signs the messages that push services bring to browsers (VAPID): a scalar of P-256, base64url. */
  push_private_key: z.string().length(43),
  /** Every other secret is derived from it: see `derivedSecret`. 32 bytes, base64url. */
  master_secret: z.string(),
});

/** The installation's secrets, as stored in `DATA_DIR/keys.json` (mode 0600). */
export type Keys = z.output<typeof keysFile>;

/** Very long, because these keys end by rotation and not by time. */
const KEY_LIFE = '10y';
/** Issuer claim of the two API keys. */
export const KEY_ISSUER = 'northline';

/**
 * Reads `DATA_DIR/keys.json`, or creates it on the first run.
 *
 * @throws Error with one sentence when the file cannot be understood, or is missing beside a database that
 * was created with it
 */
export async function loadKeys(dataDir: string): Promise<Keys> {
  const file = path.join(dataDir, 'keys.json');
  if (existsSync(file)) {
    chmodSync(file, 0o600);
    const given = parseJson(readFileSync(file, 'utf8'));
    const outcome = keysFile.safeParse(withDerivedKeys(given));
    if (!outcome.success) {
      throw new Error(
        `${file} is damaged: restore it from a backup. Do not delete it: the database and the files of this installation open with it only.`,
      );
    }
    if (DERIVED_FIELDS.some((name) => !Object.hasOwn(given as object, name))) writeKeys(file, outcome.data);
    return outcome.data;
  }
  const orphan = KEPT_WITH_KEYS.map((name) => path.join(dataDir, name)).find(existsSync);
  if (orphan !== undefined) {
    throw new Error(
      `${file} is missing, but ${orphan} is there, and the two belong together: restore keys.json from a backup.`,
    );
  }
  const keys = await createKeys();
  writeKeys(file, keys);
  return keys;
}

/** Parses the text of a key file. @throws Error when it cannot be understood */
export function parseKeys(text: string): Keys {
  return keysFile.parse(withDerivedKeys(parseJson(text)));
}

/** Data in DATA_DIR that only the keys it was created with can open: new keys would lock the owner out. */
const KEPT_WITH_KEYS = ['postgres', 'postgres.location'];

function writeKeys(file: string, keys: Keys): void {
  writeFileDurably(file, `${JSON.stringify(keys, null, 2)}\n`);
}

const DERIVED_FIELDS = [
  'voice_private_key',
  'voice_public_key',
  'voice_org_id',
  'voice_assistant_id',
  'metrics_token',
  'push_private_key',
] as const;

/**
 * Adds keys that an older file lacks. They are derived from the master secret, so that processes that start
 * together add the same ones; from then on the file holds them.
 */
function withDerivedKeys(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const { master_secret: master } = given as { master_secret?: unknown };
  return typeof master === 'string' ? { ...deriveKeys(master), ...given } : given;
}

function deriveKeys(master_secret: string): Pick<Keys, (typeof DERIVED_FIELDS)[number]> {
  const derived = (purpose: string): Buffer => derivedSecret({ master_secret }, purpose);
  const uuid = (purpose: string): string => uuidOf(derived(purpose));
  return {
    voice_private_key: derived('voice private key').toString('base64url'),
    voice_public_key: uuid('voice public key'),
    voice_org_id: uuid('voice organisation'),
    voice_assistant_id: uuid('voice assistant'),
    metrics_token: derived('metrics').toString('base64url'),
    push_private_key: pushScalar(derived('push')),
  };
}

/**
 * Makes a private key of P-256 from 32 random bytes. Its first bit is 0, so that it lies below the curve's
 * order.
 */
export function pushScalar(random: Buffer): string {
  const bytes = Buffer.from(random);
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return bytes.toString('base64url');
}

/** A version 8 UUID (RFC 9562 §5.8) of the first 16 bytes. */
function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Replaces the whole file; running processes see the change within a second. */
export function saveKeys(dataDir: string, keys: Keys): void {
  writeKeys(path.join(dataDir, 'keys.json'), keys);
}

/**
 * Follows the file: `changed` reads it again when it has changed. A file that cannot be understood changes
 * nothing; the keys in use stay valid.
 */
export function watchKeys(
  dataDir: string,
  onDamage: (error: Error) => void,
): { changed(): Keys | undefined } {
  const file = path.join(dataDir, 'keys.json');
  const mark = (): string => {
    const { mtimeMs, ino, size } = statSync(file);
    return `${mtimeMs} ${ino} ${size}`;
  };
  let known = mark();
  return {
    changed() {
      try {
        const now = mark();
        if (now === known) return undefined;
        known = now;
        return parseKeys(readFileSync(file, 'utf8'));
      } catch (error) {
        onDamage(error as Error);
        return undefined;
      }
    },
  };
}

/** A new key pair that signs with ES256. */
export async function newSigningKey(): Promise<StoredKey> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  // Without dashes: operators type it after a command, where a leading dash would begin an option.
  const kid = randomBytes(12).toString('hex');
  return { ...(await exportJWK(pair.privateKey)), kty: 'EC', kid, alg: 'ES256', use: 'sig' };
}

async function createKeys(): Promise<Keys> {
  const signing = await newSigningKey();
  const { kid } = signing;
  const privateKey = await importJWK(signing, 'ES256');
  const apiKey = (role: string) =>
    new SignJWT({ role })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
      .setIssuer(KEY_ISSUER)
      .setIssuedAt()
      .setExpirationTime(KEY_LIFE)
      .sign(privateKey);
  const master_secret = randomBytes(32).toString('base64url');
  return {
    signing_key: signing,
    verify_keys: [],
    anon_key: await apiKey('anon'),
    service_role_key: await apiKey('service_role'),
    ...deriveKeys(master_secret),
    master_secret,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
