import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import type { Queries } from '../../resources/database/database.ts';
import type { UserRow } from './find-user.server.ts';
import { isUuid } from './session-gate.server.ts';

/** A second factor as stored. */
export interface FactorRow {
  readonly id: string;
  readonly user_id: string;
  readonly status: 'unverified' | 'verified';
  readonly factor_type: string;
  /** Encrypted. */
  readonly secret: Buffer | null;
  /** int8, so text. */
  readonly last_step: string | null;
  readonly tries: number;
  readonly blocked_until: Date | null;
}

/** Whether the account has a second factor that counts. */
export function hasFactor(user: UserRow): boolean {
  return user.factors.some(({ status }) => status === 'verified');
}

/** The factor of the address `…/factors/{factorId}`, locked. @throws ServiceError 404 `mfa_factor_not_found` */
export async function lockFactor(
  queries: Queries,
  request: FastifyRequest,
  userId: string,
): Promise<FactorRow> {
  const { factorId } = request.params as { factorId: string };
  const factor = isUuid(factorId)
    ? await queries.maybe<FactorRow>(
        'select * from auth.mfa_factors where id = $1 and user_id = $2 for update',
        [factorId, userId],
      )
    : undefined;
  if (factor === undefined) throw new ServiceError(404, 'mfa_factor_not_found', 'Factor not found');
  return factor;
}

/** Removes a factor; sessions that it had raised fall back to the first level. */
export async function deleteFactor(queries: Queries, factor: FactorRow): Promise<void> {
  await queries.run('delete from auth.mfa_factors where id = $1', [factor.id]);
  await queries.run(
    `update auth.sessions set aal = 'aal1', factor_id = null, updated_at = now(),
       amr = coalesce((select jsonb_agg(e order by n) from jsonb_array_elements(amr) with ordinality as a (e, n)
         where e ->> 'method' <> 'totp'), '[]')
     where factor_id = $1`,
    [factor.id],
  );
}
