import type { SmsAccount } from '../../config/sms-url.ts';
import type { OutboundHttp, OutboundReply } from '../outbound-http/outbound-http.ts';
import { type Sms, SmsError } from './sms.ts';

const MAX_REPLY_BYTES = 64 * 1024;

/**
 * Twilio's REST API (POST /2010-04-01/Accounts/{sid}/Messages.json, form fields To, From or
 * MessagingServiceSid, Body; HTTP basic authentication; 201 with `sid`, else `{code, message}`).
 */
export function openTwilio(account: SmsAccount, outbound: OutboundHttp): Sms {
  const address = `${account.origin}/2010-04-01/Accounts/${encodeURIComponent(account.sid)}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${account.sid}:${account.token}`).toString('base64')}`;
  return {
    provider: 'twilio',
    keepsMessages: false,
    async send({ to, text, channel }) {
      const prefix = channel === 'whatsapp' ? 'whatsapp:' : '';
      const sender = account.from.startsWith('MG')
        ? { MessagingServiceSid: account.from }
        : { From: `${prefix}${account.from}` };
      const reply = await outbound
        .request({
          url: address,
          method: 'POST',
          headers: {
            authorization,
            accept: 'application/json',
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: new URLSearchParams({ To: `${prefix}+${to}`, ...sender, Body: text }).toString(),
          maxBytes: MAX_REPLY_BYTES,
        })
        .catch((error: Error) => {
          throw new SmsError(`The provider of text messages was not reached: ${error.message}`, {
            cause: error,
          });
        });
      return messageId(reply);
    },
    kept: async () => [],
  };
}

function messageId({ status, body }: OutboundReply): string {
  const { sid, code } = parseReply(body);
  if (status >= 200 && status < 300 && typeof sid === 'string') return sid;
  // The provider's message contains the person's number, so the log gets only the code of the error.
  throw new SmsError(`The provider of text messages answered ${status} (${code ?? 'no code'}).`);
}

function parseReply(body: Buffer): { sid?: unknown; code?: unknown } {
  try {
    return (JSON.parse(body.toString()) ?? {}) as object;
  } catch {
    return {};
  }
}
