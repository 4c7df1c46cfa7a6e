import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import { SECOND_FACTOR_MISSING } from './settings.contract.ts';

/**
 * Settings and colleagues are for operators who have used a second factor in this session: they lead money, mail and people.
 * The server's own key is refused, because the audit log has to name a person. Call it after the check for operators.
 *
 * @throws ServiceError 403 `not_operator` or `second_factor_missing`
 */
export function requireSecondLevel(
  caller: { readonly userId: string | null; readonly aal: unknown },
  what: 'Settings need' | 'Colleagues need' | 'The console needs' = 'Settings need',
): void {
  if (caller.userId === null)
    throw new ServiceError(403, 'not_operator', 'This is for a person, not for a key.');
  if (caller.aal !== 'aal2')
    throw new ServiceError(
      403,
      SECOND_FACTOR_MISSING,
      `${what} a second factor: set one up in your account, then sign in with it.`,
    );
}

/** The same for work on settings. @throws ServiceError as {@link requireSecondLevel} */
export const requireTrusted = ({ userId, claims }: Caller): void =>
  requireSecondLevel({ userId: userId ?? null, aal: claims.aal });
