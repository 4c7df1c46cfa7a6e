import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { VoiceRecord, VoiceRecords } from '../records/voice-records.server.ts';
import type { NumberMarks, NumberProvider } from './number-provider.server.ts';
import { openNumberAddresses } from './provider-proof.server.ts';
import { twilioNumbers } from './twilio-numbers.server.ts';
import { VonageNumbers } from './vonage-numbers.server.ts';

type Body = Readonly<Record<string, unknown>>;

/** Numbers that stay with their provider, and whose calls come here. */
export interface NumberImports {
  /**
   * @param body with `provider`, `number` and what the provider needs
   * @throws ServiceError 409 `number_taken`, and the provider's errors; nothing is stored then
   */
  add(body: Body): Promise<VoiceRecord>;
  /** Removes a number. An imported number is released at its provider first. @throws ServiceError 404, 502 */
  remove(id: string): Promise<VoiceRecord>;
  /** Removes numbers whose import was interrupted when a process was killed. */
  sweep(): Promise<void>;
}

/** An import takes seconds; one that has not finished after this time never will. */
const HALF_IMPORTED_MINUTES = 3;

/** Opens the imports, at the providers' addresses in the settings. */
export function openNumberImports(
  resources: Pick<Resources, 'database' | 'settings' | 'outbound' | 'keys' | 'siteUrl' | 'log'>,
  records: VoiceRecords,
): NumberImports {
  const { settings, outbound, database, log } = resources;
  const addresses = openNumberAddresses(resources);

  async function providerOf(body: Body): Promise<NumberProvider> {
    if (body.provider === 'twilio') {
      const account = body as { twilioAccountSid: string };
      return twilioNumbers(outbound, settings.VOICE_TWILIO_URL || 'https://api.twilio.com', account);
    }
    const own = settings.VOICE_VONAGE_URL.replace(/\/$/, '');
    const bases = { rest: own || 'https://rest.nexmo.com', api: own || 'https://api.nexmo.com' };
    return new VonageNumbers(outbound, bases, await vonageCredential(records, body.credentialId));
  }

  async function release(id: string): Promise<void> {
    const whole = await records.whole('phone-number', id);
    if (whole.provider !== 'twilio' && whole.provider !== 'vonage') return;
    try {
      const provider = await providerOf(whole);
      await provider.release(String(whole.number), whole as NumberMarks, addresses.of(id));
    } catch (error) {
      // Credentials that are no longer valid must not keep the number here for ever.
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      log.warn({ number: id, code: error.code }, 'a number was removed but not released at its provider');
    }
  }

  return {
    async add(body) {
      const provider = await providerOf(body);
      const id = randomUUID();
      // The row is written first, so that nobody can import the same number meanwhile.
      await records.create('phone-number', { ...body, status: 'activating' }, id);
      try {
        const marks = await provider.claim(String(body.number), addresses.of(id));
        return await records.change('phone-number', id, (present) => ({
          body: { ...present, ...marks, status: 'active' },
          replaced: [],
        }));
      } catch (error) {
        await records.remove('phone-number', id);
        throw error;
      }
    },
    async remove(id) {
      await release(id);
      return records.remove('phone-number', id);
    },
    async sweep() {
      const left = await database.many(
        `select id from private.voice_records where kind = 'phone-number' and body ->> 'status' = 'activating'
            and updated_at < now() - make_interval(mins => $1)`,
        [HALF_IMPORTED_MINUTES],
      );
      for (const { id } of left) {
        await release(id);
        await records.remove('phone-number', id);
      }
    },
  };
}

/** @throws ServiceError 400 `unknown_reference`, `validation_failed` where the credential is not Vonage's */
async function vonageCredential(
  records: VoiceRecords,
  id: unknown,
): Promise<{ apiKey: string; apiSecret: string }> {
  await records.mustExist('credential', [id], 'credentialId');
  const { provider, apiKey, apiSecret } = await records.whole('credential', String(id));
  if (provider !== 'vonage' || typeof apiKey !== 'string' || typeof apiSecret !== 'string')
    throw new ServiceError(
      400,
      'validation_failed',
      'credentialId: must be a credential of the provider vonage with apiKey and apiSecret.',
    );
  return { apiKey, apiSecret };
}
