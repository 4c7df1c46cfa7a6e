import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import { unseal } from '../../../kernel/resources/crypto/sealing.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type AuthOperation, type Client, clientOf } from '../auth-context.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import {
  acceptsKey,
  challengeKey,
  refuseWithoutKeys,
  type WebauthnAnswer,
} from '../passkeys/webauthn-factor.server.ts';
import { sendSms } from '../phones/sms-code.server.ts';
import { BODIES, readBody } from '../request-input.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { sessionBody } from '../sessions/session-issue.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';
import { stepUpSession } from '../sessions/session-step-up.server.ts';
import { countWrongTry, factorLockout } from './factor-lock.server.ts';
import { deleteFactor, type FactorRow, factorName, lockFactor } from './factor-lookup.server.ts';
import {
  type ChallengeRow,
  composeFactorCode,
  isSentCode,
  refuseSwitchedOff,
} from './phone-factor.server.ts';
import { acceptedStep } from './totp.server.ts';

/** Life of a challenge, seconds (docs/contracts/platform.md §6). */
const CHALLENGE_SECONDS = 300;
/**
 * `POST /factors/{id}/challenge` (docs/contracts/platform.md §2); `expires_at` is epoch seconds. For a phone
 * factor it also sends the code.
 *
 * @throws ServiceError 404 `mfa_factor_not_found`; 422 `mfa_phone_verify_not_enabled`, `sms_send_failed`; 429
 * `over_sms_send_rate_limit`
 */
export async function challengeFactor(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'factor');
  const { user } = await requireSession(context, request);
  const { channel } = readBody(BODIES.challengeFactor, request.body);
  const client = clientOf(context, request);
  const { challenge, factor, message, webauthn } = await context.resources.database.transaction(
    async (queries) => {
      const locked = await lockFactor(queries, request, user.id);
      refuseSwitchedOff(context, locked, 'verify');
      if (locked.factor_type === 'webauthn') refuseWithoutKeys(context, 'verify');
      const made = await queries.one(
        `insert into auth.mfa_challenges (factor_id, expires_at)
       values ($1, now() + make_interval(secs => $2))
       returning id, expires_at, code_hash, webauthn_challenge, expires_at > now() as alive`,
        [locked.id, CHALLENGE_SECONDS],
      );
      const sms =
        locked.factor_type === 'phone'
          ? await composeFactorCode(context, queries, request, {
              user,
              factor: locked,
              challenge: made,
              channel,
            })
          : undefined;
      const key =
        locked.factor_type === 'webauthn'
          ? await challengeKey({ context, queries, client }, { user, factor: locked, challengeId: made.id })
          : undefined;
      await queries.run('update auth.mfa_factors set last_challenged_at = now() where id = $1', [locked.id]);
      await writeAudit(queries, {
        action: 'challenge_created',
        actorId: user.id,
        client,
        payload: { factor: locked.id },
      });
      return { challenge: made, factor: locked, message: sms, webauthn: key };
    },
  );
  if (message !== undefined) await sendSms(context, message);
  return {
    id: challenge.id,
    type: factor.factor_type,
    expires_at: Math.floor(challenge.expires_at.getTime() / 1000),
    ...(webauthn === undefined ? {} : { webauthn }),
  };
}

/**
 * `POST /factors/{id}/verify` (docs/contracts/platform.md §2): the right code raises the session to aal2.
 * Wrong codes are counted in the transaction, so refusals are returned, not thrown.
 *
 * @throws ServiceError 422 `mfa_verification_failed`, `mfa_challenge_expired`; 404 `mfa_factor_not_found`;
 * 429 with Retry-After while the factor is locked
 */
export async function verifyFactor(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'factor');
  const { user, session } = await requireSession(context, request);
  const body = readBody(BODIES.verifyFactor, request.body);
  const client = clientOf(context, request);
  const { database } = context.resources;
  const outcome = await database.transaction(async (queries) => {
    const factor = await lockFactor(queries, request, session.user_id);
    refuseSwitchedOff(context, factor, 'verify');
    const challenge = factorLockout(factor) ?? (await findChallenge(queries, factor, body.challenge_id));
    if (challenge instanceof ServiceError) return challenge;
    const step =
      factor.factor_type === 'webauthn'
        ? await stepOfKey({ context, queries, client }, factor, challenge, body.webauthn)
        : stepOf(context, factor, challenge, body.code ?? '');
    if (step === undefined) return countWrongTry(queries, factor, client);
    await queries.run('delete from auth.mfa_challenges where id = $1', [challenge.id]);
    await acceptFactor(queries, factor, step, client);
    if (factor.status === 'unverified') {
      await notifyOwner(context, queries, user, {
        kind: 'factor-added',
        variables: { factor: factorName(factor) },
      });
    }
    return stepUpSession(queries, session, factor, client);
  });
  if (outcome instanceof ServiceError) throw outcome;
  return sessionBody(context, database, outcome);
}

/** `DELETE /factors/{id}`: only a session that has used a second factor may remove a verified one. */
export async function unenrolFactor(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'factor');
  const { user, aal } = await requireSession(context, request);
  return context.resources.database.transaction(async (queries) => {
    const factor = await lockFactor(queries, request, user.id);
    if (factor.status === 'verified' && aal !== 'aal2') {
      throw new ServiceError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor');
    }
    await deleteFactor(queries, factor);
    await writeAudit(queries, {
      action: 'factor_unenrolled',
      actorId: user.id,
      client: clientOf(context, request),
      payload: {
        factor: factor.id,
      },
    });
    if (factor.status === 'verified') {
      await notifyOwner(context, queries, user, {
        kind: 'factor-removed',
        variables: { factor: factorName(factor) },
      });
    }
    return { id: factor.id };
  });
}

/** A challenge of the factor, which only the right code uses up; or the reason why it is not valid. */
async function findChallenge(
  queries: Queries,
  factor: FactorRow,
  id: string,
): Promise<ChallengeRow | ServiceError> {
  const challenge = isUuid(id)
    ? await queries.maybe(
        `select id, expires_at, code_hash, webauthn_challenge, expires_at > now() as alive
          from auth.mfa_challenges where id = $1 and factor_id = $2`,
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
  if (challenge.alive) return challenge;
  return new ServiceError(
    422,
    'mfa_challenge_expired',
    `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`,
  );
}

/** The time step of a right code, or 0 for a code that we sent; undefined for a wrong one. */
function stepOf(
  context: AuthContext,
  factor: FactorRow,
  challenge: ChallengeRow,
  code: string,
): number | undefined {
  if (factor.factor_type === 'phone') return isSentCode(context, challenge, code) ? 0 : undefined;
  if (factor.secret === null) return undefined;
  const secret = unseal(derivedSecret(context.resources.keys, 'totp-secret'), factor.secret, factor.id);
  return acceptedStep(secret, code, Number(factor.last_step ?? -1), Date.now());
}

/** 0 when the device gave a valid answer, else undefined. */
async function stepOfKey(
  operation: AuthOperation,
  factor: FactorRow,
  challenge: ChallengeRow,
  answer: WebauthnAnswer | null | undefined,
): Promise<number | undefined> {
  refuseWithoutKeys(operation.context, 'verify');
  return (await acceptsKey(operation, factor, challenge.webauthn_challenge, answer)) ? 0 : undefined;
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
  await writeAudit(queries, { action, actorId: factor.user_id, client, payload: { factor: factor.id } });
}
