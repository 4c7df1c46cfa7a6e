import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type AuthOperation, clientOf } from '../auth-context.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { BODIES, readBody } from '../request-input.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { sessionBody } from '../sessions/session-issue.server.ts';
import { requireSession, type SignedIn } from '../sessions/session-require.server.ts';
import { stepUpSession } from '../sessions/session-step-up.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import { countWrongTry, factorLockout } from './factor-lock.server.ts';
import {
  deleteFactor,
  FACTOR_COLUMNS,
  type FactorRow,
  factorNotFound,
  hasFactor,
} from './factor-lookup.server.ts';

/** Codes in a set. */
const COUNT = 10;
/** 31 letters and digits that do not look alike; 16 of them have 79 bits. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const LENGTH = 16;
const DEFAULT_NAME = 'Recovery codes';
/** Part of a code's hash, besides the factor's id. */
const KIND = 'recovery code';

/**
 * `GET /factors/recovery-codes`: `{id, type, total, remaining}`, never the codes.
 *
 * @throws ServiceError 404 `mfa_factor_not_found`
 */
export async function showRecoveryCodes(context: AuthContext, request: FastifyRequest) {
  const { user } = await requireSession(context, request);
  const { database } = context.resources;
  const factor = await findSet(database, user.id);
  const { total, remaining } = await database.one(
    `select count(*)::int as total, count(*) filter (where used_at is null)::int as remaining
     from auth.mfa_recovery_codes where factor_id = $1`,
    [factor.id],
  );
  return { id: factor.id, type: 'recovery_code', total, remaining };
}

/**
 * `POST /factors/recovery-codes`: creates ten codes, which are shown only once. Each can be used once in
 * place of a lost factor, so the account must have a factor.
 *
 * @throws ServiceError 403 `insufficient_aal`; 422 `mfa_recovery_codes_sole_factor`,
 * `mfa_verified_factor_exists`, `mfa_factor_name_conflict`
 */
export async function generateRecoveryCodes(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'factor');
  const signedIn = await requireSession(context, request);
  const { user } = signedIn;
  const name = readBody(BODIES.recoveryCodes, request.body).friendly_name || DEFAULT_NAME;
  if (!hasFactor(user)) {
    throw new ServiceError(
      422,
      'mfa_recovery_codes_sole_factor',
      'Recovery codes need another verified factor that they stand in for',
    );
  }
  requireSecondLevel(signedIn);
  return context.resources.database.transaction(async (queries) => {
    await queries.one('select id from auth.users where id = $1 for update', [user.id]);
    const before = await queries.many(
      'select factor_type, friendly_name from auth.mfa_factors where user_id = $1',
      [user.id],
    );
    if (before.some(({ factor_type: type }) => type === 'recovery_code')) {
      throw new ServiceError(
        422,
        'mfa_verified_factor_exists',
        'Recovery codes exist already, regenerate them to replace them',
      );
    }
    if (before.some(({ friendly_name: taken }) => taken === name)) {
      throw new ServiceError(
        422,
        'mfa_factor_name_conflict',
        `A factor with the friendly name "${name}" for this user already exists`,
      );
    }
    const factor = await queries.one(
      `insert into auth.mfa_factors (user_id, friendly_name, factor_type, status)
       values ($1, $2, 'recovery_code', 'verified') returning ${FACTOR_COLUMNS}`,
      [user.id, name],
    );
    return newCodes({ context, queries, client: clientOf(context, request) }, user, factor);
  });
}

/**
 * `POST /factors/recovery-codes/regenerate`: replaces all earlier codes by ten new ones. @throws ServiceError
 * as above
 */
export async function regenerateRecoveryCodes(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'factor');
  const signedIn = await requireSession(context, request);
  const { user } = signedIn;
  return context.resources.database.transaction(async (queries) => {
    const factor = await findSet(queries, user.id, 'for update');
    requireSecondLevel(signedIn);
    await queries.run('delete from auth.mfa_recovery_codes where factor_id = $1', [factor.id]);
    await queries.run(
      'update auth.mfa_factors set tries = 0, blocked_until = null, updated_at = now() where id = $1',
      [factor.id],
    );
    return newCodes({ context, queries, client: clientOf(context, request) }, user, factor);
  });
}

/**
 * `POST /factors/recovery-codes/verify`: an unused code raises the session to aal2. Letter case, spaces and
 * hyphens do not matter. The owner is informed by mail.
 *
 * @throws ServiceError 422 `mfa_verification_failed`, 429 `mfa_recovery_codes_locked`
 */
