import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { smsText } from '../mails/mail-composition.server.ts';
import { readChannel, type SmsToSend } from '../phones/sms-code.server.ts';
import { limitSms } from '../request-limits.server.ts';
import { newCode } from '../tokens/one-time-secret.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import type { FactorRow } from './factor-lookup.server.ts';

/** A challenge as stored. */
export interface ChallengeRow {
  readonly id: string;
  readonly expires_at: Date;
  readonly alive: boolean;
  readonly code_hash: Buffer | null;
  readonly webauthn_challenge: string | null;
}

/** Part of the hash of a challenge's code, so that the code works for nothing else. */
const KIND = 'factor challenge';

/** @throws ServiceError 422 `mfa_phone_enroll_not_enabled`, `mfa_phone_verify_not_enabled` */
export function refuseSwitchedOff(
  { resources }: AuthContext,
  { factor_type: type }: Pick<FactorRow, 'factor_type'>,
  what: 'enroll' | 'verify',
): void {
  if (type !== 'phone' || resources.settings.AUTH_MFA_PHONE) return;
  throw new ServiceError(422, `mfa_phone_${what}_not_enabled`, `MFA ${what} is disabled for Phone`);
}

/** Makes the code of a phone's challenge; send its message after the commit. */
export async function composeFactorCode(
  context: AuthContext,
  queries: Queries,
  request: FastifyRequest,
  given: {
    user: UserRow;
    factor: FactorRow;
    challenge: ChallengeRow;
    channel: string | null | undefined;
  },
): Promise<SmsToSend> {
  const { user, factor, challenge } = given;
  const channel = readChannel(given.channel);
  const phone = factor.phone ?? '';
  await limitSms(context, request, phone, queries);
  const code = newCode();
  await queries.run('update auth.mfa_challenges set code_hash = $2 where id = $1', [
    challenge.id,
    context.hashes.code(KIND, challenge.id, code),
  ]);
  return { to: phone, channel, text: smsText(context, 'sms-code', user, { code }) };
}

/** Whether this is the code that was sent for the challenge. */
export function isSentCode(context: AuthContext, challenge: ChallengeRow, code: string): boolean {
  const given = context.hashes.code(KIND, challenge.id, code.replace(/\s/g, ''));
  return equalSecrets(given.toString('base64'), challenge.code_hash?.toString('base64') ?? '');
}
