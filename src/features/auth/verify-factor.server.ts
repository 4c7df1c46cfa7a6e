import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import { derivedSecret } from '../../resources/crypto/secrets.ts';
import type { Queries } from '../../resources/database/database.ts';
import { type AuthContext, type Client, clientOf } from './auth-context.server.ts';
import { deleteFactor, type FactorRow, lockFactor } from './find-factor.server.ts';
import { type AmrEntry, type SessionRow, sessionBody } from './issue-session.server.ts';
import { limitAddress } from './limit-requests.server.ts';
import { BODIES, readBody } from './read-input.server.ts';
import { requireSession } from './require-session.server.ts';
import { isUuid } from './session-gate.server.ts';
import { acceptedStep, openSecret } from './totp.server.ts';
import { writeAudit } from './write-audit.server.ts';

/** Life of a challenge, seconds (contract §6). */
const CHALLENGE_SECONDS = 300;
/** Wrong codes in a row before the factor rests (security.md, attack 12). */
const FREE_TRIES = 5;
const FIRST_REST_SECONDS = 60;
const LONGEST_REST_SECONDS = 3600;

/** `POST /factors/{id}/challenge` (contract §2); `expires_at` is epoch seconds. */
export async function challengeFactor(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'factor');
  const { user } = await requireSession(context, request);
  return context.resources.database.transaction(async (queries) => {
    const factor = await lockFactor(queries, request, user.id);
    const challenge = await queries.one<{ id: string; expires_at: Date }>(
      `insert into auth.mfa_challenges (factor_id, expires_at)
       values ($1, now() + make_interval(secs => $2)) returning id, expires_at`,
      [factor.id, CHALLENGE_SECONDS],
    );
    await queries.run('update auth.mfa_factors set last_challenged_at = now() where id = $1', [factor.id]);
    await writeAudit(queries, 'challenge_created', user.id, clientOf(context, request), {
      factor: factor.id,
    });
    return {
      id: challenge.id,
      type: factor.factor_type,
      expires_at: Math.floor(challenge.expires_at.getTime() / 1000),
    };
  });
}

/**
 * `POST /factors/{id}/verify` (contract §2): the session at aal2 for a right code. Wrong
 * codes are counted in the transaction, so refusals are returned, not thrown.
 *
 * @throws ServiceError 422 `mfa_verification_failed`, `mfa_challenge_expired`; 404
 * `mfa_factor_not_found`; 429 with Retry-After while the factor rests
 */
export async function verifyFactor(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'factor');
  const { session } = await requireSession(context, request);
  const body = readBody(BODIES.verifyFactor, request.body);
  const client = clientOf(context, request);
  const { database } = context.resources;
  const outcome = await database.transaction(async (queries) => {
    const factor = await lockFactor(queries, request, session.user_id);
    const refusal = restOf(factor) ?? (await takeChallenge(queries, factor, body.challenge_id));
    if (refusal !== undefined) return refusal;
    const step = stepOf(context, factor, body.code);
    if (step === undefined) return countWrongTry(queries, factor, client);
    await queries.run('delete from auth.mfa_challenges where id = $1', [body.challenge_id]);
    await acceptFactor(queries, factor, step, client);
    return raiseSession(queries, session, factor, client);
  });
  if (outcome instanceof ServiceError) throw outcome;
  return sessionBody(context, database, outcome);
}

/** `DELETE /factors/{id}`: a factor that counts is removed only by who has used one. */
export async function unenrolFactor(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'factor');
  const { user, aal } = await requireSession(context, request);
  return context.resources.database.transaction(async (queries) => {
    const factor = await lockFactor(queries, request, user.id);
    if (factor.status === 'verified' && aal !== 'aal2') {
      throw new ServiceError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor');
    }
    await deleteFactor(queries, factor);
    await writeAudit(queries, 'factor_unenrolled', user.id, clientOf(context, request), {
      factor: factor.id,
    });
    return { id: factor.id };
  });
}

