import { describe, expect, test } from 'vitest';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { explainAuthError, explainLinkError } from './auth-error-words.web.ts';

const failed = (code: string, message = 'words of the service'): Error =>
  Object.assign(new Error(message), { code });
const named = (name: string, more: object = {}): Error => Object.assign(new Error(''), { name }, more);

describe('a failed call of the auth service says what a person can do', () => {
  test.each([
    ['invalid_credentials', MESSAGES.login.invalid],
    ['user_already_exists', MESSAGES.signup.exists],
    ['email_not_confirmed', 'Please confirm your email address first: open the link that we sent you.'],
    [
      'over_email_send_rate_limit',
      'Too many emails were asked for. Please wait a few minutes and try again.',
    ],
    ['over_request_rate_limit', 'Too many attempts. Please wait a moment and try again.'],
    ['same_password', 'This is your present password. Please choose another.'],
    ['mfa_verification_failed', 'That code is not right, or it was used already. Enter the newest one.'],
    ['mfa_recovery_codes_locked', 'Too many wrong codes. Please wait a few minutes and try again.'],
    ['user_banned', 'This account is suspended. Please contact us.'],
    ['signup_disabled', 'New accounts cannot be created at the moment.'],
    [
      'otp_expired',
      'This link or code has expired, is not right, or was used already. Please ask for a new one.',
    ],
    ['bad_oauth_callback', 'The sign-in was not completed. Please try again.'],
    ['bad_oauth_state', 'The sign-in took too long or was begun in another browser. Please try again.'],
    [
      'provider_email_needs_verification',
      'Please confirm your email address first: open the link that we have sent you.',
    ],
    [
      'webauthn_verification_failed',
      'This passkey could not be used here. Sign in in another way and add it again in your account.',
    ],
    ['webauthn_credential_exists', 'This device has a passkey for this account already.'],
    ['webauthn_challenge_expired', 'That took too long. Please try again.'],
    ['too_many_passkeys', 'You have ten passkeys, the most that an account can have. Remove one first.'],
    ['ERROR_CEREMONY_ABORTED', 'No passkey was used.'],
  ])('%s', (code, words) => {
    expect(explainAuthError(failed(code))).toBe(words);
  });

  test('codes without a sentence here keep the service’s own; a lost connection and a closed dialog have theirs', () => {
    expect(explainAuthError(failed('something_new'))).toBe('words of the service');
    const lost = 'We could not reach the server. Check your connection and try again.';
    expect(explainAuthError(named('AuthRetryableFetchError'))).toBe(lost);
    expect(explainAuthError(failed('', ''))).toBe(lost);
    expect(explainAuthError(named('NotAllowedError'))).toBe('No passkey was used.');
  });

  test('a weak password is explained with every reason', () => {
    const weak = (reasons: string[]): string => explainAuthError(named('AuthWeakPasswordError', { reasons }));
    expect(weak(['characters', 'pwned'])).toBe(
      'Use more kinds of characters, or a longer passphrase. This password is on the lists of leaked passwords. Please choose another.',
    );
    expect(weak([])).toBe('This password is too weak.');
  });
});

test('an error in a mailed link is shown, wherever it is in the address; a link without one shows nothing', () => {
  expect(explainLinkError('#error=access_denied', '')).toBe(
    'This link has expired or was used already. Please ask for a new one.',
  );
  expect(explainLinkError('', '?error=server_error&error_description=Not%20now')).toBe('Not now');
  expect(explainLinkError('#error=server_error', '')).toBe('This link does not work any more.');
  expect(explainLinkError('#access_token=1', '')).toBeUndefined();
});
