import { seal, unseal } from '../../kernel/resources/crypto/sealing.ts';

/** Secret texts by their place in a body, e.g. `{"model.tools.0.server.secret": "…"}`. */
export type Secrets = Readonly<Record<string, string>>;

const SECRET_NAME =
  /^(serverUrlSecret|secret|password|apiKey|accessToken|refreshToken|[a-zA-Z0-9]*(AuthToken|ApiKey|ApiSecret|SecretKey|SecretAccessKey|PrivateKey|ClientSecret)|authToken|apiSecret|secretKey|secretAccessKey|privateKey|clientSecret)$/;
/** Parts that hold a caller's own data or a schema: a field in them is not searched for secrets. */
const NOT_SEARCHED = new Set(['metadata', 'parameters', 'variableValues', 'schema']);

/**
 * Takes the secrets out of a body: fields whose name says that they are secret, and every value of `headers`.
 * With `everything`, as for a credential, all texts but `provider` and `name` are secrets.
 */
export function separateSecrets(
  body: Record<string, unknown>,
  everything: boolean,
): { shown: Record<string, unknown>; secrets: Secrets } {
  const secrets: Record<string, string> = {};
  const walk = (value: unknown, path: readonly string[], hidden: boolean): unknown => {
    const name = path.at(-1) ?? '';
    if (typeof value === 'string' && (hidden || SECRET_NAME.test(name))) {
      secrets[path.join('.')] = value;
      return undefined;
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, String(index)], hidden));
    if (typeof value !== 'object' || value === null || NOT_SEARCHED.has(name)) return value;
    const inside = hidden || name === 'headers';
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, item]) => [
          key,
          walk(item, [...path, key], inside && !(path.length === 0 && SHOWN.has(key))),
        ])
        .filter(([, item]) => item !== undefined),
    );
  };
  return { shown: walk(body, [], everything) as Record<string, unknown>, secrets };
}
const SHOWN = new Set(['provider', 'name']);

/** Encrypts the secrets for the row with the id `owner`; base64. */
export function encryptSecrets(key: Buffer, owner: string, secrets: Secrets): string | null {
  if (Object.keys(secrets).length === 0) return null;
  return seal(key, Buffer.from(JSON.stringify(secrets)), owner).toString('base64');
}

/** The opposite of `encryptSecrets`. @throws Error when the text was changed or belongs to another row */
export function decryptSecrets(key: Buffer, owner: string, encrypted: string | null): Secrets {
  if (encrypted === null) return {};
  return JSON.parse(unseal(key, Buffer.from(encrypted, 'base64'), owner).toString('utf8')) as Secrets;
}

/** A body with its secrets back in their places; a secret whose place is gone is left out. */
export function restoreSecrets(body: Record<string, unknown>, secrets: Secrets): Record<string, unknown> {
  const whole = structuredClone(body);
  for (const [place, secret] of Object.entries(secrets)) {
    // A name, for example a header's, may itself hold dots: the longest path that leads to an object is
    // taken.
    const parts = place.split('.');
    let at: unknown = whole;
    let index = 0;
    for (; index < parts.length - 1; index += 1) {
      const next: unknown = (at as Record<string, unknown>)[parts[index] ?? ''];
      if (typeof next !== 'object' || next === null) break;
      at = next;
    }
    const name = parts.slice(index).join('.');
    if (typeof at === 'object' && at !== null && name !== '__proto__')
      (at as Record<string, unknown>)[name] = secret;
  }
  return whole;
}
