import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { RequireSecondFactor } from '../../../kernel/http/authenticate.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';

/**
 * Creates the check for functions about an account: a user who has set up a second factor must have used it
 * in this session. Rows and objects are protected by the policies "a second factor comes first".
 */
export function createFactorRequirement({ database }: Pick<Resources, 'database'>): RequireSecondFactor {
  return async ({ userId, claims }) => {
    if (userId === undefined || claims.aal === 'aal2') return;
    const factor = await database.maybe(
      `select 1 as found from auth.mfa_factors where user_id = $1 and status = 'verified' limit 1`,
      [userId],
    );
    if (factor === undefined) return;
    throw new ServiceError(403, 'insufficient_aal', 'Please confirm your second factor first.');
  };
}
