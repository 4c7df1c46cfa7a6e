import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { z } from 'zod';
import { writeFileDurably } from './write-file-durably.ts';

const jwk = z.looseObject({ kty: z.string(), kid: z.string(), alg: z.string() });
const keysFile = z.object({
  /** Signs access tokens; its public half is in the JWKS. */
  signing_key: jwk,
  /** Public keys of earlier signing keys and of keys made elsewhere, honoured by `kid`. */
  verify_keys: z.array(jwk).default([]),
  anon_key: z.string(),
  service_role_key: z.string(),
  /** Root of every other secret: see `derivedSecret`. 32 bytes, base64url. */
  master_secret: z.string(),
});

/** The installation's secrets, as kept in `DATA_DIR/keys.json` (mode 0600). */
export type Keys = z.output<typeof keysFile>;

/** Far away, as these keys are replaced by rotation and not by time. */
const KEY_LIFE = '10y';
/** Issuer claim of the two API keys. */
export const KEY_ISSUER = 'northline';

/**
 * Reads `DATA_DIR/keys.json`, or makes it on the first run.
 *
 * @throws Error with one sentence when the file is there but cannot be understood
 */
export async function loadKeys(dataDir: string): Promise<Keys> {
  const file = path.join(dataDir, 'keys.json');
  if (existsSync(file)) {
    chmodSync(file, 0o600);
    const outcome = keysFile.safeParse(parseJson(readFileSync(file, 'utf8')));
    if (!outcome.success) {
      throw new Error(`${file} is damaged: restore it from a backup; deleting it signs everybody out.`);
    }
    return outcome.data;
  }
  const keys = await createKeys();
  writeFileDurably(file, `${JSON.stringify(keys, null, 2)}\n`, 0o600);
  return keys;
}

async function createKeys(): Promise<Keys> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const kid = randomBytes(12).toString('base64url');
  const signing: JWK & { kid: string; alg: string; kty: string } = {
    ...(await exportJWK(pair.privateKey)),
    kty: 'EC',
    kid,
    alg: 'ES256',
    use: 'sig',
  };
  const privateKey = await importJWK(signing, 'ES256');
  const apiKey = (role: string) =>
    new SignJWT({ role })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
      .setIssuer(KEY_ISSUER)
      .setIssuedAt()
      .setExpirationTime(KEY_LIFE)
      .sign(privateKey);
  return {
    signing_key: signing,
    verify_keys: [],
    anon_key: await apiKey('anon'),
    service_role_key: await apiKey('service_role'),
    master_secret: randomBytes(32).toString('base64url'),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
