import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { renderSVG } from 'uqr';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { seal } from '../../../kernel/resources/crypto/sealing.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { refuseWithoutKeys } from '../passkeys/webauthn-factor.server.ts';
import { BODIES, readBody, readPhone } from '../request-input.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import { hasFactor, requireFreeName } from './factor-lookup.server.ts';
import { refuseSwitchedOff } from './phone-factor.server.ts';
import { base32, newTotpSecret, totpUri } from './totp.server.ts';

const MAX_FACTORS = 10;
/** After this many seconds, the next enrolment removes an unfinished one (docs/contracts/platform.md §6). */
const UNFINISHED_SECONDS = 300;

/**
 * `POST /factors` (docs/contracts/platform.md §2): adds a second factor, which counts once a first code has
 * been verified.
 *
 * @throws ServiceError 403 `insufficient_aal`; 422 `too_many_enrolled_mfa_factors`,
 * `mfa_factor_name_conflict`, `mfa_verified_factor_exists`, `mfa_phone_enroll_not_enabled`,
 * `mfa_webauthn_enroll_not_enabled`
 */
export async function enrolFactor(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'user');
  const { user, aal } = await requireSession(context, request);
  const body = readBody(BODIES.enrolFactor, request.body);
  if (body.factor_type === 'webauthn') refuseWithoutKeys(context, 'enroll');
  else if (body.factor_type !== 'totp' && body.factor_type !== 'phone') {
    throw invalidInput('factor_type needs to be totp, phone, or webauthn');
  }
  refuseSwitchedOff(context, { factor_type: body.factor_type }, 'enroll');
  if (hasFactor(user) && aal !== 'aal2') {
    throw new ServiceError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor');
  }
  const name = body.friendly_name ?? '';
  if (body.factor_type === 'phone')
    return enrolPhone(context, request, user, { name, phone: readPhone(body.phone ?? '') });
  if (body.factor_type === 'webauthn') return enrolKey(context, request, user, name);
  const id = randomUUID();
  const secret = newTotpSecret();
  const sealed = seal(derivedSecret(context.resources.keys, 'totp-secret'), secret, id);
  await context.resources.database.transaction(async (queries) => {
    await makeRoom(queries, user, name);
    await queries.run(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, secret)
       values ($1, $2, $3, 'totp', $4)`,
      [id, user.id, name, sealed],
    );
    await writeAudit(queries, {
      action: 'factor_in_progress',
      actorId: user.id,
      client: clientOf(context, request),
      payload: { factor: id },
    });
  });
  const uri = totpUri(
    body.issuer || new URL(context.resources.siteUrl).host,
    user.email ?? user.phone ?? user.id,
    secret,
  );
  return {
    id,
    type: 'totp',
    friendly_name: name,
    totp: { qr_code: renderSVG(uri, { ecc: 'M' }), secret: base32(secret), uri },
  };
}

/** Only the first challenge creates the key itself. */
async function enrolKey(context: AuthContext, request: FastifyRequest, user: UserRow, name: string) {
  const id = randomUUID();
  await context.resources.database.transaction(async (queries) => {
    await makeRoom(queries, user, name);
    await queries.run(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type) values ($1, $2, $3, 'webauthn')`,
      [id, user.id, name],
    );
    await writeAudit(queries, {
      action: 'factor_in_progress',
      actorId: user.id,
      client: clientOf(context, request),
      payload: { factor: id },
    });
  });
  return { id, type: 'webauthn', friendly_name: name };
}

/**
 * A phone factor counts once the code of a first challenge was typed; its number may differ from the
 * account's.
 */
async function enrolPhone(
  context: AuthContext,
  request: FastifyRequest,
  user: UserRow,
  { name, phone }: { readonly name: string; readonly phone: string },
) {
  const id = randomUUID();
  await context.resources.database.transaction(async (queries) => {
    await makeRoom(queries, user, name);
    const known = await queries.maybe(
      "select 1 from auth.mfa_factors where user_id = $1 and phone = $2 and status = 'verified'",
      [user.id, phone],
    );
    if (known !== undefined) {
      throw new ServiceError(
        422,
        'mfa_verified_factor_exists',
        'A verified phone factor already exists, unenroll the existing factor to continue',
      );
    }
    await queries.run(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, phone)
       values ($1, $2, $3, 'phone', $4)`,
      [id, user.id, name, phone],
    );
    await writeAudit(queries, {
      action: 'factor_in_progress',
      actorId: user.id,
      client: clientOf(context, request),
      payload: { factor: id },
    });
  });
  return { id, type: 'phone', friendly_name: name, phone };
}

/** Makes enrolments of one user run one after another, so that the limit and unique names hold. */
async function makeRoom(queries: Queries, user: UserRow, name: string): Promise<void> {
  await queries.one('select id from auth.users where id = $1 for update', [user.id]);
  await queries.run(
    `delete from auth.mfa_factors where user_id = $1 and status = 'unverified'
       and created_at < now() - make_interval(secs => $2)`,
    [user.id, UNFINISHED_SECONDS],
  );
  const factors = await queries.many(
    'select friendly_name, factor_type from auth.mfa_factors where user_id = $1',
    [user.id],
  );
  if (factors.filter(({ factor_type: type }) => type !== 'recovery_code').length >= MAX_FACTORS) {
    throw new ServiceError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    );
  }
  requireFreeName(factors, name);
}
