import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { foldedEmail } from '../../kernel/contract/email-address.ts';
import { inputIssues } from '../../kernel/http/input-issues.ts';
import { isMailAddress } from '../../kernel/resources/mailer/mail-check.ts';
import { invalidInput } from './auth-error.server.ts';

/** Largest user_metadata, bytes of JSON: it travels in every access token. */
const MAX_METADATA_BYTES = 4096;

const word = z.string().max(2048);

/** Fields that any auth call may carry (docs/contracts/platform.md §2). */
const common = {
  gotrue_meta_security: z.unknown().optional(),
  code_challenge: z.string().max(128).nullish(),
  code_challenge_method: z.string().max(10).nullish(),
};

/** The user's own metadata. */
export const metadata = z
  .record(z.string(), z.unknown())
  .refine((data) => Buffer.byteLength(JSON.stringify(data)) <= MAX_METADATA_BYTES, {
    error: 'User metadata is too large',
  });

const address = z.string().max(320);

export const BODIES = {
  signUp: z.object({
    ...common,
    email: address.nullish(),
    phone: address.nullish(),
    password: z.string().nullish(),
    data: metadata.nullish(),
    channel: word.nullish(),
  }),
  password: z.object({
    ...common,
    email: address.nullish(),
    phone: address.nullish(),
    password: z.string().nullish(),
  }),
  refresh: z.object({ ...common, refresh_token: word }),
  exchange: z.object({ ...common, auth_code: word, code_verifier: word }),
  address: z.object({
    ...common,
    email: address.nullish(),
    phone: address.nullish(),
    type: word.nullish(),
    create_user: z.boolean().nullish(),
    data: metadata.nullish(),
    channel: word.nullish(),
  }),
  verify: z.object({
    ...common,
    type: word,
    email: address.nullish(),
    phone: address.nullish(),
    token: word.nullish(),
    token_hash: word.nullish(),
    redirect_to: word.nullish(),
  }),
  updateUser: z.object({
    ...common,
    email: address.nullish(),
    phone: address.nullish(),
    password: z.string().nullish(),
    current_password: z.string().nullish(),
    nonce: word.nullish(),
    data: metadata.nullish(),
    channel: word.nullish(),
  }),
  enrolFactor: z.object({
    ...common,
    factor_type: word.nullish(),
    friendly_name: z.string().max(64).nullish(),
    issuer: z.string().max(64).nullish(),
    phone: address.nullish(),
  }),
  challengeFactor: z.object({ ...common, channel: word.nullish() }),
  recoveryCodes: z.object({ ...common, friendly_name: z.string().max(64).nullish() }),
  recoveryCode: z.object({ ...common, code: z.string().max(64).nullish() }),
  verifyFactor: z.object({
    ...common,
    challenge_id: word,
    code: z.string().max(32).nullish(),
    webauthn: z.object({ credential_response: z.unknown() }).nullish(),
  }),
} as const;

/**
 * Parses a body of the expected shape; other fields (`role`, `id`, …) are dropped.
 *
 * @throws ServiceError 400 `validation_failed` that names the first wrong field
 */
export function readBody<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const outcome = shape.safeParse(body ?? {});
  if (outcome.success) return outcome.data;
  const { field, reason } = inputIssues(outcome.error);
  throw invalidInput(`${field}: ${reason}`);
}

/**
 * An address in the one spelling under which accounts are stored: trimmed, NFC, lower case.
 *
 * @throws ServiceError 400 `validation_failed`
 */
export function readEmail(text: string): string {
  const email = foldedEmail(text);
  if (!isMailAddress(email) || !/@[^.]+(\.[^.]+)+$/.test(email)) {
    throw invalidInput('Unable to validate email address: invalid format');
  }
  return email;
}

/**
 * A phone number as accounts store it: the digits of E.164 without the plus sign.
 *
 * @throws ServiceError 400 `validation_failed`
 */
export function readPhone(text: string): string {
  const digits = text.replace(/[\s()-]/g, '').replace(/^\+/, '');
  if (!/^[1-9]\d{4,14}$/.test(digits)) {
    throw invalidInput('Invalid phone number format (E.164 required)');
  }
  return digits;
}

/** The browser's preferred language (RFC 9110 §12.5.4), for an account's mails. */
export function languageOf(request: FastifyRequest): string | undefined {
  const header = request.headers['accept-language'] ?? '';
  return /^\s*([a-z]{2,3}(?:-[a-z0-9]{2,8})*)\s*(?:[;,]|$)/i.exec(header.slice(0, 200))?.[1];
}

/** The PKCE challenge of a request (RFC 7636), or undefined for the implicit flow. */
export interface Challenge {
  readonly challenge: string;
  readonly method: 's256' | 'plain';
}

/** @throws ServiceError 400 `validation_failed` for half a challenge or one that is not 43-128 characters */
export function readChallenge(body: {
  code_challenge?: string | null | undefined;
  code_challenge_method?: string | null | undefined;
}): Challenge | undefined {
  const challenge = body.code_challenge ?? '';
  const method = (body.code_challenge_method ?? '').toLowerCase();
  if (challenge === '' && method === '') return undefined;
  if (challenge === '' || method === '') {
    throw invalidInput('PKCE flow requires code_challenge_method and code_challenge');
  }
  if (method !== 's256' && method !== 'plain') throw invalidInput('code_challenge_method is not supported');
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(challenge)) {
    throw invalidInput('code challenge has to be between 43 and 128 characters');
  }
  return { challenge, method };
}

/**
 * Sets the given fields and removes those given as null. @throws ServiceError 400 when the result is too
 * large
 */
export function mergeMetadata(
  before: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return readBody(metadata, Object.fromEntries(merged));
}
