import type { ApiRight } from '../../kernel/contract/api-rights.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { CallerOfApiKey } from '../../kernel/http/authenticate.ts';
import type { RecordKeyWrite } from '../../kernel/http/http-context.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { sqlState } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { hashOfKey, rightsOfAccount } from './api-key-store.server.ts';

/** Longest idempotency key, characters. */
const IDEMPOTENCY_KEY_LENGTH = 100;

/** A valid key: as whom it acts, and what it may do at this moment. */
export interface KeyHolder {
  readonly caller: Caller;
  readonly keyId: string;
  /** Those of the key that its owner's account has now. */
  readonly rights: readonly ApiRight[];
  readonly expiresAt: Date;
}

/** Checks API keys and records what is changed with them. */
export interface KeyGate {
  /** @throws ServiceError 401 `bad_key`, `key_expired` or `key_ended` */
  open(key: string): Promise<KeyHolder>;
  readonly callerOf: CallerOfApiKey;
  readonly recordWrite: RecordKeyWrite;
}

/**
 * Opens the gate. It asks the database about each request and remembers nothing, so that a revoked key ends at the same
 * moment in every process.
 */
export function createKeyGate({ database }: Pick<Resources, 'database'>): KeyGate {
  async function open(key: string): Promise<KeyHolder> {
    const hash = hashOfKey(key);
    if (hash === undefined) throw badKey();
    const row = await database.maybe(
      `with known as (
         select k.id, k.user_id, k.rights, k.aal, k.expires_at, k.ended_at, k.ended_by, k.last_used_at,
                u.email, u.raw_app_meta_data
           from private.api_keys k join auth.users u on u.id = k.user_id
          where k.secret_hash = $1 and u.deleted_at is null and coalesce(u.banned_until <= now(), true)),
       noted as (
         update private.api_keys k set last_used_at = now() from known
          where k.id = known.id and known.ended_at is null and known.expires_at > now()
            and coalesce(known.last_used_at < now() - interval '5 minutes', true))
       select id, user_id, rights, aal, expires_at, ended_by, email, raw_app_meta_data as app_metadata,
              expires_at <= now() as expired, private.operator_role_of(raw_app_meta_data) as role
         from known`,
      [hash],
    );
    if (row === undefined) throw badKey();
    if (row.ended_by !== null) throw keyEnded(row.ended_by);
    if (row.expired === true)
      throw new ServiceError(401, 'key_expired', 'This API key has expired. Make a new one.');
    const allowed = rightsOfAccount(row.role);
    return {
      keyId: row.id,
      rights: allowed.filter((right) => row.rights.includes(right)),
      expiresAt: row.expires_at,
      caller: {
        role: 'authenticated',
        userId: row.user_id,
        apiKeyId: row.id,
        claims: {
          role: 'authenticated',
          aud: 'authenticated',
          sub: row.user_id,
          email: row.email,
          app_metadata: row.app_metadata ?? {},
          aal: row.aal,
          api_key: row.id,
        },
      },
    };
  }

  return {
    open,
    async callerOf(key, right) {
      const { caller, rights } = await open(key);
      if (!rights.includes(right))
        throw new ServiceError(403, 'right_missing', `This API key does not have the right ${right}.`, {
          headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${right}"` },
        });
      return caller;
    },
    async recordWrite({ caller, action, subject, idempotencyKey = null }) {
      if (idempotencyKey !== null && idempotencyKey.length > IDEMPOTENCY_KEY_LENGTH)
        throw new ServiceError(
          400,
          'bad_idempotency_key',
          `An Idempotency-Key has at most ${IDEMPOTENCY_KEY_LENGTH} characters.`,
        );
      try {
        const { id } = await database.one(
          `insert into private.api_key_writes (key_id, action, subject, idempotency_key)
           values ($1, $2, $3, $4) returning id`,
          [caller.apiKeyId, action, subject, idempotencyKey],
        );
        return async (outcome) => {
          // A refused request changed nothing, so it may be sent again.
          await database.run(
            `update private.api_key_writes set outcome = $2,
                    idempotency_key = case when $2 = 'done' then idempotency_key end where id = $1`,
            [id, outcome],
          );
        };
      } catch (error) {
        if (sqlState(error)?.code !== '23505') throw error;
        throw new ServiceError(
          409,
          'already_done',
          'This request was sent before. Look at what it did before you send it again under another name.',
        );
      }
    },
  };
}

const badKey = (): ServiceError => new ServiceError(401, 'bad_key', 'This API key is not valid.');

const keyEnded = (by: string): ServiceError =>
  new ServiceError(
    401,
    'key_ended',
    by === 'restore'
      ? 'This API key ended when a backup was restored. Make a new one.'
      : 'This API key was revoked. Make a new one.',
  );
