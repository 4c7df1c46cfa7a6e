import type { AuthError } from '@supabase/supabase-js';
import { MESSAGES } from '../../../kernel/contract/messages.ts';

const UNREACHABLE = 'We could not reach the server. Check your connection and try again.';

/** Sentences for codes that a person can act on; for the others, the service's own message is shown. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_credentials: MESSAGES.login.invalid,
  user_already_exists: MESSAGES.signup.exists,
  email_exists: MESSAGES.signup.exists,
  email_not_confirmed: 'Please confirm your email address first: open the link that we sent you.',
  over_email_send_rate_limit: 'Too many emails were asked for. Please wait a few minutes and try again.',
  over_request_rate_limit: 'Too many attempts. Please wait a moment and try again.',
  same_password: 'This is your present password. Please choose another.',
  mfa_verification_failed: 'That code is not right, or it was used already. Enter the newest one.',
  mfa_recovery_codes_locked: 'Too many wrong codes. Please wait a few minutes and try again.',
  current_password_invalid: 'The current password is not right.',
  current_password_required: 'Enter your current password.',
  insufficient_aal: 'Please sign in again with your authenticator code first.',
  identity_already_exists: 'That sign-in opens an account already. Each opens one account only.',
  single_identity_not_deletable: 'This is the last way into your account, so it stays.',
  email_conflict_identity_not_deletable:
    'It cannot be unlinked: the address that would remain belongs to another account.',
  manual_linking_disabled: 'Sign-ins cannot be linked or unlinked here at the moment.',
  user_banned: 'This account is suspended. Please contact us.',
  signup_disabled: 'New accounts cannot be created at the moment.',
  otp_expired: 'This link or code has expired, is not right, or was used already. Please ask for a new one.',
  bad_oauth_callback: 'The sign-in was not completed. Please try again.',
  bad_oauth_state: 'The sign-in took too long or was begun in another browser. Please try again.',
  provider_email_needs_verification:
    'Please confirm your email address first: open the link that we have sent you.',
  webauthn_verification_failed:
    'This passkey could not be used here. Sign in in another way and add it again in your account.',
  webauthn_credential_exists: 'This device has a passkey for this account already.',
  webauthn_challenge_expired: 'That took too long. Please try again.',
  webauthn_challenge_not_found: 'That took too long. Please try again.',
  too_many_passkeys: 'You have ten passkeys, the most that an account can have. Remove one first.',
  ERROR_CEREMONY_ABORTED: 'No passkey was used.',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device has a passkey for this account already.',
  access_denied: 'This link has expired or was used already. Please ask for a new one.',
};

/** Sentences for password weaknesses that the service's own message does not explain. */
const REASONS: Readonly<Record<string, string>> = {
  characters: 'Use more kinds of characters, or a longer passphrase.',
  pwned: 'This password is on the lists of leaked passwords. Please choose another.',
};

/** The sentence for a failed call of the auth service (docs/specification/site.md §8). */
export function explainAuthError(error: AuthError | Error): string {
  // Compared by name, so that this module does not load the client library.
  if (error.name === 'AuthWeakPasswordError') return explainWeakness(error);
  if (error.name === 'AuthRetryableFetchError' || error instanceof TypeError) return UNREACHABLE;
  // The person closed the browser's own dialog, or it timed out.
  if (isNotAllowed(error) || isNotAllowed(error.cause)) return 'No passkey was used.';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return WORDS[code] ?? (error.message || UNREACHABLE);
}

function explainWeakness(error: AuthError | Error): string {
  const given = 'reasons' in error && Array.isArray(error.reasons) ? error.reasons.map(String) : [];
  // Only the message states the required length.
  if (given.includes('length')) return error.message;
  const words = given.map((reason) => REASONS[reason]).filter((reason) => reason !== undefined);
  return words.length > 0 ? words.join(' ') : error.message || 'This password is too weak.';
}

/** The sentence for an error that a mail link has in its address, or undefined. */
export function explainLinkError(hash: string, search: string): string | undefined {
  const found = [new URLSearchParams(hash.replace(/^#/, '')), new URLSearchParams(search)].find((parts) =>
    parts.has('error'),
  );
  if (found === undefined) return undefined;
  const words = WORDS[found.get('error_code') ?? ''] ?? WORDS[found.get('error') ?? ''];
  return words ?? found.get('error_description') ?? 'This link does not work any more.';
}

function isNotAllowed(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotAllowedError';
}
