import { z } from 'zod';
import type { OutboundHttp } from '../../kernel/resources/outbound-http/outbound-http.ts';
import { type NumberProvider, notInAccount, requestProvider, unexpected } from './number-provider.server.ts';

/** Credentials of an account: its token, or one of its keys. */
export interface TwilioAccount {
  readonly twilioAccountSid: string;
  readonly twilioAuthToken?: string | undefined;
  readonly twilioApiKey?: string | undefined;
  readonly twilioApiSecret?: string | undefined;
}

const NAME = 'Twilio';
const numberSchema = z.object({
  sid: z.string().regex(/^PN[0-9a-zA-Z]+$/),
  phone_number: z.string(),
  voice_url: z.string().nullish(),
  voice_method: z.string().nullish(),
  status_callback: z.string().nullish(),
  status_callback_method: z.string().nullish(),
});
const listSchema = z.object({ incoming_phone_numbers: z.array(numberSchema) });

/**
 * Numbers of a Twilio account: IncomingPhoneNumbers of the REST API 2010-04-01, with HTTP basic
 * authentication, form requests and JSON replies.
 */
export function twilioNumbers(outbound: OutboundHttp, base: string, account: TwilioAccount): NumberProvider {
  const { twilioAccountSid: sid, twilioApiKey: key } = account;
  const [user, password] =
    key === undefined ? [sid, account.twilioAuthToken] : [key, account.twilioApiSecret];
  const headers = {
    authorization: `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}`,
    accept: 'application/json',
  };
  const resource = `${base.replace(/\/$/, '')}/2010-04-01/Accounts/${encodeURIComponent(sid)}/IncomingPhoneNumbers`;

  async function find(number: string): Promise<z.output<typeof numberSchema> | undefined> {
    const url = `${resource}.json?${new URLSearchParams({ PhoneNumber: number, PageSize: '20' })}`;
    const { status, body } = await requestProvider(outbound, NAME, { url, method: 'GET', headers });
    if (status === 404) return undefined;
    const list = listSchema.safeParse(body);
    if (status >= 300 || !list.success) throw unexpected(NAME, status);
    return list.data.incoming_phone_numbers.find(({ phone_number }) => phone_number === number);
  }

  async function change(numberSid: string, fields: Record<string, string>): Promise<void> {
    const { status } = await requestProvider(outbound, NAME, {
      url: `${resource}/${encodeURIComponent(numberSid)}.json`,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
    if (status >= 300) throw unexpected(NAME, status);
  }

  return {
    async claim(number, addresses) {
      const found = await find(number);
      if (found === undefined) throw notInAccount(NAME, number);
      await change(found.sid, {
        VoiceUrl: addresses.answer,
        VoiceMethod: 'POST',
        StatusCallback: addresses.events,
        StatusCallbackMethod: 'POST',
      });
      // The present settings are stored, and restored when the number is released.
      return {
        twilioNumberSid: found.sid,
        twilioVoiceUrlBefore: found.voice_url ?? '',
        twilioVoiceMethodBefore: found.voice_method || 'POST',
        twilioStatusCallbackBefore: found.status_callback ?? '',
        twilioStatusCallbackMethodBefore: found.status_callback_method || 'POST',
      };
    },
    async release(number, marks, addresses) {
      const found = await find(number);
      // The number's calls go somewhere else by now, which must stay so.
      if (found === undefined || found.voice_url !== addresses.answer) return;
      await change(found.sid, {
        VoiceUrl: marks.twilioVoiceUrlBefore ?? '',
        VoiceMethod: marks.twilioVoiceMethodBefore ?? 'POST',
        StatusCallback: marks.twilioStatusCallbackBefore ?? '',
        StatusCallbackMethod: marks.twilioStatusCallbackMethodBefore ?? 'POST',
      });
    },
  };
}
