import { z } from 'zod';
import type { OutboundHttp } from '../../../resources/outbound-http/outbound-http.ts';
import {
  askProvider,
  type NumberAddresses,
  type NumberProvider,
  notInAccount,
  unexpected,
} from './number-provider.server.ts';

/** Where Vonage's two APIs are. */
export interface VonageBases {
  /** Numbers. */
  readonly rest: string;
  /** Applications. */
  readonly api: string;
}

const NAME = 'Vonage';
const numbersSchema = z.object({
  numbers: z
    .array(z.object({ country: z.string(), msisdn: z.string(), app_id: z.string().optional() }))
    .optional(),
});
const applicationSchema = z.object({ id: z.string().min(1).max(100) });
const updatedSchema = z.object({ 'error-code': z.string() });

/**
 * Numbers of a Vonage account: a number is given an application of its own, whose webhooks lead to us
 * (Numbers API: /account/numbers, /number/update; Applications API v2), HTTP basic authentication.
 */
export function vonageNumbers(
  outbound: OutboundHttp,
  bases: VonageBases,
  credential: { readonly apiKey: string; readonly apiSecret: string },
): NumberProvider {
  const { apiKey, apiSecret } = credential;
  const headers = {
    authorization: `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`,
    accept: 'application/json',
  };
  const ask = (request: { url: string; method: 'GET' | 'POST' | 'DELETE'; body?: string; type?: string }) =>
    askProvider(outbound, NAME, {
      url: request.url,
      method: request.method,
      headers: { ...headers, ...(request.type === undefined ? {} : { 'content-type': request.type }) },
      ...(request.body === undefined ? {} : { body: request.body }),
    });

  async function find(number: string) {
    const msisdn = number.slice(1);
    const query = new URLSearchParams({ pattern: msisdn, search_pattern: '0', size: '10' });
    const { status, body } = await ask({ url: `${bases.rest}/account/numbers?${query}`, method: 'GET' });
    const list = numbersSchema.safeParse(body);
    if (status >= 300 || !list.success) throw unexpected(NAME, status);
    return list.data.numbers?.find((one) => one.msisdn === msisdn);
  }

  async function link(number: { country: string; msisdn: string }, applicationId?: string): Promise<void> {
    const fields = {
      country: number.country,
      msisdn: number.msisdn,
      ...(applicationId === undefined ? {} : { app_id: applicationId }),
    };
    const { status, body } = await ask({
      url: `${bases.rest}/number/update`,
      method: 'POST',
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(fields).toString(),
    });
    const said = updatedSchema.safeParse(body);
    if (status >= 300 || !said.success || said.data['error-code'] !== '200')
      throw unexpected(NAME, status >= 300 ? status : Number(said.data?.['error-code'] ?? status));
  }

  async function createApplication(number: string, { answer, events }: NumberAddresses): Promise<string> {
    const webhook = (address: string) => ({ address, http_method: 'POST' });
    const { status, body } = await ask({
      url: `${bases.api}/v2/applications`,
      method: 'POST',
      type: 'application/json',
      body: JSON.stringify({
        name: `phone assistant of ${number}`,
        capabilities: { voice: { webhooks: { answer_url: webhook(answer), event_url: webhook(events) } } },
      }),
    });
    const made = applicationSchema.safeParse(body);
    if (status >= 300 || !made.success) throw unexpected(NAME, status);
    return made.data.id;
  }

  async function deleteApplication(id: string): Promise<void> {
    const url = `${bases.api}/v2/applications/${encodeURIComponent(id)}`;
    const { status } = await ask({ url, method: 'DELETE' });
    if (status >= 300 && status !== 404) throw unexpected(NAME, status);
  }

  return {
    async claim(number, addresses) {
      const found = await find(number);
      if (found === undefined) throw notInAccount(NAME, number);
      const applicationId = await createApplication(number, addresses);
      try {
        await link(found, applicationId);
      } catch (error) {
        // What it answers to this changes nothing about why the number was not taken.
        await deleteApplication(applicationId).catch(() => {});
        throw error;
      }
      return { vonageApplicationId: applicationId };
    },
    async release(number, { vonageApplicationId: applicationId }) {
      if (applicationId === undefined) return;
      const found = await find(number);
      if (found?.app_id === applicationId) await link(found);
      await deleteApplication(applicationId);
    },
  };
}
