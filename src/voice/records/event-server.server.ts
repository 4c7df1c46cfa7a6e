import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { OutboundReply } from '../../kernel/resources/outbound-http/outbound-http.ts';
import { signedHeaders } from '../../kernel/resources/outbound-http/webhook-signature.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { separateSecrets } from './secret-hiding.server.ts';
import type { assistantOverridesSchema } from './voice-assistant.contract.ts';

/** A server that receives the events of calls and answers questions about them. */
export interface EventServer {
  readonly url: string;
  /**
   * Signs each message; it is also sent as it is in `x-vapi-secret`, which servers for the published API
   * read.
   */
  readonly secret?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** What every message about a call says of it, in the members that servers for the published API read. */
export interface MessageContext {
  readonly call: Readonly<Record<string, unknown>>;
  /** Without secrets; undefined while no assistant has the call. */
  readonly assistant?: object | undefined;
  /** The person who calls or is called; undefined in a browser. */
  readonly customer?: unknown;
  /** The number that was called, or that calls. */
  readonly phoneNumber?: object | undefined;
}

/**
 * The part of a message that describes its call (the published API's server messages: `call`, `assistant`,
 * `customer`, `phoneNumber`).
 *
 * @param call its record as the API shows it
 * @param assistant may hold secrets, which are left out, as are those of `phoneNumber`
 */
export function messageContext(
  call: Readonly<Record<string, unknown>>,
  assistant: object,
  phoneNumber?: object,
): MessageContext {
  return {
    call,
    assistant: withoutSecrets(assistant),
    ...(call.customer === undefined ? {} : { customer: call.customer }),
    ...(phoneNumber === undefined ? {} : { phoneNumber: withoutSecrets(phoneNumber) }),
  };
}

/** An assistant or a phone number without its secrets. */
export const withoutSecrets = (whole: object): object =>
  separateSecrets(whole as Record<string, unknown>, false).shown;

/** The parts that sending a message uses. */
export type SendingParts = Pick<Resources, 'outbound' | 'keys' | 'settings'>;

const REPLY_BYTES = 256 * 1024;
/** Seconds until a query is given up: sooner than the conversation gives up its dialogue. */
const QUERY_SECONDS = { default: 12, max: 15 } as const;

/** The server that an assistant, a tool or a phone number names. */
export function serverOf(
  given: Pick<z.output<typeof assistantOverridesSchema>, 'server' | 'serverUrl' | 'serverUrlSecret'>,
): EventServer | undefined {
  const { server, serverUrl, serverUrlSecret } = given;
  const url = server?.url ?? serverUrl;
  if (url === undefined) return undefined;
  const { headers, timeoutSeconds } = server ?? {};
  return { url, secret: server?.secret ?? serverUrlSecret, headers, timeoutSeconds };
}

/**
 * The server of a call's messages: the assistant's, else that of the number, else the installation's own (the published
 * API: `Server`).
 */
export function callServer(
  parts: Pick<Resources, 'settings'>,
  assistant: Parameters<typeof serverOf>[0],
  number: Parameters<typeof serverOf>[0] = {},
): EventServer | undefined {
  return serverOf(assistant) ?? serverOf(number) ?? ownServer(parts);
}

/** The installation's own server, for assistants that name none; undefined where there is none. */
export function ownServer({ settings }: Pick<Resources, 'settings'>): EventServer | undefined {
  const { VOICE_SERVER_URL: url, VOICE_SERVER_SECRET: secret } = settings;
  return url === '' ? undefined : { url, secret: secret === '' ? undefined : secret };
}

/** The signing secret in the form of Standard Webhooks. */
export function signingSecret({ keys }: Pick<Resources, 'keys'>, { secret }: EventServer): string {
  const key =
    secret === undefined
      ? derivedSecret(keys, 'voice events').toString('base64')
      : Buffer.from(secret).toString('base64');
  return `whsec_${key}`;
}

/** Headers that frame or sign a request: this server sets them, and an assistant cannot. */
const RESERVED =
  /^(host|connection|content-(length|type|encoding)|transfer-encoding|upgrade|te|trailer|webhook-.*|x-vapi-secret|x-call-id)$/i;

/** Headers of every request to a server, apart from its signature. */
export function serverHeaders({ headers, secret }: EventServer): Record<string, string> {
  const own = Object.entries(headers ?? {}).filter(([name]) => !RESERVED.test(name));
  return { ...Object.fromEntries(own), ...(secret === undefined ? {} : { 'x-vapi-secret': secret }) };
}

/** The header that names a message's call, so that its receiver knows the call before it reads the body. */
export function callHeader(message: object): Record<string, string> {
  const { call } = message as { readonly call?: { readonly id?: unknown } };
  return typeof call?.id === 'string' ? { 'x-call-id': call.id } : {};
}

/** Sends one message. @throws Error where the address may not be called, or no reply comes in time */
export async function sendMessage(
  parts: SendingParts,
  server: EventServer,
  message: object,
  timing: { id: string; ms: number },
): Promise<OutboundReply> {
  const body = JSON.stringify({ message });
  return parts.outbound.request({
    url: server.url,
    method: 'POST',
    maxBytes: REPLY_BYTES,
    headersMs: timing.ms,
    totalMs: timing.ms,
    body,
    headers: {
      ...serverHeaders(server),
      ...callHeader(message),
      'content-type': 'application/json; charset=utf-8',
      ...signedHeaders(timing.id, body, [signingSecret(parts, server)]),
    },
  });
}

/**
 * Sends a question and waits for its answer.
 *
 * @returns the parsed body of a 2xx
 * @throws Error with a sentence for the call's log; it names no secret
 */
export async function queryServer(
  parts: SendingParts,
  server: EventServer,
  message: object,
): Promise<unknown> {
  const seconds = Math.min(server.timeoutSeconds ?? QUERY_SECONDS.default, QUERY_SECONDS.max);
  const reply = await sendMessage(parts, server, message, { id: randomUUID(), ms: seconds * 1000 });
  if (reply.status < 200 || reply.status >= 300) throw new Error(`The server answered ${reply.status}.`);
  try {
    return JSON.parse(reply.body.toString('utf8')) as unknown;
  } catch {
    throw new Error('The answer of the server is not JSON.');
  }
}
