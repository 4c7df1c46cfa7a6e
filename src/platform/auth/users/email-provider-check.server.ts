import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { AuthContext } from '../auth-context.server.ts';

/**
 * Refuses e-mail sign-in on installations where people sign in only by phone or by a provider. @throws
 * ServiceError 400 `email_provider_disabled`
 */
export function requireEmailProvider({ resources }: AuthContext): void {
  if (!resources.settings.AUTH_EMAIL) {
    throw new ServiceError(400, 'email_provider_disabled', 'Email signups and logins are disabled');
  }
}
