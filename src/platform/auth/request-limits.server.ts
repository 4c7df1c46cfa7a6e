import type { FastifyRequest } from 'fastify';
import type { RateLimit } from '../../kernel/http/rate-limit.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { AuthContext } from './auth-context.server.ts';

const FIVE_MINUTES = 300;
const HOUR = 3600;

/**
 * Numbers of docs/contracts/platform.md §6; limits by account are our addition (docs/security-attacks.md,
 * attacks 8 and 18).
 */
const LIMITS = {
  signup: { name: 'auth signup', count: 30, seconds: FIVE_MINUTES },
  recover: { name: 'auth recover', count: 30, seconds: FIVE_MINUTES },
  otp: { name: 'auth otp', count: 30, seconds: FIVE_MINUTES },
  resend: { name: 'auth resend', count: 30, seconds: FIVE_MINUTES },
  user: { name: 'auth user', count: 30, seconds: FIVE_MINUTES },
  reauthenticate: { name: 'auth reauthenticate', count: 30, seconds: FIVE_MINUTES },
  verify: { name: 'auth verify', count: 30, seconds: FIVE_MINUTES },
  factor: { name: 'auth factor', count: 15, seconds: 60 },
  authorize: { name: 'auth authorize', count: 60, seconds: FIVE_MINUTES },
  sso: { name: 'auth sso', count: 30, seconds: FIVE_MINUTES },
  captcha: { name: 'auth captcha', count: 150, seconds: FIVE_MINUTES, burst: 30 },
  passkey: { name: 'auth passkey', count: 60, seconds: FIVE_MINUTES },
  token: { name: 'auth token', count: 150, seconds: FIVE_MINUTES, burst: 30 },
  anonymous: { name: 'auth anonymous', count: 30, seconds: HOUR },
  existing: { name: 'auth existing', count: 5, seconds: HOUR },
  passwordOfAccount: { name: 'auth password of account', count: 30, seconds: FIVE_MINUTES },
  codeOfAccount: { name: 'auth code of account', count: 30, seconds: HOUR },
  smsOfAddress: { name: 'auth sms of address', count: 30, seconds: HOUR },
  smsOfNumber: { name: 'auth sms of number', count: 1, seconds: 60 },
  noticeOfNumber: { name: 'auth notice of number', count: 10, seconds: HOUR },
  mailOfAccount: { name: 'auth mail of account', count: 1, seconds: 60 },
} as const satisfies Record<string, RateLimit>;

type LimitByAddress =
  | 'signup'
  | 'recover'
  | 'otp'
  | 'resend'
  | 'user'
  | 'reauthenticate'
  | 'verify'
  | 'factor'
  | 'authorize'
  | 'sso'
  | 'captcha'
  | 'passkey'
  | 'token'
  | 'anonymous'
  | 'existing';

/** Counts one request of an address. @throws ServiceError 429 with Retry-After */
export async function limitAddress(
  context: AuthContext,
  request: FastifyRequest,
  limit: LimitByAddress,
): Promise<void> {
  await context.http.rateLimiter.take(LIMITS[limit], context.http.addressOf(request));
}

/** Counts one attempt at an account, whether it exists or not. @throws ServiceError 429 with Retry-After */
export async function limitAccount(
  context: AuthContext,
  account: string,
  limit: 'passwordOfAccount' | 'codeOfAccount',
): Promise<void> {
  await context.http.rateLimiter.take(LIMITS[limit], account);
}

/**
 * Allows one mail a minute to one address. Unknown addresses are counted as well, so that a second request
 * reveals nothing about the first (docs/contracts/platform.md §6, "Enumeration").
 *
 * @throws ServiceError 429 `over_email_send_rate_limit` with Retry-After
 */
export async function limitMail(context: AuthContext, email: string): Promise<void> {
  await context.http.rateLimiter.take(LIMITS.mailOfAccount, email, { code: 'over_email_send_rate_limit' });
}

/**
 * Allows one text message a minute to one number, and thirty an hour for one caller, because each costs
 * money. Unknown numbers are counted as well. Counted in the transaction `within` if given.
 *
 * @throws ServiceError 429 `over_sms_send_rate_limit` with Retry-After
 */
export async function limitSms(
  context: AuthContext,
  request: FastifyRequest,
  phone: string,
  within?: Queries,
): Promise<void> {
  const { rateLimiter, addressOf } = context.http;
  const options = { code: 'over_sms_send_rate_limit', within };
  await rateLimiter.take(LIMITS.smsOfAddress, addressOf(request), options);
  await rateLimiter.take(LIMITS.smsOfNumber, phone, options);
}

/**
 * Allows ten notices an hour to one number, counted in the transaction of the notice. @throws ServiceError
 * 429
 */
export async function limitNotice(context: AuthContext, within: Queries, phone: string): Promise<void> {
  await context.http.rateLimiter.take(LIMITS.noticeOfNumber, phone, { within });
}
