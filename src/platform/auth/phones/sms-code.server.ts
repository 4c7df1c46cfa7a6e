import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Reader } from '../../../kernel/resources/mailer/mail-language.ts';
import { type SmsChannel, SmsError } from '../../../kernel/resources/sms/sms.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { smsText } from '../mails/mail-composition.server.ts';
import { issueToken, type TokenType } from '../tokens/one-time-token.server.ts';

/** Life of codes in text messages, seconds (docs/contracts/platform.md §6). */
const SMS_TOKEN_SECONDS = 300;

/** A text message to be sent after the commit; the transaction that made its code composed it. */
export interface SmsToSend {
  /** Digits of the E.164 number. */
  readonly to: string;
  readonly channel: SmsChannel;
  readonly text: string;
}

/** @throws ServiceError 400 `phone_provider_disabled` */
export function requirePhoneProvider({ resources }: AuthContext): void {
  if (!resources.settings.AUTH_PHONE) {
    throw new ServiceError(400, 'phone_provider_disabled', 'Phone numbers are disabled');
  }
}

/** The requested channel. @throws ServiceError 400 `validation_failed` */
export function readChannel(channel: string | null | undefined): SmsChannel {
  if (!channel || channel === 'sms') return 'sms';
  if (channel === 'whatsapp') return 'whatsapp';
  throw invalidInput('Invalid channel, supported values are sms and whatsapp');
}

/** Makes a code of this kind for a user, and the message that contains it. */
export async function composeCode(
  context: AuthContext,
  queries: Queries,
  token: { user: Reader & { readonly id: string }; type: TokenType; phone: string; channel: SmsChannel },
): Promise<SmsToSend> {
  const { user: reader, type, phone, channel } = token;
  const { code } = await issueToken(context, queries, {
    userId: reader.id,
    type,
    address: phone,
    seconds: SMS_TOKEN_SECONDS,
  });
  return {
    to: phone,
    channel,
    text: smsText(context, 'sms-code', reader, { code }),
  };
}

/**
 * Sends a message. Call it after the commit, because no transaction waits for another server.
 *
 * @throws ServiceError 422 `sms_send_failed`; the provider's reason goes to the log only
 */
export async function sendSms({ resources }: AuthContext, message: SmsToSend): Promise<string> {
  try {
    return await resources.sms.send(message);
  } catch (error) {
    if (!(error instanceof SmsError)) throw error;
    resources.log.warn({ err: error }, 'a text message was not sent');
    throw new ServiceError(422, 'sms_send_failed', 'The text message could not be sent. Please try again.');
  }
}
