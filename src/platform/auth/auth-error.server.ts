import { ServiceError } from '../../kernel/contract/service-error.ts';

/** 400 `validation_failed`: the body or query cannot be used. */
export function invalidInput(message: string): ServiceError {
  return new ServiceError(400, 'validation_failed', message);
}

/**
 * 403 `otp_expired`: the one reply for every code or link from a mail that is not valid
 * (docs/contracts/platform.md §2).
 */
export function tokenExpired(): ServiceError {
  return new ServiceError(403, 'otp_expired', 'Token has expired or is invalid');
}

/** 403 `otp_expired` when the client sent the hash of a mail's link and not its code. */
export function linkExpired(): ServiceError {
  return new ServiceError(403, 'otp_expired', 'Email link is invalid or has expired');
}

/** 400 `invalid_credentials`: the same for an unknown account and a wrong password. */
export function invalidCredentials(): ServiceError {
  return new ServiceError(400, 'invalid_credentials', 'Invalid login credentials');
}

/** `user_banned`; 400 when signing in, 403 with a token (docs/contracts/platform.md §2). */
export function userBanned(status: 400 | 403): ServiceError {
  return new ServiceError(status, 'user_banned', 'User is banned');
}
