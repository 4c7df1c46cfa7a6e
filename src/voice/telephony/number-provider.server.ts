import { ServiceError } from '../../kernel/contract/service-error.ts';
import type {
  OutboundHttp,
  OutboundReply,
  OutboundRequest,
} from '../../kernel/resources/outbound-http/outbound-http.ts';

/** The addresses at which a provider reaches this server about one number. */
export interface NumberAddresses {
  /** Called to ask what to do with an incoming call. */
  readonly answer: string;
  /** Called to report the progress of calls. */
  readonly events: string;
}

/** By what a provider identifies a number; stored with the number's record. */
export type NumberMarks = Readonly<Record<string, string>>;

/**
 * An account at a provider of phone numbers. The numbers stay there; this server only answers their calls.
 */
export interface NumberProvider {
  /**
   * Directs calls of the number to this server.
   *
   * @param number as +442079460000
   * @throws ServiceError 400 `provider_refused` or `number_not_in_account`, 502 `provider_unavailable`
   */
  claim(number: string, addresses: NumberAddresses): Promise<NumberMarks>;
  /** Releases a number, if its calls still come here. @throws as `claim` */
  release(number: string, marks: NumberMarks, addresses: NumberAddresses): Promise<void>;
}

const MAX_REPLY_BYTES = 512 * 1024;
const HEADERS_MS = 8000;
const TOTAL_MS = 12_000;
/** Statuses by which a provider refuses credentials. */
const REFUSED = new Set([401, 403]);

/** A successful reply of a provider, or a 4xx whose meaning depends on the request. */
export interface ProviderReply {
  readonly status: number;
  /** Parsed JSON; undefined where the body is not JSON. */
  readonly body: unknown;
}

/**
 * Sends a request to a provider's API.
 *
 * @param name the provider's name in error messages
 * @throws ServiceError 400 `provider_refused` for credentials that it does not accept, 502
 * `provider_unavailable` when it is down, busy or too slow, or its reply cannot be read
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

/** The error for a number that the account does not have. */
export function notInAccount(name: string, number: string): ServiceError {
  return new ServiceError(400, 'number_not_in_account', `${number} does not belong to this ${name} account.`);
}

/** The error for an unexpected 4xx of a provider. */
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
