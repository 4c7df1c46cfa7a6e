import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import type { Queries } from '../../resources/database/database.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { deleteFactor, type FactorRow, factorNotFound, hasFactor } from './find-factor.server.ts';
import type { UserRow } from './find-user.server.ts';
import { sessionBody } from './issue-session.server.ts';
import { limitAddress } from './limit-requests.server.ts';
import { notifyOwner } from './notify-owner.server.ts';
import { raiseSession } from './raise-session.server.ts';
import { BODIES, readBody } from './read-input.server.ts';
import { requireSession, type SignedIn } from './require-session.server.ts';
import { countWrongTry, restOf } from './rest-factor.server.ts';
import { writeAudit } from './write-audit.server.ts';

/** Codes in a set. */
const COUNT = 10;
/** 31 letters and digits, none that looks like another: 16 of them are 79 bits. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const LENGTH = 16;
const DEFAULT_NAME = 'Recovery codes';
/** What a code is hashed with, beside the factor's id. */
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
  const { total, remaining } = await database.one<{ total: number; remaining: number }>(
    `select count(*)::int as total, count(*) filter (where used_at is null)::int as remaining
     from auth.mfa_recovery_codes where factor_id = $1`,
    [factor.id],
  );
  return { id: factor.id, type: 'recovery_code', total, remaining };
}

/**
 * `POST /factors/recovery-codes`: ten codes, shown this once. Each signs in once in place of
 * a lost factor, so there has to be one.
 *
 * @throws ServiceError 403 `insufficient_aal`; 422 `mfa_recovery_codes_sole_factor`,
 * `mfa_verified_factor_exists`, `mfa_factor_name_conflict`
 */
export async function generateRecoveryCodes(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'factor');
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
    const before = await queries.many<{ factor_type: string; friendly_name: string | null }>(
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
    const factor = await queries.one<FactorRow>(
      `insert into auth.mfa_factors (user_id, friendly_name, factor_type, status)
       values ($1, $2, 'recovery_code', 'verified') returning *`,
      [user.id, name],
    );
    return newCodes(context, queries, request, user, factor);
  });
}

/** `POST /factors/recovery-codes/regenerate`: ten new ones in place of all before. @throws ServiceError as above */
export async function regenerateRecoveryCodes(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'factor');
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
    return newCodes(context, queries, request, user, factor);
  });
}

/**
 * `POST /factors/recovery-codes/verify`: the session at aal2 for a code that was not used.
 * Letter case, spaces and hyphens do not matter. The owner is told by mail.
 *
 * @throws ServiceError 422 `mfa_verification_failed`, 429 `mfa_recovery_codes_locked`
 */
export async function verifyRecoveryCode(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'factor');
  const { user, session } = await requireSession(context, request);
  const code = (readBody(BODIES.recoveryCode, request.body).code ?? '').toLowerCase().replace(/[\s-]/g, '');
  const client = clientOf(context, request);
  const { database } = context.resources;
  const outcome = await database.transaction(async (queries) => {
    const factor = await findSet(queries, user.id, 'for update');
    const rest = restOf(factor, 'mfa_recovery_codes_locked');
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
    const { left } = await queries.one<{ left: string }>(
      'select count(*) as left from auth.mfa_recovery_codes where factor_id = $1 and used_at is null',
      [factor.id],
    );
    await writeAudit(queries, 'recovery_code_used', user.id, client, { factor: factor.id, left });
    await notifyOwner(context, queries, user, 'recovery-code-used', { left });
    return raiseSession(queries, session, factor, client);
  });
  if (outcome instanceof ServiceError) throw outcome;
  return sessionBody(context, database, outcome);
}

/** `DELETE /factors/recovery-codes` @throws ServiceError 404 `mfa_factor_not_found`, 403 `insufficient_aal` */
export async function removeRecoveryCodes(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'factor');
  const signedIn = await requireSession(context, request);
  const { user } = signedIn;
  return context.resources.database.transaction(async (queries) => {
    const factor = await findSet(queries, user.id, 'for update');
    requireSecondLevel(signedIn);
    await deleteFactor(queries, factor);
    const client = clientOf(context, request);
    await writeAudit(queries, 'factor_unenrolled', user.id, client, { factor: factor.id });
    await notifyOwner(context, queries, user, 'factor-removed', {
      factor: factor.friendly_name ?? DEFAULT_NAME,
    });
    return { id: factor.id };
  });
}

async function findSet(queries: Queries, userId: string, lock: '' | 'for update' = ''): Promise<FactorRow> {
  const factor = await queries.maybe<FactorRow>(
    `select * from auth.mfa_factors where user_id = $1 and factor_type = 'recovery_code' ${lock}`,
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

async function newCodes(
  context: AuthContext,
  queries: Queries,
  request: FastifyRequest,
  user: UserRow,
  factor: FactorRow,
) {
  const codes = Array.from({ length: COUNT }, newRecoveryCode);
  await queries.run(
    'insert into auth.mfa_recovery_codes (factor_id, code_hash) select $1, unnest($2::bytea[])',
    [factor.id, codes.map((code) => context.hashes.code(KIND, factor.id, code))],
  );
  const client = clientOf(context, request);
  await writeAudit(queries, 'recovery_codes_generated', user.id, client, { factor: factor.id });
  await notifyOwner(context, queries, user, 'recovery-codes-made', {});
  return {
    id: factor.id,
    type: 'recovery_code',
    friendly_name: factor.friendly_name ?? DEFAULT_NAME,
    total: COUNT,
    codes,
  };
}

/** Each letter as likely as any other: bytes beyond the last whole run of the alphabet are thrown away. */
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
