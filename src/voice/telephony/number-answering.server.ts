import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import { openNumberAddresses } from './provider-proof.server.ts';

const LIMIT = { name: 'webhooks of phone numbers', count: 240, seconds: 60 };
const BODY_BYTES = 64 * 1024;
const place = z.object({ id: z.uuid(), token: z.string().min(1).max(64) });
const NOBODY = 'Nobody is taking calls on this number at the moment. Please use our website.';

interface Fallback {
  readonly type: 'number' | 'sip';
  readonly number?: string;
  readonly sipUri?: string;
}

/** The address by which a provider reaches the telephone; undefined where it listens on this machine only. */
export interface OutsideTelephone {
  outsideAddressOf(number: string): string | undefined;
}

/**
 * Mounts the addresses at which providers ask about calls to imported numbers. Twilio brings calls to this
 * server's telephone, with the number's own proof. Where the telephone cannot be reached from outside, and
 * for Vonage, which cannot prove itself over SIP, the caller is put through to the number's
 * `fallbackDestination`, or hears that nobody is there.
 */
export function mountInbound(
  { server, http, resources, records }: VoiceScope,
  telephone: OutsideTelephone,
): void {
  const addresses = openNumberAddresses(resources);
  const numberOf = async (request: FastifyRequest): Promise<Record<string, unknown>> => {
    await http.rateLimiter.take(LIMIT, http.addressOf(request));
    const { id, token } = parseVoice(place, request.params);
    if (!addresses.fits(id, token)) throw new ServiceError(404, 'not_found', 'There is no such number.');
    return records.body('phone-number', id);
  };
  const proofOf = (request: FastifyRequest) => addresses.proof((request.params as { id: string }).id);
  server.register(async (inbound) => {
    // Twilio sends a form, Vonage JSON; neither is read, since nothing in it matters.
    inbound.removeAllContentTypeParsers();
    inbound.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, _body, done) =>
      done(null, undefined),
    );
    inbound.post('/inbound/:id/:token', async (request, reply): Promise<FastifyReply> => {
      const number = await numberOf(request);
      const fallback = number.fallbackDestination as Fallback | undefined;
      return number.provider === 'vonage'
        ? reply.send(callControl(fallback))
        : reply
            .type('text/xml; charset=utf-8')
            .send(
              dialMarkup(telephone.outsideAddressOf(String(number.number)), proofOf(request)) ??
                callMarkup(fallback),
            );
    });
    inbound.post('/inbound/:id/:token/events', async (request, reply) => {
      await numberOf(request);
      return reply.code(204).send();
    });
  });
}

/** Vonage's call control object. */
function callControl(fallback: Fallback | undefined): object[] {
  if (fallback === undefined) return [{ action: 'talk', text: NOBODY }];
  const endpoint =
    fallback.type === 'sip'
      ? { type: 'sip', uri: fallback.sipUri }
      : { type: 'phone', number: fallback.number?.slice(1) };
  return [{ action: 'connect', endpoint: [endpoint] }];
}

/** Twilio's markup for a call that the assistant takes; undefined where the telephone cannot be reached. */
function dialMarkup(
  address: string | undefined,
  { username, password }: { readonly username: string; readonly password: string },
): string | undefined {
  if (address === undefined) return undefined;
  const sip = `<Sip username="${username}" password="${password}">${escapeHtml(address)}</Sip>`;
  return `<?xml version="1.0" encoding="UTF-8"?><Response><Dial answerOnBridge="true">${sip}</Dial></Response>`;
}

/** Twilio's markup for a call that the assistant does not take. */
function callMarkup(fallback: Fallback | undefined): string {
  const what =
    fallback === undefined
      ? `<Say>${NOBODY}</Say><Hangup/>`
      : fallback.type === 'sip'
        ? `<Dial><Sip>${escapeHtml(fallback.sipUri ?? '')}</Sip></Dial>`
        : `<Dial>${escapeHtml(fallback.number ?? '')}</Dial>`;
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${what}</Response>`;
}
