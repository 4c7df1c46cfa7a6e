import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { Client } from '../auth-context.server.ts';
import type { FactorRow } from './factor-lookup.server.ts';

/** Wrong codes in a row after which the factor is locked for a time (docs/security-attacks.md, attack 12). */
const FREE_TRIES = 5;
const FIRST_REST_SECONDS = 60;
const LONGEST_REST_SECONDS = 3600;

/** 429 with Retry-After while a factor is locked after wrong codes; undefined when it may be tried. */
export function factorLockout(factor: FactorRow, code = 'over_request_rate_limit'): ServiceError | undefined {
  const seconds = Math.ceil(((factor.blocked_until?.getTime() ?? 0) - Date.now()) / 1000);
  if (seconds <= 0) return undefined;
  return new ServiceError(429, code, `Too many wrong codes. Please try again in ${seconds} seconds.`, {
    details: { remaining: 0, retry_after: seconds },
    headers: { 'retry-after': String(seconds) },
  });
}

const WRONG_CODE: Record<string, string> = {
  totp: 'Invalid TOTP code entered',
  phone: 'Invalid MFA Phone code entered',
  recovery_code: 'Invalid recovery code entered',
};

/** Counts a wrong code; returns the 422 `mfa_verification_failed` to send after the commit. */
export async function countWrongTry(
  queries: Queries,
  factor: FactorRow,
  client: Client,
): Promise<ServiceError> {
  const tries = factor.tries + 1;
  const rest = Math.min(LONGEST_REST_SECONDS, FIRST_REST_SECONDS * 2 ** (tries - FREE_TRIES));
  await queries.run(
    `update auth.mfa_factors set tries = $2,
       blocked_until = case when $3 then clock_timestamp() + make_interval(secs => $4) end where id = $1`,
    [factor.id, tries, tries >= FREE_TRIES, rest],
  );
  await writeAudit(queries, {
    action: 'verification_failed',
    actorId: factor.user_id,
    client,
    payload: { factor: factor.id },
  });
  return new ServiceError(422, 'mfa_verification_failed', WRONG_CODE[factor.factor_type] ?? 'Invalid code');
}
