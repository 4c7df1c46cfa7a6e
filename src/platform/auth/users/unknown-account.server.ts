import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { AuthContext } from '../auth-context.server.ts';
import type { UserRow } from './user-lookup.server.ts';

/**
 * Where AUTH_UNKNOWN_OTP says so, tells that an address or number has no account; otherwise nothing does
 * (attack 8).
 *
 * @throws ServiceError 422 `otp_disabled`
 */
export async function refuseUnknown(
  { resources }: AuthContext,
  find: () => Promise<UserRow | undefined>,
): Promise<void> {
  if (resources.settings.AUTH_UNKNOWN_OTP === 'neutral' || (await find()) !== undefined) return;
  throw new ServiceError(422, 'otp_disabled', 'Signups not allowed for otp');
}
