import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { AuthContext } from '../auth-context.server.ts';
import type { UserRow } from './user-lookup.server.ts';

/**
 * Refuses an address or number without an account, if AUTH_UNKNOWN_OTP allows saying so; otherwise no reply
 * reveals it (attack 8).
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
