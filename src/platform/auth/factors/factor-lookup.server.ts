import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { UserRow } from '../users/user-lookup.server.ts';

/** A second factor as stored. */
export interface FactorRow {
  readonly id: string;
  readonly user_id: string;
  readonly status: 'unverified' | 'verified';
  readonly factor_type: string;
  readonly friendly_name: string | null;
  /** Digits of the E.164 number of a phone factor. */
  readonly phone: string | null;
  /** Encrypted. */
  readonly secret: Buffer | null;
  /** A bigint, which arrives as text. */
  readonly last_step: string | null;
  readonly tries: number;
  readonly blocked_until: Date | null;
}

/** The columns of a FactorRow. */
export const FACTOR_COLUMNS =
  'id, user_id, status, factor_type, friendly_name, phone, secret, last_step, tries, blocked_until';

/** Whether the account has a verified second factor. */
export function hasFactor(user: UserRow): boolean {
  return user.factors.some(({ status }) => status === 'verified');
}

/**
 * Refuses a session that has only proven the password, where the account has a second factor.
 *
 * @param purpose what the caller wants to do, after 'AAL2 session is required to'
 * @throws ServiceError 403 `insufficient_aal`
 */
export function requireSecondLevel(
  { user, aal }: { readonly user: UserRow; readonly aal: 'aal1' | 'aal2' },
  purpose: string,
): void {
  if (!hasFactor(user) || aal === 'aal2') return;
  throw new ServiceError(403, 'insufficient_aal', `AAL2 session is required to ${purpose}`);
}

const USED_BY_ADDRESS: readonly string[] = ['totp', 'phone', 'webauthn'];
/** Every kind of factor, for administrators. */
export const ALL_FACTORS: readonly string[] = [...USED_BY_ADDRESS, 'recovery_code'];

/**
 * Reads and locks the factor named in the path `…/factors/{factorId}`. For users, recovery codes have paths
 * of their own.
 *
 * @throws ServiceError 404 `mfa_factor_not_found`
 */
export async function lockFactor(
  queries: Queries,
  request: FastifyRequest,
  userId: string,
  types = USED_BY_ADDRESS,
): Promise<FactorRow> {
  const { factorId } = request.params as { factorId: string };
  const factor = isUuid(factorId)
    ? await queries.maybe(
        `select ${FACTOR_COLUMNS} from auth.mfa_factors
          where id = $1 and user_id = $2 and factor_type = any ($3) for update`,
        [factorId, userId, types],
      )
    : undefined;
  if (factor === undefined) throw factorNotFound();
  return factor;
}

/** 404: the account has no such factor. */
export function factorNotFound(): ServiceError {
  return new ServiceError(404, 'mfa_factor_not_found', 'Factor not found');
}

const NAMES: Readonly<Record<string, string>> = { phone: 'SMS', webauthn: 'security key' };

/** The name that the person gave the factor, or that of its kind. */
export function factorName({ friendly_name: name, factor_type: type }: FactorRow): string {
  return name || (NAMES[type] ?? type.toUpperCase());
}

/**
 * Deletes a factor; sessions that it raised fall back to the first level. Recovery codes are deleted with the
 * last other factor, because they only replace one.
 */
export async function deleteFactor(queries: Queries, factor: FactorRow): Promise<void> {
  await queries.run('delete from auth.mfa_factors where id = $1', [factor.id]);
  const orphans = await queries.many(
    `delete from auth.mfa_factors c where c.user_id = $1 and c.factor_type = 'recovery_code' and not exists (
       select from auth.mfa_factors f where f.user_id = $1 and f.factor_type <> 'recovery_code' and f.status = 'verified')
     returning id`,
    [factor.user_id],
  );
  await queries.run(
    `update auth.sessions set aal = 'aal1', factor_id = null, updated_at = now(),
       amr = coalesce((select jsonb_agg(e order by n) from jsonb_array_elements(amr) with ordinality as a (e, n)
         where e ->> 'method' <> 'totp' and e ->> 'method' not like 'mfa/%'), '[]')
     where factor_id = any ($1)`,
    [[factor, ...orphans].map(({ id }) => id)],
  );
}
