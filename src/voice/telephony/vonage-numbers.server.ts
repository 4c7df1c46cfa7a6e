import { z } from 'zod';
import type { OutboundHttp } from '../../kernel/resources/outbound-http/outbound-http.ts';
import {
  type NumberAddresses,
  type NumberMarks,
  type NumberProvider,
  notInAccount,
  requestProvider,
  unexpected,
} from './number-provider.server.ts';

/** The addresses of Vonage's two APIs. */
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
 * Numbers of a Vonage account. Each number gets an application of its own, whose webhooks lead to this server
 * (Numbers API: /account/numbers, /number/update; Applications API v2), with HTTP basic authentication.
 */
export class VonageNumbers implements NumberProvider {
  readonly #outbound: OutboundHttp;
  readonly #bases: VonageBases;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    outbound: OutboundHttp,
    bases: VonageBases,
    { apiKey, apiSecret }: { readonly apiKey: string; readonly apiSecret: string },
  ) {
    this.#outbound = outbound;
    this.#bases = bases;
    this.#headers = {
      authorization: `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`,
      accept: 'application/json',
    };
  }

  async claim(number: string, addresses: NumberAddresses): Promise<NumberMarks> {
    const found = await this.#find(number);
    if (found === undefined) throw notInAccount(NAME, number);
    const applicationId = await this.#createApplication(number, addresses);
    try {
      await this.#link(found, applicationId);
    } catch (error) {
      // Whether this succeeds does not change why the number could not be imported.
      await this.#deleteApplication(applicationId).catch(() => {});
      throw error;
    }
    // Its former application is stored, and restored when the number is released.
    return { vonageApplicationId: applicationId, vonageApplicationBefore: found.app_id ?? '' };
  }

  async release(
    number: string,
    { vonageApplicationId: applicationId, vonageApplicationBefore: before }: NumberMarks,
  ): Promise<void> {
    if (applicationId === undefined) return;
    const found = await this.#find(number);
    if (found?.app_id === applicationId) await this.#link(found, before === '' ? undefined : before);
    await this.#deleteApplication(applicationId);
  }

  #ask(request: { url: string; method: 'GET' | 'POST' | 'DELETE'; body?: string; type?: string }) {
    const { url, method, body, type } = request;
    return requestProvider(this.#outbound, NAME, {
      url,
      method,
      headers: { ...this.#headers, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    });
  }

  async #find(number: string) {
    const msisdn = number.slice(1);
    const query = new URLSearchParams({ pattern: msisdn, search_pattern: '0', size: '10' });
    const { status, body } = await this.#ask({
      url: `${this.#bases.rest}/account/numbers?${query}`,
      method: 'GET',
    });
    const list = numbersSchema.safeParse(body);
    if (status >= 300 || !list.success) throw unexpected(NAME, status);
    return list.data.numbers?.find((one) => one.msisdn === msisdn);
  }

  async #link(number: { country: string; msisdn: string }, applicationId?: string): Promise<void> {
    const fields = {
      country: number.country,
      msisdn: number.msisdn,
      ...(applicationId === undefined ? {} : { app_id: applicationId }),
    };
    const { status, body } = await this.#ask({
      url: `${this.#bases.rest}/number/update`,
      method: 'POST',
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(fields).toString(),
    });
    const said = updatedSchema.safeParse(body);
    if (status >= 300 || !said.success || said.data['error-code'] !== '200')
      throw unexpected(NAME, status >= 300 ? status : Number(said.data?.['error-code'] ?? status));
  }

  async #createApplication(number: string, { answer, events }: NumberAddresses): Promise<string> {
    const webhook = (address: string) => ({ address, http_method: 'POST' });
    const { status, body } = await this.#ask({
      url: `${this.#bases.api}/v2/applications`,
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

  async #deleteApplication(id: string): Promise<void> {
    const url = `${this.#bases.api}/v2/applications/${encodeURIComponent(id)}`;
    const { status } = await this.#ask({ url, method: 'DELETE' });
    if (status >= 300 && status !== 404) throw unexpected(NAME, status);
  }
}
