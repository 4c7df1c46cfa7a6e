import { ServiceError } from '../../kernel/contract/service-error.ts';
import type {
  OutboundHttp,
  OutboundReply,
  OutboundRequest,
} from '../../kernel/resources/outbound-http/outbound-http.ts';

/** Where a provider reaches us about one number. */
export interface NumberAddresses {
  /** Asked what to do with a call that comes in. */
  readonly answer: string;
  /** Told how calls go on. */
  readonly events: string;
}

/** What a provider knows a number by; kept with the number's record. */
export type NumberMarks = Readonly<Record<string, string>>;

/** An account at a provider of phone numbers, which stay there: we only answer for them. */
export interface NumberProvider {
  /**
   * Has calls of the number brought to us.
   *
   * @param number as +442079460000
   * @throws ServiceError 400 `provider_refused` or `number_not_in_account`, 502 `provider_unavailable`
   */
  claim(number: string, addresses: NumberAddresses): Promise<NumberMarks>;
  /** Lets go of a number, if it is still ours. @throws as `claim` */
  release(number: string, marks: NumberMarks, addresses: NumberAddresses): Promise<void>;
}

const MAX_REPLY_BYTES = 512 * 1024;
const HEADERS_MS = 8000;
const TOTAL_MS = 12_000;
/** What a provider says about credentials that it does not take. */
const REFUSED = new Set([401, 403]);

/** A reply of a provider that went well, or a 4xx whose meaning depends on the question. */
export interface ProviderReply {
  readonly status: number;
  /** Parsed; undefined where it is no JSON. */
  readonly body: unknown;
}

/**
 * Asks a provider's API.
 *
 * @param name as the sentences of refusals call it
 * @throws ServiceError 400 `provider_refused` for credentials that it does not take, 502
 * `provider_unavailable` when it is down, busy, too slow or not to be understood
 */
export async function requestProvider(
  outbound: OutboundHttp,
  name: string,
  request: Omit<OutboundRequest, 'maxBytes' | 'headersMs' | 'totalMs'>,
): Promise<ProviderReply> {
  const limits = { maxBytes: MAX_REPLY_BYTES, headersMs: HEADERS_MS, totalMs: TOTAL_MS };
  let reply: OutboundReply;
  try {
    reply = await outbound.request({ ...request, ...limits });
  } catch (error) {
    throw unavailable(name, 'could not be reached', error);
  }
  const { status } = reply;
  if (REFUSED.has(status))
    throw new ServiceError(400, 'provider_refused', `${name} does not accept these credentials.`);
  if (status === 429) throw unavailable(name, 'is busy');
  if (status >= 500 || (status >= 300 && status < 400) || reply.cut)
    throw unavailable(name, 'does not work at the moment');
  const body = parsed(reply.body);
  if (status < 300 && status !== 204 && body === undefined)
    throw unavailable(name, 'answered something that cannot be understood');
  return { status, body };
}

/** A number that the account does not have. */
export function notInAccount(name: string, number: string): ServiceError {
  return new ServiceError(400, 'number_not_in_account', `${number} is no number of this ${name} account.`);
}

/** A provider that answers a 4xx where it should have done what it was asked. */
export function unexpected(name: string, status: number): ServiceError {
  return unavailable(name, `refused with ${status}`);
}

function unavailable(name: string, what: string, cause?: unknown): ServiceError {
  return new ServiceError(
    502,
    'provider_unavailable',
    `${name} ${what}. Nothing was stored; please try again.`,
    {
      headers: { 'retry-after': '30' },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
