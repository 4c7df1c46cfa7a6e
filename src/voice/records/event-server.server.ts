import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { z } from 'zod';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { OutboundReply } from '../../kernel/resources/outbound-http/outbound-http.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { separateSecrets } from './secret-hiding.server.ts';
import type { assistantOverridesSchema } from './voice-assistant.contract.ts';

/** A server that receives what happens in calls, and answers questions about them. */
export interface EventServer {
  readonly url: string;
  /** Signs; also sent bare as `x-vapi-secret`, which the platform's servers read. */
  readonly secret?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** What every message about a call tells of it, as the field's servers read it. */
export interface MessageContext {
  readonly call: Readonly<Record<string, unknown>>;
  /** Without secrets; undefined where no assistant has the call yet. */
  readonly assistant?: object | undefined;
  /** Who calls or is called; undefined in a browser. */
  readonly customer?: unknown;
  /** The number that was called, or that calls. */
  readonly phoneNumber?: object | undefined;
}

/**
 * What messages about a call tell of it (the published API's server messages: `call`, `assistant`, `customer`, `phoneNumber`).
 *
 * @param call its record as it is shown
 * @param assistant with its secrets, which are left out, as are those of `phoneNumber`
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

/** What may be told of an assistant or a number. */
export const withoutSecrets = (whole: object): object =>
  separateSecrets(whole as Record<string, unknown>, false).shown;

/** What sending a message needs. */
export type SendingParts = Pick<Resources, 'outbound' | 'keys' | 'settings'>;

const REPLY_BYTES = 256 * 1024;
/** A query is given up before the conversation gives its dialogue up. */
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

/** The installation's own server, for assistants without one of their own; undefined where there is none. */
export function ownServer({ settings }: Pick<Resources, 'settings'>): EventServer | undefined {
  const { VOICE_SERVER_URL: url, VOICE_SERVER_SECRET: secret } = settings;
  return url === '' ? undefined : { url, secret: secret === '' ? undefined : secret };
}

/** The secret that signs, as Standard Webhooks write it. */
export function signingSecret({ keys }: Pick<Resources, 'keys'>, { secret }: EventServer): string {
  const key =
    secret === undefined
      ? derivedSecret(keys, 'voice events').toString('base64')
      : Buffer.from(secret).toString('base64');
  return `whsec_${key}`;
}

/** What frames and signs a request is ours to say. */
const RESERVED =
  /^(host|connection|content-(length|type|encoding)|transfer-encoding|upgrade|te|trailer|webhook-.*|x-vapi-secret|x-call-id)$/i;

/** Headers of every request to a server, apart from its signature. */
export function serverHeaders({ headers, secret }: EventServer): Record<string, string> {
  const own = Object.entries(headers ?? {}).filter(([name]) => !RESERVED.test(name));
  return { ...Object.fromEntries(own), ...(secret === undefined ? {} : { 'x-vapi-secret': secret }) };
}

/** By its header a message is known to be of a call before its body is read, as the field's servers do. */
export function callHeader(message: object): Record<string, string> {
  const { call } = message as { readonly call?: { readonly id?: unknown } };
  return typeof call?.id === 'string' ? { 'x-call-id': call.id } : {};
}

/** Sends one message. @throws Error where the address may not be called, or nothing came back in time */
export async function sendMessage(
  parts: SendingParts,
  server: EventServer,
  message: object,
  timing: { id: string; ms: number },
): Promise<OutboundReply> {
  const body = JSON.stringify({ message });
  const now = new Date();
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
      'webhook-id': timing.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(signingSecret(parts, server)).sign(timing.id, now, body),
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
    throw new Error('The answer of the server is no JSON.');
  }
}
