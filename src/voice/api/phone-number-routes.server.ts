import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import {
  buyNumberSchema,
  changeNumberSchema,
  createNumberSchema,
  importTwilioSchema,
  importVonageSchema,
  listSchema,
} from '../records/voice-resources.contract.ts';
import { idOf, parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import { openNumberImports } from '../telephony/number-import.server.ts';
import type { PhoneService } from '../telephony/phone/phone-service.server.ts';
import { mergeChanges } from './record-routes.server.ts';

type Body = Record<string, unknown>;

/** The area code where the server SDK names none. */
const DEFAULT_AREA = '212';
/**
 * Numbers 555-0100 to 555-0199 of every North American area code are reserved for fiction and never assigned.
 */
const FICTION = { first: 100, count: 100 };
const SWEEP_SECONDS = 60;

/**
 * Mounts phone numbers. Bought numbers belong to the embedded loopback trunk, and ring only on this machine,
 * at their `sipUri`. Numbers that are brought along belong to a SIP trunk, and imported numbers stay at
 * Twilio or Vonage.
 */
export function mountPhoneNumbers(scope: VoiceScope, phone: Pick<PhoneService, 'addressOf' | 'warm'>): void {
  const { server, records, resources } = scope;
  const withAddress = (number: VoiceRecord): VoiceRecord => {
    const sipUri = number.provider === 'vapi' ? phone.addressOf(String(number.number)) : undefined;
    return sipUri === undefined ? number : { ...number, sipUri };
  };
  const imports = openNumberImports(resources, records);
  resources.jobs.every('half imported numbers', SWEEP_SECONDS, () => imports.sweep());
  const take = async (body: Body): Promise<VoiceRecord> => {
    await answerersExist(scope, body);
    return imports.add(mergeChanges({}, body));
  };
  const added = (reply: FastifyReply, number: VoiceRecord): FastifyReply => {
    // A call may come from now on.
    void phone.warm();
    return reply.code(201).send(withAddress(number));
  };
  server.post('/phone-number/buy', async (request, reply) => {
    const { areaCode, ...body } = parseVoice(buyNumberSchema, request.body);
    return added(reply, await buy(scope, areaCode, body));
  });
  server.post('/phone-number/import/twilio', async (request, reply) => {
    const { twilioPhoneNumber, ...body } = parseVoice(importTwilioSchema, request.body);
    return added(reply, await take({ ...body, number: twilioPhoneNumber, provider: 'twilio' }));
  });
  server.post('/phone-number/import/vonage', async (request, reply) => {
    const { vonagePhoneNumber, ...body } = parseVoice(importVonageSchema, request.body);
    return added(reply, await take({ ...body, number: vonagePhoneNumber, provider: 'vonage' }));
  });
  server.post('/phone-number', async (request, reply) => {
    const given = parseVoice(createNumberSchema, request.body);
    if (given.provider === 'byo-phone-number') return added(reply, await bring(scope, given));
    if (given.provider !== 'vapi') return added(reply, await take(given));
    const { numberDesiredAreaCode, ...body } = given;
    return added(reply, await buy(scope, numberDesiredAreaCode ?? DEFAULT_AREA, body));
  });
  server.get('/phone-number', async (request) =>
    (await records.list('phone-number', parseVoice(listSchema, request.query))).map(withAddress),
  );
  server.get('/phone-number/:id', async (request) =>
    withAddress(await records.find('phone-number', idOf(request))),
  );
  server.delete('/phone-number/:id', async (request) => imports.remove(idOf(request)));
  server.patch('/phone-number/:id', async (request) => {
    const id = idOf(request);
    const { provider: _provider, ...given } = parseVoice(changeNumberSchema, request.body);
    await answerersExist(scope, given);
    const changed = withAddress(
      await records.change('phone-number', id, (present) => ({
        body: mergeChanges(present, given),
        replaced: Object.keys(given),
      })),
    );
    void phone.warm();
    return changed;
  });
}

async function answerersExist({ records }: VoiceScope, body: Body): Promise<void> {
  await records.mustExist('assistant', [body.assistantId], 'assistantId');
  await records.mustExist('squad', [body.squadId], 'squadId');
  const { outside } = (body.hours ?? {}) as { outside?: { assistantId?: string } };
  await records.mustExist('assistant', [outside?.assistantId], 'hours.outside.assistantId');
}
/**
 * Adds a number of the installation's own SIP trunk.
 *
 * @throws ServiceError 400 `unknown_reference`, `validation_failed` where the credential is not a trunk, 409
 * `number_taken`
 */
async function bring(scope: VoiceScope, body: Body): Promise<VoiceRecord> {
  const { records } = scope;
  await answerersExist(scope, body);
  await records.mustExist('credential', [body.credentialId], 'credentialId');
  const { provider } = await records.body('credential', String(body.credentialId));
  if (provider !== 'byo-sip-trunk')
    throw new ServiceError(
      400,
      'validation_failed',
      'credentialId: must be a credential of the provider byo-sip-trunk.',
    );
  return records.create('phone-number', { ...mergeChanges({}, body), status: 'active' });
}

/** @throws ServiceError 409 `no_numbers_left` when every number of the area is taken */
async function buy(scope: VoiceScope, areaCode: string, body: Body): Promise<VoiceRecord> {
  await answerersExist(scope, body);
  const { database } = scope.resources;
  const numbers = Array.from(
    { length: FICTION.count },
    (_, index) => `+1${areaCode}5550${FICTION.first + index}`,
  );
  const free = await database.many(
    `select number from unnest($1::text[]) as number where not exists
      (select 1 from private.voice_records where kind = 'phone-number' and body ->> 'number' = number)
     order by number`,
    [numbers],
  );
  // Somebody else may take the same number at the same moment; then the next one is tried.
  for (const { number } of free) {
    try {
      return await scope.records.create('phone-number', {
        ...mergeChanges({}, body),
        provider: 'vapi',
        number,
        status: 'active',
      });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'number_taken') throw error;
    }
  }
  throw new ServiceError(409, 'no_numbers_left', `areaCode: every number of ${areaCode} is taken.`);
}
