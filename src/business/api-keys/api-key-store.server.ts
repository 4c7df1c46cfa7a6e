import { createHash, randomBytes } from 'node:crypto';
import {
  API_KEY_PREFIX,
  API_RIGHTS,
  type ApiRight,
  CUSTOMER_RIGHTS,
  isWriting,
} from '../../kernel/contract/api-rights.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { type ApiKey, type CreatedApiKey, MOST_KEYS } from './api-key.contract.ts';

/** Characters of the key that are a checksum of the others: a mistyped or guessed key costs no query. */
const CHECK_LENGTH = 6;
const SHAPE = new RegExp(`^${API_KEY_PREFIX}[\\w-]{${43 + CHECK_LENGTH}}$`);
const HINT_LENGTH = 4;

/** What a new key is to be. */
interface WantedKey {
  readonly userId: string;
  readonly name: string;
  readonly rights: readonly ApiRight[];
  readonly days: number;
  /** The assurance of the session that makes it. */
  readonly aal: 'aal1' | 'aal2';
}

/** The SHA-256 of a key; undefined for a text that cannot be one of ours. The key has 256 random bits, so a slow hash would add nothing. */
export function hashOfKey(key: string): Buffer | undefined {
  if (!SHAPE.test(key)) return undefined;
  const body = key.slice(0, -CHECK_LENGTH);
  return key === body + checkOf(body) ? createHash('sha256').update(key).digest() : undefined;
}

function newKey(): string {
  const body = API_KEY_PREFIX + randomBytes(32).toString('base64url');
  return body + checkOf(body);
}

const checkOf = (body: string): string =>
  createHash('sha256').update(`check ${body}`).digest('base64url').slice(0, CHECK_LENGTH);

/**
 * The rights that an account may give its keys, and that its keys have: a key never changes more at the agency than its
 * owner's role at the console allows.
 *
 * @param role at the console, as `private.operator_role_of` returns it
 */
export function rightsOfAccount(role: string | null): readonly ApiRight[] {
  if (role === null) return CUSTOMER_RIGHTS;
  return API_RIGHTS.filter(
    (right) => role === 'owner' || CUSTOMER_RIGHTS.includes(right) || !isWriting(right),
  );
}

/**
 * Makes a key and returns it, which nothing can do again. Keys that ended thirty days ago are deleted on the way.
 *
 * @throws ServiceError 404 `not_found` without such an account, 403 `right_missing` for a right that the account does not
 *   have, 409 `too_many_keys`
 */
export async function createApiKey(queries: Queries, wanted: WantedKey): Promise<CreatedApiKey> {
  const { userId, name, rights, days, aal } = wanted;
  // Locked, so that two requests at once cannot both make the last key.
  const account = await queries.maybe(
    `select private.operator_role_of(raw_app_meta_data) as role
       from auth.users where id = $1 and deleted_at is null and not is_anonymous for no key update`,
    [userId],
  );
  if (account === undefined)
    throw new ServiceError(404, 'not_found', 'Sign up with an address first: a key needs an account.');
  const allowed = rightsOfAccount(account.role);
  const beyond = rights.find((right) => !allowed.includes(right));
  if (beyond !== undefined)
    throw new ServiceError(
      403,
      'right_missing',
      `Only ${isWriting(beyond) ? 'an owner' : 'an operator'}'s key can have the right ${beyond}.`,
    );
  await queries.run(
    `delete from private.api_keys where user_id = $1 and least(ended_at, expires_at) < now() - interval '30 days'`,
    [userId],
  );
  const { valid } = await queries.one(
    `select count(*)::integer as valid /* not null */ from private.api_keys
      where user_id = $1 and ended_at is null and expires_at > now()`,
    [userId],
  );
  if (valid >= MOST_KEYS)
    throw new ServiceError(
      409,
      'too_many_keys',
      `This account has ${MOST_KEYS} valid keys. Revoke one that you no longer use.`,
    );
  const key = newKey();
  const made = await queries.one(
    `insert into private.api_keys (user_id, name, secret_hash, hint, rights, aal, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7))
     returning id, name, hint, rights, created_at, expires_at, last_used_at, ended_at, ended_by`,
    [userId, name, hashOfKey(key), key.slice(-HINT_LENGTH), [...new Set(rights)], aal, days],
  );
  return { key, made: shownKey(made) };
}

/** Revokes a key of the account; false if it has no such valid key. */
export async function endApiKey(
  queries: Queries,
  userId: string,
  id: string,
  by: 'owner' | 'command line',
): Promise<boolean> {
  const ended = await queries.maybe(
    `update private.api_keys set ended_at = now(), ended_by = $3
      where id = $2 and user_id = $1 and ended_at is null returning id`,
    [userId, id, by],
  );
  return ended !== undefined;
}

/** The keys of an account, newest first. */
export async function listApiKeys(queries: Queries, userId: string): Promise<ApiKey[]> {
  const rows = await queries.many(
    `select id, name, hint, rights, created_at, expires_at, last_used_at, ended_at, ended_by
       from private.api_keys where user_id = $1 order by created_at desc, id`,
    [userId],
  );
  return rows.map(shownKey);
}

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly rights: readonly string[];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
  readonly ended_at: Date | null;
  readonly ended_by: string | null;
}

const shownKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  rights: row.rights as readonly ApiRight[],
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
  ended_by: row.ended_by as ApiKey['ended_by'],
});