function restOf(factor: FactorRow): ServiceError | undefined {
  const seconds = Math.ceil(((factor.blocked_until?.getTime() ?? 0) - Date.now()) / 1000);
  if (seconds <= 0) return undefined;
  return new ServiceError(
    429,
    'over_request_rate_limit',
    `Too many wrong codes. Please try again in ${seconds} seconds.`,
    {
      details: { remaining: 0, retry_after: seconds },
      headers: { 'retry-after': String(seconds) },
    },
  );
}

/** Why a challenge does not count; it is used up only by the right code. */
async function takeChallenge(
  queries: Queries,
  factor: FactorRow,
  id: string,
): Promise<ServiceError | undefined> {
  const challenge = isUuid(id)
    ? await queries.maybe<{ alive: boolean }>(
        'select expires_at > now() as alive from auth.mfa_challenges where id = $1 and factor_id = $2',
        [id, factor.id],
      )
    : undefined;
  if (challenge === undefined) {
    return new ServiceError(
      422,
      'mfa_factor_not_found',
      'MFA factor with the provided challenge ID not found',
    );
  }
  if (challenge.alive) return undefined;
  return new ServiceError(
    422,
    'mfa_challenge_expired',
    `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`,
  );
}

function stepOf(context: AuthContext, factor: FactorRow, code: string): number | undefined {
  if (factor.secret === null) return undefined;
  const secret = openSecret(derivedSecret(context.resources.keys, 'totp-secret'), factor.id, factor.secret);
  return acceptedStep(secret, code, Number(factor.last_step ?? -1), Date.now());
}

async function countWrongTry(queries: Queries, factor: FactorRow, client: Client): Promise<ServiceError> {
  const tries = factor.tries + 1;
  const rest = Math.min(LONGEST_REST_SECONDS, FIRST_REST_SECONDS * 2 ** (tries - FREE_TRIES));
  await queries.run(
    `update auth.mfa_factors set tries = $2,
       blocked_until = case when $3 then clock_timestamp() + make_interval(secs => $4) end where id = $1`,
    [factor.id, tries, tries >= FREE_TRIES, rest],
  );
  await writeAudit(queries, 'verification_failed', factor.user_id, client, { factor: factor.id });
  return new ServiceError(422, 'mfa_verification_failed', 'Invalid TOTP code entered');
}

async function acceptFactor(
  queries: Queries,
  factor: FactorRow,
  step: number,
  client: Client,
): Promise<void> {
  await queries.run(
    `update auth.mfa_factors set last_step = $2, tries = 0, blocked_until = null, updated_at = now(),
       status = 'verified' where id = $1`,
    [factor.id, step],
  );
  await queries.run(
    `delete from auth.mfa_factors where user_id = $1 and factor_type = $2 and status = 'unverified'`,
    [factor.user_id, factor.factor_type],
  );
  const action = factor.status === 'unverified' ? 'factor_verified' : 'verification_attempted';
  await writeAudit(queries, action, factor.user_id, client, { factor: factor.id });
}

/**
 * Raises a session to aal2 and ends the user's others below it. The counter moves by two:
 * one step behind is tolerated at a refresh, so an aal1 token would otherwise be
 * exchanged for an aal2 session (contract §6).
 */
async function raiseSession(
  queries: Queries,
  { id, user_id: userId }: SessionRow,
  factor: FactorRow,
  client: Client,
): Promise<SessionRow | ServiceError> {
  const session = await queries.maybe<SessionRow>('select * from auth.sessions where id = $1 for update', [
    id,
  ]);
  if (session === undefined) {
    return new ServiceError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
  }
  const entry: AmrEntry = { method: 'totp', timestamp: Math.floor(Date.now() / 1000) };
  const amr = [entry, ...session.amr.filter(({ method }) => method !== 'totp')];
  const raised = await queries.one<SessionRow>(
    `update auth.sessions set aal = 'aal2', amr = $2, factor_id = $3, refresh_counter = refresh_counter + 2,
       window_counter = refresh_counter + 2, refreshed_at = null, updated_at = now()
     where id = $1 returning *`,
    [id, JSON.stringify(amr), factor.id],
  );
  const ended = await queries.run(
    "delete from auth.sessions where user_id = $1 and id <> $2 and aal = 'aal1'",
    [userId, id],
  );
  if (ended > 0)
    await writeAudit(queries, 'token_revoked', userId, client, { cause: 'second factor', ended });
  return raised;
}
