import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { derivedSecret } from '../../../resources/crypto/secrets.ts';
import { OutboundBlocked, type OutboundReply } from '../../../resources/outbound-http/outbound-http.ts';
import type { Resources } from '../../../resources/resources.ts';
import type { CallAssistant, CallContext } from '../engines.server.ts';
import type { ServerMessage } from './client-messages.server.ts';

/** A server that is told of calls and asked about them. */
export interface EventServer {
  readonly url: string;
  /** Signs; also sent bare as `x-vapi-secret`, which the platform's servers read. */
  readonly secret?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** The line of one call to the server of its assistant (contract voice §3: "To serverUrl"). */
export interface ServerLine {
  /** Tells what happens, if the assistant wants its type: in order, repeated, and never waited for. */
  tell(message: ServerMessage): void;
  /**
   * Asks and waits for the answer; the call has gone on meanwhile.
   *
   * @param server in place of the assistant's, e.g. a tool's own
   * @returns the parsed body of a 2xx
   * @throws Error with a sentence for the call's log; it names no secret
   */
  ask(message: ServerMessage, server?: EventServer): Promise<unknown>;
  /** Resolves when everything has been told, or soon; nothing is told any more. */
  close(): Promise<void>;
}

type Parts = Pick<Resources, 'outbound' | 'keys' | 'settings'>;

/** What is told where the assistant does not say (contract voice §3). */
const USUAL: readonly string[] = [
  ...['conversation-update', 'function-call', 'hang', 'speech-update', 'tool-calls'],
  ...['transfer-destination-request', 'user-interrupted'],
];
/** These have ways of their own: durable events, and questions. */
const NOT_TOLD = new Set(['status-update', 'tool-calls', 'tool-calls-result', 'function-call', 'metadata']);
const MOST_WAITING = 200;
/** Milliseconds before each further attempt. */
const DELAYS = [250, 1000, 4000];
const TELL_MS = 5000;
/** A question is given up before the conversation gives its dialogue up. */
const ASK_SECONDS = { usual: 12, most: 15 } as const;
const CLOSING_MS = 2000;
const REPLY_BYTES = 256 * 1024;

/** The server that an assistant, a tool or a phone number names. */
export function serverOf(
  given: Pick<CallAssistant, 'server' | 'serverUrl' | 'serverUrlSecret'>,
): EventServer | undefined {
  const { server, serverUrl, serverUrlSecret } = given;
  const url = server?.url ?? serverUrl;
  if (url === undefined) return undefined;
  const { headers, timeoutSeconds } = server ?? {};
  return { url, secret: server?.secret ?? serverUrlSecret, headers, timeoutSeconds };
}

/** The installation's own server, for assistants that name none; undefined where there is none. */
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
  /^(host|connection|content-(length|type|encoding)|transfer-encoding|upgrade|te|trailer|webhook-.*|x-vapi-secret)$/i;

/** Headers of every request to a server, beside its signature. */
export function serverHeaders({ headers, secret }: EventServer): Record<string, string> {
  const own = Object.entries(headers ?? {}).filter(([name]) => !RESERVED.test(name));
  return { ...Object.fromEntries(own), ...(secret === undefined ? {} : { 'x-vapi-secret': secret }) };
}

/** Sends one message. @throws Error where the address may not be called, or nothing came back in time */
async function send(
  parts: Parts,
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
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': timing.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(signingSecret(parts, server)).sign(timing.id, now, body),
    },
  });
}

/**
 * Asks a server about something, and waits.
 *
 * @throws Error as `ServerLine.ask`
 */
export async function askServer(parts: Parts, server: EventServer, message: object): Promise<unknown> {
  const seconds = Math.min(server.timeoutSeconds ?? ASK_SECONDS.usual, ASK_SECONDS.most);
  const reply = await send(parts, server, message, { id: randomUUID(), ms: seconds * 1000 });
  if (reply.status < 200 || reply.status >= 300) throw new Error(`The server answered ${reply.status}.`);
  try {
    return JSON.parse(reply.body.toString('utf8')) as unknown;
  } catch {
    throw new Error('The answer of the server is no JSON.');
  }
}

/**
 * Opens the line of a call.
 *
 * @param call what of its record goes with every message
 */
export function openServerLine(
  parts: Parts,
  assistant: CallAssistant,
  call: object,
  log: CallContext['log'],
): ServerLine {
  const server = serverOf(assistant) ?? ownServer(parts);
  const wanted = new Set<string>(assistant.serverMessages ?? USUAL);
  const waiting: { readonly id: string; readonly message: ServerMessage }[] = [];
  let working: Promise<void> | undefined;
  let deaf = server === undefined;
  const stopped = new AbortController();

  const wants = ({ type, transcriptType }: ServerMessage): boolean =>
    !NOT_TOLD.has(type) &&
    (wanted.has(type) || (transcriptType === 'final' && wanted.has('transcript[transcriptType="final"]')));
  const whole = (message: ServerMessage) => ({ timestamp: Date.now(), ...message, call });

  /** A newer conversation takes the place of an older one that has not been told. */
  function enqueue(message: ServerMessage): void {
    const stale = waiting.findIndex(
      (one, index) =>
        index > 0 && one.message.type === 'conversation-update' && message.type === one.message.type,
    );
    if (stale !== -1) waiting.splice(stale, 1);
    if (waiting.length >= MOST_WAITING) {
      waiting.splice(1, 1);
      log('WARN', 'a message for the server of the assistant was dropped: it is too slow');
    }
    waiting.push({ id: randomUUID(), message: whole(message) });
  }

  async function work(to: EventServer): Promise<void> {
    for (let next = waiting[0]; next !== undefined && !deaf; next = waiting[0]) {
      await deliver(to, next);
      waiting.shift();
    }
  }

  async function deliver(to: EventServer, { id, message }: (typeof waiting)[number]): Promise<void> {
    for (let attempt = 0; !stopped.signal.aborted; attempt += 1) {
      const reply = await send(parts, to, message, { id, ms: TELL_MS }).catch((error: Error) => error);
      if (!(reply instanceof Error) && reply.status >= 200 && reply.status < 300) return;
      if (reply instanceof OutboundBlocked || (!(reply instanceof Error) && reply.status === 410))
        deaf = true;
      const passing = reply instanceof Error || reply.status >= 500 || [408, 425, 429].includes(reply.status);
      const delay = DELAYS[attempt];
      if (deaf || !passing || delay === undefined) {
        const why = reply instanceof Error ? reply.message : `it answered ${reply.status}`;
        log('WARN', `the server of the assistant was not told of ${message.type}: ${why}`);
        return;
      }
      await pause(delay, undefined, { signal: stopped.signal }).catch(() => {});
    }
  }

  return {
    tell(message) {
      if (server === undefined || deaf || stopped.signal.aborted || !wants(message)) return;
      enqueue(message);
      working ??= work(server).finally(() => {
        working = undefined;
      });
    },
    async ask(message, other) {
      const asked = other ?? server;
      if (asked === undefined) throw new Error('There is no server to ask.');
      return askServer(parts, asked, whole(message));
    },
    async close() {
      const patience = new AbortController();
      await Promise.race([
        working,
        pause(CLOSING_MS, undefined, { signal: patience.signal }).catch(() => {}),
      ]);
      patience.abort();
      stopped.abort();
    },
  };
}