export async function verifyRecoveryCode(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'factor');
  const { user, session } = await requireSession(context, request);
  const code = (readBody(BODIES.recoveryCode, request.body).code ?? '').toLowerCase().replace(/[\s-]/g, '');
  const client = clientOf(context, request);
  const { database } = context.resources;
  const outcome = await database.transaction(async (queries) => {
    const factor = await findSet(queries, user.id, 'for update');
    const rest = factorLockout(factor, 'mfa_recovery_codes_locked');
    if (rest !== undefined) return rest;
    const used = await queries.run(
      'update auth.mfa_recovery_codes set used_at = now() where factor_id = $1 and code_hash = $2 and used_at is null',
      [factor.id, context.hashes.code(KIND, factor.id, code)],
    );
    if (used === 0) return countWrongTry(queries, factor, client);
    await queries.run(
      `update auth.mfa_factors set tries = 0, blocked_until = null, last_challenged_at = now() where id = $1`,
      [factor.id],
    );
    const { left } = await queries.one(
      'select count(*) as left from auth.mfa_recovery_codes where factor_id = $1 and used_at is null',
      [factor.id],
    );
    await writeAudit(queries, {
      action: 'recovery_code_used',
      actorId: user.id,
      client,
      payload: { factor: factor.id, left },
    });
    await notifyOwner(context, queries, user, { kind: 'recovery-code-used', variables: { left } });
    return stepUpSession(queries, session, factor, client);
  });
  if (outcome instanceof ServiceError) throw outcome;
  return sessionBody(context, database, outcome);
}

/** `DELETE /factors/recovery-codes` @throws ServiceError 404 `mfa_factor_not_found`, 403 `insufficient_aal` */
export async function removeRecoveryCodes(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'factor');
  const signedIn = await requireSession(context, request);
  const { user } = signedIn;
  return context.resources.database.transaction(async (queries) => {
    const factor = await findSet(queries, user.id, 'for update');
    requireSecondLevel(signedIn);
    await deleteFactor(queries, factor);
    const client = clientOf(context, request);
    await writeAudit(queries, {
      action: 'factor_unenrolled',
      actorId: user.id,
      client,
      payload: { factor: factor.id },
    });
    await notifyOwner(context, queries, user, {
      kind: 'factor-removed',
      variables: {
        factor: factor.friendly_name ?? DEFAULT_NAME,
      },
    });
    return { id: factor.id };
  });
}

async function findSet(queries: Queries, userId: string, lock: '' | 'for update' = ''): Promise<FactorRow> {
  const factor = await queries.maybe(
    uncheckedSql<FactorRow>(
      `select ${FACTOR_COLUMNS} from auth.mfa_factors where user_id = $1 and factor_type = 'recovery_code' ${lock}`,
      'composed',
    ),
    [userId],
  );
  if (factor === undefined) throw factorNotFound();
  return factor;
}

function requireSecondLevel({ aal }: SignedIn): void {
  if (aal !== 'aal2') {
    throw new ServiceError(403, 'insufficient_aal', 'AAL2 required to manage recovery codes');
  }
}

async function newCodes({ context, queries, client }: AuthOperation, user: UserRow, factor: FactorRow) {
  const codes = Array.from({ length: COUNT }, newRecoveryCode);
  await queries.run(
    'insert into auth.mfa_recovery_codes (factor_id, code_hash) select $1, unnest($2::bytea[])',
    [factor.id, codes.map((code) => context.hashes.code(KIND, factor.id, code))],
  );
  await writeAudit(queries, {
    action: 'recovery_codes_generated',
    actorId: user.id,
    client,
    payload: { factor: factor.id },
  });
  await notifyOwner(context, queries, user, { kind: 'recovery-codes-made', variables: {} });
  return {
    id: factor.id,
    type: 'recovery_code',
    friendly_name: factor.friendly_name ?? DEFAULT_NAME,
    total: COUNT,
    codes,
  };
}

/**
 * Bytes beyond the last multiple of the alphabet's length are discarded, so that every letter is equally
 * likely.
 */
function newRecoveryCode(): string {
  const limit = 256 - (256 % ALPHABET.length);
  let code = '';
  while (code.length < LENGTH) {
    for (const byte of randomBytes(LENGTH)) {
      if (byte < limit && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code;
}
